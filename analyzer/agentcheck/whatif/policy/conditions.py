"""Conditions on a call in CEL, the Common Expression Language, evaluated within bounds.

The library is Google's own (cel-expr-python). It compiles to at most 32 nested expressions, gives
up after 10,000 steps of comprehensions, and searches with RE2, whose time grows with the text and
not faster. Here the length of an expression, the size of what it sees and the work that both can
come to are bounded as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from agentcheck.model.errors import UsageError
from agentcheck.whatif.policy.work import Size, effort_of

if TYPE_CHECKING:
    from cel_expr_python import cel

LONGEST = 2_000
"""Characters of an expression."""
NODES, CHARACTERS, DEPTH = 20_000, 200_000, 60
"""What the arguments of a call may hold where a condition looks at them."""
VARIABLES = ("args", "tool", "agent", "tenant", "tainted")


class ConditionError(Exception):
    """A condition could not be evaluated on a call; the message says why."""


class Condition:
    """A compiled expression that is true or false of a call.

    It sees `args` (the arguments by name), `tool`, `agent` and `tenant` (texts, empty where not
    known) and `tainted` (names of the arguments that hold what a tool returned and nobody said).
    """

    def __init__(self, text: str, where: str) -> None:
        """Raises UsageError for what is no expression or gives something else than true or false,
        and where the library is not installed."""
        self.text = text
        if len(text) > LONGEST:
            raise UsageError(f"{where}: longer than {LONGEST:,} characters; make several rules")
        self._program = _compiled(text, where)
        self._effort = effort_of(text)

    def holds(self, given: Mapping[str, Any]) -> bool:
        """Whether it is true of a call. Raises ConditionError where it cannot be evaluated."""
        if self._effort.is_too_much(_size_of(given)):
            raise ConditionError("the arguments are too large to evaluate it on")
        try:
            value = self._program.eval(data=dict(given))
            told = value.value()
        except Exception as error:  # noqa: BLE001 - whatever it is, the call is not understood
            raise ConditionError(_brief(error)) from None
        if not isinstance(told, bool):
            raise ConditionError(_brief(told) if isinstance(told, str) else "no true or false")
        return told


def _compiled(text: str, where: str) -> cel.Expression:
    environment = _environment(where)
    try:
        program = environment.compile(text)
        kind = program.return_type().name()
    except Exception as error:  # noqa: BLE001 - the library raises RuntimeError for all there is
        raise UsageError(f"{where}: no CEL expression: {_brief(error)}") from None
    if kind not in ("BOOL", "DYN"):
        raise UsageError(f"{where}: gives {kind.lower()}, not true or false; compare it")
    return program


def _environment(where: str) -> cel.Env:
    try:
        return _made()
    except ImportError:
        told = 'conditions need CEL; install it with: pip install "agentcheck-audit[policy]"'
        raise UsageError(f"{where}: {told}") from None


@cache
def _made() -> cel.Env:
    from cel_expr_python import cel

    kinds = dict.fromkeys(("tool", "agent", "tenant"), cel.Type.STRING)
    kinds["args"] = cel.Type.Map(cel.Type.STRING, cel.Type.DYN)
    kinds["tainted"] = cel.Type.List(cel.Type.STRING)
    return cel.NewEnv(variables=kinds)


def _size_of(given: Mapping[str, Any]) -> Size:
    """How much a condition sees. Raises ConditionError for arguments beyond the bounds; without
    calls within calls."""
    nodes = characters = 0
    waiting = [(given["args"], 0)]
    while waiting:
        here, depth = waiting.pop()
        nodes += 1
        if isinstance(here, str):
            characters += len(here)
        elif isinstance(here, dict):
            characters += sum(len(key) for key in here if isinstance(key, str))
            waiting += ((item, depth + 1) for item in here.values())
        elif isinstance(here, list | tuple):
            waiting += ((item, depth + 1) for item in here)
        if nodes > NODES or characters > CHARACTERS or depth > DEPTH:
            raise ConditionError("the arguments are too large to evaluate a condition on")
    return Size(nodes + len(given["tainted"]), characters + len(given["tool"]))


def _brief(error: object) -> str:
    """The first line of what the library says."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return first.removeprefix("INVALID_ARGUMENT: ").removeprefix("ERROR: ").removeprefix("<input>:")
