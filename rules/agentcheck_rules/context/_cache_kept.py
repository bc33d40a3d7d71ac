"""Whether a cache is a plain dict that nothing ever empties, or one ready-made for a process."""

from __future__ import annotations

from agentcheck.rule import AgentGraph, E, Located, S, Site, dotted, last_name, slot, string
from agentcheck_rules.context._caches import Cached

READY = frozenset(
    "RedisSemanticCache OpenSearchSemanticCache CassandraSemanticCache AstraDBSemanticCache "
    "MongoDBAtlasSemanticCache UpstashSemanticCache AzureCosmosDBSemanticCache SemanticCache "
    "GPTCache Cache".split()
)


def is_ready_made(graph: AgentGraph, site: Site) -> bool:
    """A ready-made semantic cache that the process uses, or LiteLLM's with a semantic type."""
    names = graph.resolver.dotted(site.call.func, site.fn)
    external = not graph.calls.callees(site) and any("." in name for name in names)
    if last_name(site.call.func) == "Cache":
        types = [string(a.value) or "" for a in site.call.args if a.name == "type"]
        return any(n.startswith("litellm") for n in names) and any("semantic" in t for t in types)
    return external and _is_used(site)


def _is_used(site: Site) -> bool:
    match site.at.stmt:
        case S.Do(value=E.Call(func=func)):
            return last_name(func) == "set_llm_cache"
        case S.Assign(targets=(target,)):
            return (dotted(target) or "").endswith(("cache", "CACHE"))
        case _:
            return False


def made_here(graph: AgentGraph, cached: Cached) -> Located | None:
    """Where a cache is made as a plain dict; None for anything else."""
    name = cached.cache
    hosts = [graph.program.module(cached.fn.file.path)]
    klass = graph.program.self_class(cached.fn)
    if klass is not None and name.startswith("self."):
        hosts = [m for m in klass.methods.values() if m.name == "__init__"]
    for host in hosts:
        for at in graph.program.statements(host):
            if isinstance(at.stmt, S.Assign) and any(slot(t) == name for t in at.stmt.targets):
                plain = isinstance(at.stmt.value, E.Entries) or (
                    isinstance(at.stmt.value, E.Call)
                    and last_name(at.stmt.value.func) in ("dict", "OrderedDict", "defaultdict")
                )
                return at if plain else None
    return None


def emptied(graph: AgentGraph, cached: Cached) -> bool:
    """Whether something takes entries out of a cache, or looks at how many or how old they are."""
    for fn in graph.program.functions[cached.fn.file.path]:
        for at in graph.program.statements(fn):
            deleted = at.stmt.targets if isinstance(at.stmt, S.Delete) else ()
            if any(isinstance(t, E.Index) and slot(t.value) == cached.cache for t in deleted):
                return True
        for _, call in graph.program.calls(fn):
            func, first = call.func, call.args[0].value if call.args else None
            if isinstance(func, E.Attr) and slot(func.value) == cached.cache:
                if func.attr in ("pop", "popitem", "clear", "move_to_end"):
                    return True
            elif last_name(func) == "len" and first is not None and slot(first) == cached.cache:
                return True
    return False
