"""Tools of the target, called by the test itself with arguments that are made up."""

from __future__ import annotations

import importlib
import inspect
import os
import socket
import typing
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from agentcheck.testing.harness import MISTAKES, NotShownError, finished
from agentcheck.testing.recorders import functions_named
from agentcheck.testing.words import words_of

# What is passed for a parameter by its type.
MADE_UP: dict[Any, Any] = {str: "text", int: 1, float: 1.0, bool: False, list: [], dict: {}}
TRIES = 8  # environment variables that a tool may turn out to need


class Wait(NamedTuple):
    """A connection that a tool wanted to make; `seconds` is None where it would wait for ever."""

    host: str
    seconds: float | None


def function_of(name: str) -> Callable[..., Any]:
    """The function `module:function` itself, also below decorators that made a tool of it.

    Raises NotShownError where there is none.
    """
    importlib.import_module(name.partition(":")[0])
    try:
        return functions_named(name)[0]
    except LookupError as error:
        raise NotShownError(str(error)) from None


def call(function: Callable[..., Any], **given: Any) -> Any:
    """What it returns for arguments that are made up, environment variables that it needs among
    them. Raises NotShownError where an argument that is not given cannot be made up."""
    arguments = {**arguments_for(function, given), **given}
    for _ in range(TRIES):
        try:
            return finished(function(**arguments))
        except KeyError as error:
            name = str(error.args[0]) if error.args else ""
            if not name.isupper() or name in os.environ:
                raise
            os.environ[name] = "none"
    raise NotShownError(f"{function.__name__} needs too many environment variables")


def waits_of(function: Callable[..., Any]) -> list[Wait]:
    """The connections that a call of it would make; all of them are refused."""
    with connections() as waits, suppress(Exception):
        call(function)
    if not waits:
        raise NotShownError(f"{function.__name__} reached for no other machine")
    return waits


def reached_by(function: Callable[..., Any], words: Collection[str], text: str) -> list[str]:
    """The hosts that a call of it would connect to whose parameters of these words are the text.

    Raises NotShownError where it has no such parameter, or breaks down before it gets there.
    """
    taken = [name for name in inspect.signature(function).parameters if words_of(name) & {*words}]
    if not taken:
        raise NotShownError(f"{function.__name__} takes none of {', '.join(words)}")
    error: Exception | None = None
    with connections() as waits:
        try:
            call(function, **dict.fromkeys(taken, text))
        except Exception as raised:  # noqa: BLE001 - a refused address may be any error
            error = raised
    if isinstance(error, (NotShownError, *MISTAKES)) and not waits:
        raise NotShownError(f"{function.__name__} could not be called: {error!r}") from error
    return [wait.host for wait in waits]


@contextmanager
def connections() -> Iterator[list[Wait]]:
    """Refuse every connection, and note its host and how long it would be waited for."""
    waits: list[Wait] = []
    names: dict[str, str] = {}

    def found(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
        address = f"127.0.0.{len(names) % 200 + 2}"
        names[address] = host.decode() if isinstance(host, bytes) else str(host)
        place = (address, port if isinstance(port, int) else 443)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place)]

    def refused(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else str(address)
        waits.append(Wait(names.get(host, host), self.gettimeout()))
        raise ConnectionRefusedError("no connection leaves a test")

    lookup = socket.getaddrinfo
    changed: Any = socket  # its functions are replaced for a while
    changed.getaddrinfo = found
    changed.socket.connect = refused
    try:
        yield waits
    finally:
        changed.getaddrinfo = lookup
        del changed.socket.connect


def arguments_for(function: Callable[..., Any], given: Collection[str] = ()) -> dict[str, Any]:
    """Arguments for what has no default and is not given, made up to fit.

    Raises NotShownError where one cannot be made up.
    """
    wanted = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        and parameter.name not in given
    ]
    hints = _hints(function) if wanted else {}
    return {name: _made_up(function, name, hints.get(name, str)) for name in wanted}


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # noqa: BLE001 - whatever an annotation raises, it tells no type
        return {}


def _made_up(function: Callable[..., Any], name: str, kind: Any) -> Any:
    inner = [one for one in typing.get_args(kind) if one in MADE_UP]
    for one in (kind, typing.get_origin(kind), *inner):
        if one in MADE_UP:
            return MADE_UP[one]
    raise NotShownError(f"no {name} can be made up for {function.__name__}: it is {kind}")
