"""Hook scripts that read a call from stdin and block it with an exit code."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, S, argument, descend, dotted, last_name
from agentcheck_rules.guards._doors import Door, bodies, is_wide

_EXITS = frozenset({"exit", "_exit"})


def hooks(graph: AgentGraph, fn: Fn) -> Iterator[Door]:
    """A hook script that reads its call from stdin, blocks with code 2, and ends 0 on an error."""
    tries = any(type(at.stmt) is S.Try for at in graph.program.statements(fn))
    if not tries or not _blocks_anywhere(graph, fn.file.path):
        return
    for block in bodies(fn.facts.body):
        for stmt in block:
            if type(stmt) is not S.Try or not _reads_stdin(stmt):
                continue
            for handler in stmt.handlers:
                code = _exit_code(handler) if is_wide(handler) else None
                if code is not None:
                    yield Door(fn, "hook", fn.place(handler.span), code == 0, None)


def _blocks_anywhere(graph: AgentGraph, path: str) -> bool:
    """Whether a file ends with code 2 somewhere."""
    exits = (site for name in _EXITS for site in graph.program.call_index.get(name, ()))
    return any(site.fn.file.path == path and _blocks(site.call) for site in exits)


def _blocks(call: E.Call) -> bool:
    code = argument(call, None, 0)
    return last_name(call.func) in _EXITS and isinstance(code, E.Const) and code.value == 2


def _reads_stdin(stmt: S.Try) -> bool:
    return any(
        (dotted(e) or "") in ("json.load", "sys.stdin.read", "sys.stdin")
        for inner in bodies(stmt.body)
        for s in inner
        if isinstance(s, (S.Assign, S.Do))
        for e in (descend(s.value) if s.value is not None else ())
    )


def _exit_code(handler: S.Handler) -> int | None:
    for stmt in handler.body:
        if isinstance(stmt, S.Do) and isinstance(stmt.value, E.Call):
            code = argument(stmt.value, None, 0)
            if last_name(stmt.value.func) in _EXITS:
                given = code.value if isinstance(code, E.Const) else None
                return 0 if code is None else given if isinstance(given, int) else None
    return None
