"""What code does to the machine around it: noted, and refused where it could do harm.

Told by the audit events that Python raises (PEP 578), so that it does not matter by which function
of which library the code gets there. Reading a file is let pass; writing, deleting, starting a
process and reaching for another machine are refused.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType
from typing import Any, Literal, NamedTuple

from agentcheck.testing.harness import MISTAKES, NotShownError
from agentcheck.testing.tools import arguments_for, call
from agentcheck.testing.words import words_of

Kind = Literal["reads", "writes", "starts", "reaches", "runs"]
STARTS = {
    "subprocess.Popen": 1,  # the place of what is started among the event's arguments
    "os.system": 0,
    "os.exec": 1,
    "os.posix_spawn": 1,
    "os.spawn": 2,
    "os.startfile": 0,
    "pty.spawn": 0,
}
CHANGES = frozenset(
    f"os.{name}" for name in "remove rename rmdir mkdir truncate link symlink chmod chown".split()
) | frozenset(f"shutil.{name}" for name in "copyfile copytree move rmtree".split())
READS = frozenset({"os.listdir", "os.scandir"})
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_watchers: list[Callable[[str, tuple[Any, ...]], None]] = []
_hooked = False


class DeedRefusedError(PermissionError):
    """The code under test would have changed the machine."""


class Deed(NamedTuple):
    """Something that the code did or wanted to do; `what` are paths, a command or names of code."""

    kind: Kind
    what: tuple[str, ...]

    def touches(self, path: Path) -> bool:
        """Whether a file or what stands in for its folder is read or changed."""
        real = path.resolve()
        here = self.kind in ("reads", "writes")
        return here and any(_resolved(what) == real for what in self.what)


@contextmanager
def watched() -> Iterator[list[Deed]]:
    """Note what is done until the block ends, and refuse what changes the machine."""
    deeds: list[Deed] = []

    def note(event: str, args: tuple[Any, ...]) -> None:
        deed = _deed(event, args)
        if deed is None:
            return
        deeds.append(deed)
        if deed.kind in ("writes", "starts", "reaches"):
            raise DeedRefusedError(f"no test lets the code do this: {event}")

    _hook()
    _watchers.append(note)
    try:
        yield deeds
    finally:
        _watchers.remove(note)


def deeds_of(function: Callable[..., Any], words: Iterable[str], text: str) -> list[Deed]:
    """What a call does whose parameters of these words are a text (its first one, without any).

    Raises NotShownError where the call broke down without having done anything.
    """
    error: BaseException | None = None
    given: dict[str, Any] = dict.fromkeys(_named(function, frozenset(words)), text)
    given |= arguments_for(function, given)  # before the watch: annotations are run to be read
    with watched() as deeds:
        try:
            call(function, **given)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a refusal may be any error
            error = raised
    if isinstance(error, (NotShownError, *MISTAKES)) and not deeds:
        raise NotShownError(f"{function.__name__} could not be called: {error!r}") from error
    return deeds


def _named(function: Callable[..., Any], words: frozenset[str]) -> list[str]:
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    return [name for name in names if words & words_of(name)] or names[:1]


def _hook() -> None:
    """Python has no way to take an audit hook back: one is set, and asks who watches."""
    global _hooked  # noqa: PLW0603 - of the process, as the hook is
    if not _hooked:
        sys.addaudithook(_told)
        _hooked = True


def _told(event: str, args: tuple[Any, ...]) -> None:
    for watcher in tuple(_watchers):
        watcher(event, args)


def _deed(event: str, args: tuple[Any, ...]) -> Deed | None:
    if event == "open":
        return _opened(*args)
    if event in STARTS:
        return Deed("starts", tuple(_texts(args[STARTS[event]])))
    if event in CHANGES:
        return Deed("writes", tuple(_texts(args)))
    if event in READS:
        return Deed("reads", tuple(_texts(args)))
    if event == "exec" and isinstance(args[0], CodeType):
        return Deed("runs", args[0].co_names)
    if event in ("socket.connect", "socket.sendto"):
        return Deed("reaches", tuple(_texts(args[1]))) if isinstance(args[1], tuple) else None
    return None


def _opened(path: Any, _mode: Any = None, flags: Any = 0, *_: Any) -> Deed | None:
    if isinstance(path, int) or _texts(path) == [os.devnull]:
        return None
    writes = isinstance(flags, int) and flags & WRITING
    return Deed("writes" if writes else "reads", tuple(_texts(path)))


def _texts(value: Any) -> list[str]:
    if isinstance(value, (tuple, list)):
        return [text for one in value for text in _texts(one)]
    with suppress(TypeError):
        return [os.fsdecode(value)]
    return []


def _resolved(text: str) -> Path | None:
    with suppress(OSError, ValueError):
        return Path(text).resolve()
    return None
