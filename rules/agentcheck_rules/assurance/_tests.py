"""The tests of a target: which drive an agent loop, what they try, which ask a live model."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, Fn, Site, argument, code_kind, lazy_re

_EVALS = lazy_re(r"(^|_)evals?($|_)|evaluation")
_STAND_INS = lazy_re(
    r"mock|patch\(|monkeypatch|fake|stub|respx|vcr|cassette|scripted|testmodel|functionmodel|"
    r"responses\.activate|requests_mock|httpx_mock|dummy"
)
_CHOSEN = lazy_re(
    r"skipif|pytest\.mark\.(live|integration|e2e|slow|external|network|online|llm)|importorskip|"
    r"unittest\.skip"
)
_TRIES = {
    "the turn cap": lazy_re(
        r"max_?(turns?|iter\w*|steps?|calls|rounds|loops)|turn_(limit|cap)|recursion_?limit|"
        r"too_many|exceeded|limit_reached"
    ),
    "broken arguments": lazy_re(
        r"(invalid|malformed|broken|bad|wrong|unparsable|garbage)_?\w*(arg|json|param|input)|"
        r"jsondecode|not[_ ]json|(arg\w*|json)_?(error|invalid|malformed)|"
        r"arguments=\S{0,3}[^{\s\"']*(not|oops|broken)"
    ),
    "a tool that raises": lazy_re(
        r"\braise\b|side_effect\s*=\s*\w*(error|exception)|(tool|function)\w*_?(error|fail|raise)|"
        r"(failing|raising|broken|boom)_?\w*(tool|function)"
    ),
}
_TWO_HANDOFFS = lazy_re(
    r"(two|double|both|parallel|multiple|several)_?\w*(handoff|transfer)|(handoff|transfer)s?_?\w*"
    r"(twice|race|conflict|parallel|two)"
)


def is_eval(path: str) -> bool:
    """Whether a file's name says that it evaluates."""
    return bool(_EVALS.search(path.rpartition("/")[2].partition(".")[0].lower()))


def driving(graph: AgentGraph, loop: Fn, depth: int = 3) -> list[Site]:
    """The calls in tests that lead to a loop, in source order."""
    found, seen, frontier = list[Site](), {loop}, [loop]
    for _ in range(depth):
        following = list[Fn]()
        for fn in frontier:
            for site in graph.calls.callers(fn):
                if code_kind(site.fn.file.path) == "test":
                    found.append(site)
                elif site.fn not in seen:
                    seen.add(site.fn)
                    following.append(site.fn)
        frontier = following
    return sorted({id(s.expr): s for s in found}.values(), key=lambda s: s.place)


def untried(sites: list[Site], *, handoffs: bool) -> list[str]:
    """What no test of a loop speaks of, in its name or its lines."""
    text = "\n".join(_text(fn) for fn in dict.fromkeys(s.fn for s in sites)).lower()
    missing = [what for what, pattern in _TRIES.items() if not pattern.search(text)]
    if handoffs and not _TWO_HANDOFFS.search(text):
        missing.append("two handoffs in one reply")
    return missing


def _text(fn: Fn) -> str:
    span = fn.facts.span
    return "\n".join(fn.file.lines[span.line - 1 : span.end_line])


def live_files(graph: AgentGraph) -> Iterator[tuple[str, Site]]:
    """The files of tests and evaluations that ask a live model, each with where it starts."""
    clients = {n for f in graph.frameworks for c in f.client for n in c.names}
    runs = {id(r.site.expr) for r in graph.runs if not r.inside}
    for path, functions in sorted(graph.program.functions.items()):
        if code_kind(path) != "test" and not is_eval(path):
            continue
        if not any(graph.drives.reaches(fn) for fn in functions) or _stands_in(graph, path):
            continue
        for site in (s for fn in functions for s, _ in graph.program.calls(fn)):
            if id(site.expr) in runs or _is_live(graph, site, clients):
                yield path, site
                break


def _stands_in(graph: AgentGraph, path: str) -> bool:
    """Whether a file, or a conftest above it, puts something in the model's place or is chosen."""
    folders = [path.rpartition("/")[0]]
    while folders[-1]:
        folders.append(folders[-1].rpartition("/")[0])
    conftests = [f"{folder}/conftest.py".lstrip("/") for folder in folders]
    for name in (path, *conftests):
        file = graph.program.files.near(name)
        for line in file.lines if file is not None else ():
            if _STAND_INS.search(line.lower()) or _CHOSEN.search(line):
                return True
    return False


def _is_live(graph: AgentGraph, site: Site, clients: set[str]) -> bool:
    """A provider's client with nothing put in its place, or an object that makes one by itself."""
    if graph.resolver.dotted(site.call.func, site.fn) & clients:
        keys = ("base_url", "http_client", "transport")
        return all(argument(site.call, key) is None for key in keys)
    return not site.call.args and any(
        graph.resolver.dotted(call.func, made) & clients
        for made in graph.calls.callees(site)
        if made.name == "__init__"
        for _, call in graph.program.calls(made)
    )
