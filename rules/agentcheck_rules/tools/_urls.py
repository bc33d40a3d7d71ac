"""Requests that a tool makes: where their address comes from, what they send, what looks at it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    CodeEvidence,
    E,
    Fn,
    Site,
    argument,
    code_kind,
    descend,
    last_name,
    lazy_re,
    related,
    string,
)
from agentcheck_rules.tools._checks import checks_before
from agentcheck_rules.tools._written import Written

_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream")
_WRITES = frozenset({"post", "put", "patch", "delete"})
_CLIENT = lazy_re(
    r"^(requests(\.api|\.Session|\.sessions\.Session)?|httpx(\.Client|\.AsyncClient)?|"
    r"aiohttp\.ClientSession|urllib3(\.PoolManager)?|cloudscraper\.create_scraper|"
    r"curl_cffi\.requests(\.Session|\.AsyncSession)?)\.\w+$"
)
_OPENS = frozenset(
    {"urllib.request.urlopen", "urllib.request.Request", "urllib.request.urlretrieve"}
)
_LOOKS = lazy_re(
    r"^(urlparse|urlsplit|getaddrinfo|gethostbyname|ip_address|is_private|is_loopback|is_global|"
    r"fullmatch|get_tld|extract_host)$|(^|_)(valid|validate|safe|check|allow|allowed|block|blocked|"
    r"permitted|trusted|public|verify|ssrf|assert|ensure|is)_?\w*(url|uri|host|domain|address|ip|"
    r"link)|(url|uri|host|domain)_?\w*(valid|allow|safe|check|guard)"
)
_SECRET = lazy_re(r"auth|api_?key|token|cookie|secret|credential", re.IGNORECASE)


class Request(Struct, frozen=True, eq=False):
    """A call that goes to a URL. `writes` for a method that changes what is there."""

    site: Site
    url: E.Expr
    writes: bool


def requests(graph: AgentGraph) -> Iterator[Request]:
    """Every such call outside tests, in source order."""
    lasts = (*_VERBS, "urlopen", "Request", "urlretrieve")
    found = {id(s.expr): s for name in lasts for s in graph.program.call_index.get(name, ())}
    for site in sorted(found.values(), key=lambda s: s.place):
        if code_kind(site.fn.file.path) != "test":
            yield from _request(graph, site)


def _request(graph: AgentGraph, site: Site) -> Iterator[Request]:
    call, names = site.call, graph.resolver.dotted(site.call.func, site.fn)
    verb = last_name(call.func) or ""
    opens = bool(names & _OPENS)
    if not opens and not any(_CLIENT.match(n) for n in names):
        return
    by_name = verb in ("request", "stream")
    url = argument(call, "url", 1 if by_name else 0)
    method = (string(argument(call, "method", 0)) or "").lower() if by_name else verb
    if url is not None:
        yield Request(site, url, method in _WRITES)


def url_parts(graph: AgentGraph, expr: E.Expr, fn: Fn) -> tuple[str, list[E.Expr]]:
    """The parts of an expression that decide which host a URL leads to: its head."""
    match expr:
        case E.Binary(op="+" | "%"):
            return "", [expr.right if _is_scheme(expr.left) else expr.left]
        case E.Template(parts=parts):
            head = [p for p in parts if not _is_scheme(p)]
            return "", head[:1]
        case E.Logic():
            return "", list(expr.values)
        case E.Choice():
            return "", [expr.then, expr.otherwise]
        case E.Await() | E.Walrus():
            return "", [expr.value]
        case E.Call(func=E.Attr(attr="strip" | "rstrip" | "lstrip" | "replace", value=value)):
            return "", [value]
        case E.Call(func=func) if expr.args and graph.resolver.dotted(func, fn) & _KEEPS:
            return "", [expr.args[0].value]
        case _:
            return "", []


_KEEPS = {"str", "urllib.request.Request", "httpx.URL"}


def _is_scheme(expr: E.Expr) -> bool:
    return (string(expr) or "-").rstrip("/") in ("", "http:", "https:")


def looked_at(graph: AgentGraph, request: Request, written: Written) -> CodeEvidence | None:
    """What looks at the address before it is asked for, on its way or in what that calls."""
    near = [*written.through, written.first, request.site.fn]
    for fn in tuple(near):
        near += [f for site, _ in graph.program.calls(fn) for f in graph.calls.callees(site)]
    for fn in dict.fromkeys(near):
        for site, call in graph.program.calls(fn):
            if _looks(call):
                return related(site.place, "the address is looked at here")
    kept = checks_before(graph, request.site, (request.url,))
    return next((evidence for kind, evidence in kept if kind == "allow"), None)


def _looks(call: E.Call) -> bool:
    name = (last_name(call.func) or "").lower()
    if name == "startswith" and call.args:
        text = string(call.args[0].value)
        return text is None or text.startswith("http")
    return bool(_LOOKS.search(name))


def sends_secret(graph: AgentGraph, request: Request) -> CodeEvidence | None:
    """Credentials that go with the request: `auth=`, `cookies=`, a header that names a key."""
    for arg in request.site.call.args:
        if arg.name in ("auth", "cookies") and not isinstance(arg.value, E.Const):
            return related(request.site.fn.place(arg.span), "credentials go with it")
        for shown, fn in _headers(graph, arg, request.site.fn):
            for entry in shown.entries:
                key = string(entry.key) if entry.key is not None else None
                if key and _SECRET.search(key) and not isinstance(entry.value, E.Const):
                    return related(fn.place(entry.value.span), "credentials go with it")
    return None


def _headers(graph: AgentGraph, arg: E.Arg, fn: Fn) -> Iterator[tuple[E.Entries, Fn]]:
    if arg.name == "headers":
        for origin in graph.tracer.local(arg.value, fn):
            for expr in descend(origin.expr) if origin.expr is not None else ():
                if isinstance(expr, E.Entries):
                    yield expr, origin.fn
