"""What generated tests share: build the target's agents and run its runner to an end."""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentcheck.acceptance.scripted import Runaway, ScriptedModel

# Words by which an error says that it ended the run on purpose, and why.
LIMIT = frozenset(
    {"limit", "limits", "max", "maximum", "exceeded", "budget"}
    | {"turn", "turns", "step", "steps", "iteration", "iterations"}
)
CUT_SHORT = {
    "length": frozenset({"length", "truncated", "truncation", "incomplete", "tokens"}),
    "content_filter": frozenset({"filter", "filtered", "moderation", "incomplete"}),
}
HANDOFFS = frozenset({"handoff", "handoffs", "transfer", "transfers", "multiple", "parallel"})
# Errors that code raises by mistake rather than by design, whatever their text.
MISTAKES = (TypeError, LookupError, AttributeError, NameError, RecursionError)


class Outcome(NamedTuple):
    """How a run ended: with a result (of a stream: the list of its items), an error, or never."""

    result: Any = None
    error: Exception | None = None
    runaway: bool = False

    def raised(self, words: frozenset[str]) -> bool:
        """Whether the run ended with an error that has one of the words in its name or text."""
        if self.error is None or isinstance(self.error, MISTAKES):
            return False
        said = re.findall(r"[A-Z]?[a-z]+", f"{type(self.error).__name__} {self.error}")
        return not words.isdisjoint(word.lower() for word in said)


def make(kind: Callable[..., Any], /, **wanted: Any) -> Any:
    """An agent of the target's class, by those of the keywords that its signature takes.

    The tools must reach the model: ScriptedModel refuses the first request where they do not.
    """
    wanted = {"name": "Scripted", "instructions": "Follow the script.", "model": "none"} | wanted
    taken = inspect.signature(kind).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return kind(**wanted)
    return kind(**{name: value for name, value in wanted.items() if name in taken})


def drive(model: ScriptedModel, method: Callable[..., Any], /, **arguments: Any) -> Outcome:
    """Call a method of the runner, to the end of its stream if it is one.

    Coroutines and asynchronous generators are awaited, and so must be the model then. Raises
    ProtocolError when a request was one that a provider would refuse.
    """
    model.asynchronous = inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)
    try:
        outcome = Outcome(_finished(method(**arguments)))
    except Runaway:
        outcome = Outcome(runaway=True)
    except Exception as error:  # noqa: BLE001 - what a run may raise is what the tests ask
        outcome = Outcome(error=error)
    model.verify()
    return outcome


def came_from(kind: type, folder: Path) -> None:
    """Raise ImportError unless the class was imported from below the folder."""
    file = Path(str(getattr(sys.modules[kind.__module__], "__file__", ""))).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ImportError(f"{kind.__module__} was imported from {file}, not from {folder}")


def _finished(value: Any) -> Any:
    if inspect.iscoroutine(value) or isinstance(value, AsyncIterator):
        return asyncio.run(_awaited(value))
    return list(value) if isinstance(value, Iterator) else value


async def _awaited(value: Any) -> Any:
    if inspect.iscoroutine(value):
        return await _awaited(await value)
    return [item async for item in value] if isinstance(value, AsyncIterator) else value
