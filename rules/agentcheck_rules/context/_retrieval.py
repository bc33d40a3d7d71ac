"""Searches in a store of vectors, and where only the first of their hits is taken."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, S, Site, descend, last_name, lazy_re, read_key, slot

# Methods that only stores of vectors have, and common ones that need a sign beside the name.
_OWN = frozenset(
    "similarity_search asimilarity_search max_marginal_relevance_search get_relevant_documents "
    "aget_relevant_documents query_points near_text near_vector similarity_search_by_vector "
    "hybrid_search vector_search semantic_search".split()
)
_COMMON = frozenset({"search", "query", "retrieve", "invoke"})
_SIGNS = frozenset(
    "query_vector query_embeddings query_texts query_embedding vector n_results".split()
)
_STORES = lazy_re(
    r"^(qdrant_client|chromadb|pinecone|weaviate|pymilvus|lancedb|faiss|llama_index|"
    r"langchain_(chroma|pinecone|qdrant|community\.vectorstores|milvus|weaviate))"
)
_CUTS = lazy_re(r"score|distance|threshold|certainty|relevan(ce|t)|cutoff|rerank|confidence")
_SOURCES = lazy_re(r"url|source|link|metadata|page_number|doc_id|citation|reference|filename")
_ONE = frozenset({"k", "top_k", "limit", "n_results", "n", "similarity_top_k"})
_NESTED = frozenset({"documents", "metadatas", "ids"})
_TEXTS = frozenset({"page_content", "text", "content", "documents", "payload", "document"})


def searches(graph: AgentGraph) -> Iterator[Site]:
    """Every call that asks a store for what is near a query."""
    for name in sorted(_OWN | _COMMON):
        for site in graph.program.call_index.get(name, ()):
            if last_name(site.call.func) == name and _is_search(graph, site, name):
                yield site


def _is_search(graph: AgentGraph, site: Site, name: str) -> bool:
    if graph.calls.callees(site):
        return False
    if name in _OWN or any(a.name in _SIGNS for a in site.call.args):
        return True
    dotted = graph.resolver.dotted(site.call.func, site.fn)
    return any(_STORES.match(d) for d in dotted) and name in ("search", "query", "retrieve")


def first_only(graph: AgentGraph, fn: Fn, by_call: dict[int, Site]) -> Iterator[tuple[Site, Site]]:
    """Where a function takes the first hit of a search: the place and the search."""
    for site in graph.program.shaped(fn, E.Index, E.Call):
        expr = site.expr
        if isinstance(expr, E.Index) and _is_zero(expr.index):
            search = _search_behind(graph, expr.value, fn, by_call)
            if search is not None:
                yield site, search
        elif id(expr) in by_call and asks_for_one(site.call) and _reads_text(graph, fn):
            yield site, site


def _is_zero(index: E.Expr) -> bool:
    return isinstance(index, E.Const) and index.value == 0 and index.value is not False


def asks_for_one(call: E.Call) -> bool:
    """Whether a search is told to give one hit."""
    return any(
        a.name in _ONE and isinstance(a.value, E.Const) and a.value.value == 1 for a in call.args
    )


def _reads_text(graph: AgentGraph, fn: Fn) -> bool:
    return any(read_key(s.expr) in _TEXTS for s in graph.program.sites(fn))


def _search_behind(
    graph: AgentGraph, base: E.Expr, fn: Fn, by_call: dict[int, Site]
) -> Site | None:
    """The search whose hits a value is, also when they were gathered into a list in a loop."""
    for origin in graph.tracer.local(base, fn):
        search = by_call.get(id(origin.expr))
        if search is None:
            continue
        indexed = origin.steps.count("[]")
        if indexed == (1 if _NESTED.intersection(origin.names) else 0):
            return search
    name = slot(base)
    return _gathered(graph, name, fn, by_call) if name else None


def _gathered(graph: AgentGraph, name: str, fn: Fn, by_call: dict[int, Site]) -> Site | None:
    for at in graph.program.statements(fn):
        match at.stmt:
            case S.Do(value=E.Call(func=E.Attr(attr="append", value=E.Name(id=added)))):
                loop = next((c.stmt for c in at.around() if isinstance(c.stmt, S.For)), None)
                if added != name or loop is None:
                    continue
            case _:
                continue
        for part in descend(loop.iter):
            for origin in graph.tracer.local(part, fn):
                if id(origin.expr) in by_call:
                    return by_call[id(origin.expr)]
    return None


def cut_off(graph: AgentGraph, functions: list[Fn]) -> Site | None:
    """Where a function looks at how near a hit is, or a search is given a threshold."""
    for fn in functions:
        for site in graph.program.sites(fn):
            if any(_CUTS.search(word.lower()) for word in _words(site.expr)):
                return site
    return None


def _words(expr: E.Expr) -> Iterator[str]:
    match expr:
        case E.Name(id=name):
            yield name
        case E.Call(args=args):
            yield from (a.name for a in args if a.name)
            yield last_name(expr.func) or ""
        case _:
            yield read_key(expr) or ""


def names_source(graph: AgentGraph, fn: Fn) -> Site | None:
    """Where what a function returns, or puts into a text, says where a hit came from."""
    for site in graph.program.sites(fn):
        passed = isinstance(site.at.stmt, S.Return) or isinstance(site.expr, E.Template)
        if not passed:
            continue
        for part in descend(site.expr):
            keys = [e.key for e in part.entries] if isinstance(part, E.Entries) else [part]
            words = [w for k in keys if k is not None for w in (*_words(k), _text(k))]
            if any(_SOURCES.search(word.lower()) for word in words):
                return site
    return None


def _text(expr: E.Expr) -> str:
    return str(expr.value) if isinstance(expr, E.Const) and isinstance(expr.value, str) else ""
