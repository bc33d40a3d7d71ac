"""What generated tests share: play a script against the target, and see how it ended.

    run = play(always("search"), lambda model: answer("Please begin."))
    assert not run.runaway

A `Run` holds the scripted model with all its requests, and how the run ended.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import inspect
import logging
import sys
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from agentcheck.testing.model import Runaway, ScriptedModel
from agentcheck.testing.reply import Refused
from agentcheck.testing.script import Part
from agentcheck.testing.sockets import guarded
from agentcheck.testing.words import words_of

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
QUESTION = "Please begin."
UNFIT = "the script calls"
SILENCE = "nobody is there to type"
IMPORTED = 50  # model calls that an import may make before it is taken for one without end


class NotShownError(Exception):
    """The scenario did not get to where the fault would show; it says nothing of the fault."""


class Told(NamedTuple):
    """The answer that the model got to a call of a tool."""

    name: str
    text: str


@dataclass(frozen=True)
class Run:
    """A run that has ended: with a result (of a stream: the list of its items), an error, or never.

    `runaway` is true where the scripted model had to end it.
    """

    model: ScriptedModel
    result: Any = None
    error: BaseException | None = None
    runaway: bool = False

    @property
    def told(self) -> list[Told]:
        """What the model was told in answer to each of its calls, in the order of the calls."""
        calls = {c.id: c.name for r in self.model.requests for m in r.messages for c in m.calls}
        texts = {m.call_id: m.text for r in self.model.requests for m in r.messages}
        ids = [call for group in self.model.asked for call in group if call in calls]
        return [Told(calls[call], texts.get(call, "")) for call in ids]

    @property
    def answers(self) -> dict[str, str]:
        """What the model was told in answer to the first call of each tool, by the tool's name."""
        return {told.name: told.text for told in reversed(self.told)}

    @property
    def broke(self) -> BaseException | None:
        """What ended it, unless that is that nobody types any more: so a session ends."""
        left = isinstance(self.error, EOFError) and str(self.error) == SILENCE
        return None if left else self.error

    def raised(self, words: Iterable[str]) -> bool:
        """Whether it ended with an error that has one of the words in its name or text."""
        if self.error is None or isinstance(self.error, MISTAKES):
            return False
        said = f"{type(self.error).__name__} {self.error}"
        return not set(words).isdisjoint(words_of(said))


def play(script: Part, call: Callable[[ScriptedModel], Any], safety_stop: int = 200) -> Run:
    """Call something that asks a model, with a scripted model in the place of every provider.

    Coroutines are awaited, streams are read to their end, and other machines cannot be reached.
    Raises NotShownError where the script did not fit what the code asked.
    """
    model = ScriptedModel(script, safety_stop=safety_stop)
    with guarded(), model.install():
        try:
            run = Run(model, finished(call(model)))
        except Runaway:
            run = Run(model, runaway=True)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the tests ask what a run raises
            run = Run(model, error=error)
    unfit = [step.message for step in model.replies if isinstance(step, Refused)]
    unfit = [message for message in unfit if message.startswith(UNFIT)]
    if unfit:
        raise NotShownError("; ".join(unfit))
    return run


@contextlib.contextmanager
def offline() -> Iterator[None]:
    """Import the target here: what it does when imported asks no provider and no other machine."""
    with guarded(), ScriptedModel(safety_stop=IMPORTED).install():
        yield


def undisturbed(run: Run) -> Run:
    """The run, where it ended as it should: for runs that only lead up to what a test asks.

    Raises NotShownError where it broke down or never ended.
    """
    if run.runaway:
        raise NotShownError("a normal run never ended")
    if run.error is not None:
        raise NotShownError(f"a normal run broke down: {run.error!r}") from run.error
    return run


def came_from(kind: Any, folder: Path) -> None:
    """Raise ImportError unless the definition was imported from below the folder."""
    module = sys.modules[kind.__module__] if hasattr(kind, "__module__") else kind
    file = Path(str(getattr(module, "__file__", ""))).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ImportError(f"{module.__name__} was imported from {file}, not from {folder}")


def finished(value: Any) -> Any:
    """What a call gives in the end: a coroutine awaited, a stream read into a list."""
    if inspect.isawaitable(value) or isinstance(value, AsyncIterator):
        return asyncio.run(_awaited(value))
    return list(value) if isinstance(value, Iterator) else value


async def _awaited(value: Any) -> Any:
    if inspect.isawaitable(value):
        return await _awaited(await value)
    return [item async for item in value] if isinstance(value, AsyncIterator) else value


@contextlib.contextmanager
def typed(*lines: str) -> Iterator[list[str]]:
    """Answer `input()` with the lines in turn, then with the end of the file.

    Gives the list of lines that were asked for so far.
    """
    read: list[str] = []
    real = builtins.input

    def answer(_prompt: object = "", /) -> str:
        if len(read) == len(lines):
            raise EOFError(SILENCE)
        read.append(lines[len(read)])
        return read[-1]

    builtins.input = answer
    try:
        yield read
    finally:
        builtins.input = real


@contextlib.contextmanager
def reported() -> Iterator[list[str]]:
    """The texts of warnings and of log records from "warning" on, as they are made."""
    texts: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            texts.append(record.getMessage())

    handler = Keep(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield texts
            texts.extend(str(warning.message) for warning in caught)
    finally:
        logging.getLogger().removeHandler(handler)
