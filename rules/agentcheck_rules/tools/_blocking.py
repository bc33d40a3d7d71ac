"""Calls in coroutines that hold up the event loop until they are done."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, Site, Tool, argument, descend, own_exprs
from agentcheck_rules.tools._bodies import bodied

_HTTP = ("get", "post", "put", "patch", "delete", "head", "options", "request")
_NAMES = frozenset(
    {
        *"time.sleep os.system input subprocess.run subprocess.call subprocess.check_call".split(),
        *"subprocess.check_output subprocess.getoutput urllib.request.urlopen".split(),
        *(f"requests.{verb}" for verb in _HTTP),
        *(f"requests.api.{verb}" for verb in _HTTP),
        *(f"requests.Session.{verb}" for verb in _HTTP),
        *(f"requests.session.{verb}" for verb in _HTTP),
        *(f"httpx.{verb}" for verb in _HTTP),
        *(f"httpx.Client.{verb}" for verb in _HTTP),
    }
)
# Clients of providers whose calls wait; those of the Async classes are awaited instead.
_CLIENTS = ("openai.OpenAI.", "openai.AzureOpenAI.", "anthropic.Anthropic.", "litellm.completion")
_SHORT = 0.1  # seconds of sleep that nobody notices
_DEPTH = 2


class Block(Struct, frozen=True, eq=False):
    """A tool that is a coroutine, and a call that blocks in it or in a helper; `name` is what."""

    tool: Tool
    fn: Fn
    site: Site
    name: str


def blocks_in_tools(graph: AgentGraph) -> Iterator[tuple[Tool, Fn, list[Block]]]:
    """Every tool that is a coroutine, with the calls that block in it."""
    asked = {id(c.site.expr) for c in graph.model_calls}
    for tool, fn in bodied(graph):
        if fn.facts.is_async:
            found = _blocking(graph, fn, asked, _DEPTH, set())
            yield tool, fn, [Block(tool, fn, site, name) for site, name in found]


def _blocking(
    graph: AgentGraph, fn: Fn, asked: set[int], depth: int, seen: set[Fn]
) -> Iterator[tuple[Site, str]]:
    seen.add(fn)
    for site, call in graph.program.calls(fn):
        if _is_put_off(site):
            continue
        name = _name(graph, site, call, asked)
        if name is not None:
            yield site, name
        for callee in graph.calls.callees(site) if depth else ():
            if not callee.facts.is_async and not callee.facts.is_generator and callee not in seen:
                yield from _blocking(graph, callee, asked, depth - 1, seen)


def _name(graph: AgentGraph, site: Site, call: E.Call, asked: set[int]) -> str | None:
    """What a call waits in, if it is one that blocks."""
    names = graph.resolver.dotted(call.func, site.fn)
    found = next((n for n in sorted(names) if n in _NAMES), None)
    if found == "time.sleep" and _is_short(call):
        return None
    if found is None and id(site.expr) in asked:
        found = next((n for n in sorted(names) if n.startswith(_CLIENTS)), None)
    return found


def _is_short(call: E.Call) -> bool:
    given = argument(call, "secs", 0)
    value = given.value if isinstance(given, E.Const) else None
    return isinstance(value, (int, float)) and value <= _SHORT


def _is_put_off(site: Site) -> bool:
    """Whether a call is awaited, or only made when a lambda runs, in a thread perhaps."""
    for expr in (e for own in own_exprs(site.at.stmt) for e in descend(own)):
        if isinstance(expr, E.Await) and expr.value is site.expr:
            return True
        if isinstance(expr, E.Lambda) and any(e is site.expr for e in descend(expr.body)):
            return True
    return False
