"""Recorders in the place of what changes the world, while a generated test runs the target."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import FunctionType
from typing import Any

from agentcheck.testing.harness import NotShownError
from agentcheck.testing.recorders import ABSENT, Recorder, every_function, functions_named, replace
from agentcheck.testing.words import words_of

ASKING = frozenset(
    {"input", "ask", "asks", "confirm", "confirmed", "approve", "approved", "approval"}
    | {"permission", "consent", "authorize", "authorized", "prompt", "interrupt"}
)


@contextmanager
def recorded(*names: str, returns: Any = ABSENT) -> Iterator[dict[str, Recorder]]:
    """Replace functions ("module:function") by recorders until the block ends, by their names.

    Left alone are those that the user allows (AGENTCHECK_ALLOW_EFFECTS) and those of modules that
    the target has not loaded. Raises NotShownError where a function cannot be replaced.
    """
    from agentcheck.testing.plugin import allowed_effects

    allowed = allowed_effects(())
    wanted = [n for n in names if n not in allowed and n.partition(":")[0] in sys.modules]
    held = every_function() if wanted else []
    with ExitStack() as stack:
        yield {name: _replaced(name, stack, returns, held) for name in wanted}


def _replaced(name: str, stack: ExitStack, returns: Any, held: Sequence[FunctionType]) -> Recorder:
    try:
        return replace(name, stack, returns, held)
    except LookupError as error:
        raise NotShownError(f"no recorder can stand in for {name}: {error}") from None


@contextmanager
def answering(
    tools: Iterable[tuple[str, str]], answers: Iterable[Mapping[str, str]]
) -> Iterator[None]:
    """Have tools (their names and "module:function") answer what they answered in a record.

    The answers of a tool are given in their order, and after the last the empty text.
    """
    left: dict[str, list[str]] = {}
    for answer in answers:
        left.setdefault(answer["name"], []).append(answer["text"])
    with ExitStack() as stack:
        for name, place in tools:
            stack.enter_context(recorded(place, returns=_next(left.get(name, []))))
        yield


def _next(texts: list[str]) -> Callable[..., str]:
    rest = iter(texts)
    return lambda **_: next(rest, "")


def asks_itself(name: str) -> str | None:
    """What in the body of a function asks somebody, by its name; None where nothing seems to.

    A recorder stands in for the whole body, so that a test cannot tell whether that holds it back.
    """
    try:
        function = functions_named(name)[0]
    except LookupError:
        return None
    called = function.__code__.co_names
    return next((one for one in called if not words_of(one).isdisjoint(ASKING)), None)


def allowed_or_skipped(name: str) -> None:
    """Skip the test unless the user lets a function run that changes the world."""
    import pytest

    from agentcheck.testing.plugin import ALLOWED, allowed_effects

    if name not in allowed_effects(()):
        pytest.skip(f"{name} changes the world: name it in {ALLOWED} to let it run")
