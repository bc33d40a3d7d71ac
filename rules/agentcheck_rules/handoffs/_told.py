"""Which functions a prompt tells the model to call, and which ones it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    Agent,
    AgentGraph,
    E,
    Fn,
    Piece,
    Place,
    Span,
    dotted,
    lazy_re,
    string,
)

_NAME = r"[`'\"*]{0,3}(?P<name>[A-Za-z]\w*)[`'\"*]{0,3}"
_VERB = r"(?P<verb>call|calling|invoke|invoking|use|using|trigger|execute|run)"
# "call change_plan", "use the `lookup` tool", "invoke the function pay_back()".
_TOLD = lazy_re(
    rf"\b{_VERB}\s+(?:the\s+|your\s+)?(?P<before>(?:function|tool)\s+)?{_NAME}"
    r"(?P<after>\s*\(|\s+(?:function|tool)\b)?",
    re.IGNORECASE,
)
_NEGATED = lazy_re(r"\b(?:not|never|n't|without|cannot|avoid|instead of)\s+(?:\w+\s+)?$", re.I)
_ACTING = frozenset(
    (
        "get set find search look lookup fetch read write send transfer hand handoff escalate "
        "create make update delete remove add cancel submit check verify query list ask change "
        "book pay order open close save load run call end start complete finish"
    ).split()
)
_NOUNS = ("id", "ids", "name", "names", "key", "number", "date", "type", "status", "list")
# Arguments that give an agent further tools, whose names the code does not show.
_OPENING = (
    "mcp_servers", "mcps", "mcp_config", "toolsets", "toolset", "builtin_tools", "capabilities",
    "middleware", "apps", "skills", "memory", "knowledge", "knowledge_base", "search_knowledge",
    "plugins", "sub_agents", "subagents", "team", "members", "prompt", "planning", "reasoning",
    "enable_agentic_memory", "allow_delegation", "allow_code_execution",
)  # fmt: skip


class Told(Struct, frozen=True):
    """A function that a literal of a prompt tells the model to call. `plain` where it says so."""

    name: str
    place: Place
    plain: bool


def told(piece: Piece) -> Iterator[Told]:
    """The functions that a literal names as ones to call."""
    text = piece.text or ""
    for match in _TOLD.finditer(text):
        name = match["name"]
        plain = bool(match["before"] or match["after"])
        if not _is_name(name, match["verb"].lower(), plain=plain):
            continue
        if not _NEGATED.search(text[: match.start()]):
            yield Told(name, _line(piece, name), plain)


def _is_name(name: str, verb: str, *, plain: bool) -> bool:
    """Whether a word is written as a function is: `change_plan`, not `appropriate`."""
    words = name.strip("_").split("_")
    if len(words) < 2 or not name[0].islower() or not name.islower():
        return False
    if plain or verb.startswith(("call", "invok")):
        return True
    return words[0] in _ACTING and words[-1] not in _NOUNS


def _line(piece: Piece, name: str) -> Place:
    """The line of a literal that has the name."""
    span = piece.expr.span
    lines = piece.fn.file.lines
    for number in range(span.line, min(span.end_line, len(lines)) + 1):
        column = lines[number - 1].find(name)
        if column >= 0:
            return piece.fn.place(Span(number, column + 1, number, column + 1 + len(name)))
    return piece.fn.place(span)


def offered(graph: AgentGraph, agent: Agent) -> set[str] | None:
    """The names of all functions an agent's model may call; None where some cannot be read."""
    if agent.data is None or agent.spread or any(agent.given([k]) is not None for k in _OPENING):
        return None
    near = set(graph.program.mates(agent.site.fn.file.path))
    names = {label for place, label in graph.unresolved if place.file in near}
    if agent.name in names or agent.framework in ("ag2", "autogen", "crewai"):
        return None
    if any(t.fn is None and t.built is not None for t in agent.tools):
        return None
    if not _listed(graph, agent):
        return None
    found = {t.name for t in (*agent.tools, *agent.handoff_tools)}
    found |= {t.fn.name for t in (*agent.tools, *agent.handoff_tools) if t.fn is not None}
    found |= set(_decorated(graph, agent)) | set(_overridden(graph, agent.site.fn))
    found |= {f"transfer_to_{_function_style(target.name)}" for target in agent.handoffs}
    found |= {name for f in graph.frameworks if f.name == agent.framework for name in f.own_tools}
    return found


def _listed(graph: AgentGraph, agent: Agent) -> bool:
    """Whether the lists of tools and handoffs are written out, or absent."""
    data = agent.data
    for keyword in (*data.tools_keywords, *data.handoffs_keywords) if data else ():
        given = agent.given([keyword])
        if given is None:
            continue
        origins = graph.tracer.local(given, agent.site.fn)
        if not origins or not all(_is_display(o.expr) and not o.steps for o in origins):
            return False
    return True


def _is_display(expr: E.Expr | None) -> bool:
    if isinstance(expr, E.Items):
        return not any(isinstance(i, E.Star) for i in expr.items)
    return isinstance(expr, E.Const) and expr.value is None


def _function_style(name: str) -> str:
    """As the Agents SDK makes a function's name of an agent's."""
    return re.sub(r"[^a-zA-Z0-9]", "_", name).lower()


def _decorated(graph: AgentGraph, agent: Agent) -> Iterator[str]:
    """Functions under `@agent.tool` and the like."""
    stmt = agent.site.at.stmt
    targets = getattr(stmt, "targets", ())
    variable = dotted(targets[0]) if targets else None
    for fn in _file_functions(graph, agent.site.fn) if variable else ():
        for decorator in fn.facts.decorators:
            inner = decorator.func if isinstance(decorator, E.Call) else decorator
            if isinstance(inner, E.Attr) and dotted(inner.value) == variable:
                yield fn.name


def _file_functions(graph: AgentGraph, fn: Fn) -> tuple[Fn, ...]:
    return graph.program.functions[fn.file.path]


def _overridden(graph: AgentGraph, fn: Fn) -> Iterator[str]:
    """`handoff(agent, tool_name_override="x")`, wherever it is built."""
    built = graph.program.call_index.get("handoff", ())
    for site in (site for site in built if graph.program.together(site.fn, fn)):
        for arg in site.call.args:
            label = string(arg.value)
            if label and arg.name and "name" in arg.name:
                yield label


def known_function(graph: AgentGraph, name: str, near: Fn) -> bool:
    """Whether anything of a function's program bears the name as a function."""
    return any(fn.name == name for fn in graph.program.functions_near(near))


def read_elsewhere(graph: AgentGraph, name: str, near: Fn) -> bool:
    """Whether the code answers to the name itself: `if call.name == "finish_now"`."""
    for fn in graph.program.functions_near(near):
        for site in graph.program.shaped(fn, E.Compare, E.Entries):
            expr = site.expr
            if isinstance(expr, E.Compare) and any(
                string(side) == name for side in (expr.left, *expr.rights)
            ):
                return True
            if isinstance(expr, E.Entries) and any(
                e.key is not None and string(e.key) == "name" and string(e.value) == name
                for e in expr.entries
            ):
                return True
    return False
