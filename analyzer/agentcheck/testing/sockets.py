"""A guard on the network: while it is up, sockets reach this machine alone.

Watched are the methods of `socket.socket` that name another machine, and the look-up of names,
which would ask a server on the network. Sockets made below Python (by uvloop or gRPC) go past it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from agentcheck.testing.hosts import is_here

METHODS = ("connect", "connect_ex", "sendto")
LOOKUPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "create_connection")
NAMED = (socket.AF_INET, socket.AF_INET6)


class NetworkRefusedError(OSError):
    """The code under test reached for another machine."""


@contextmanager
def guarded(allowed: Collection[str] = ()) -> Iterator[list[str]]:
    """Refuse every host but this machine and those allowed; yields what was refused.

    The refusal is an OSError to the code that tried, as of a network that is down.
    """
    refused: list[str] = []

    def check(host: Any) -> None:
        name = host.decode() if isinstance(host, bytes) else host
        if name is None or name in ("", "0.0.0.0", "::") or name in allowed or is_here(str(name)):  # noqa: S104
            return
        refused.append(str(name))
        raise NetworkRefusedError(f"the test may not reach {name}: sockets stay on this machine")

    with ExitStack() as stack:
        for name in METHODS:
            _replace(stack, socket.socket, name, _method(check, getattr(socket.socket, name)))
        for name in LOOKUPS:
            _replace(stack, socket, name, _lookup(check, getattr(socket, name)))
        yield refused


def _replace(stack: ExitStack, owner: Any, name: str, new: Any) -> None:
    own = name in vars(owner)
    old = getattr(owner, name)
    setattr(owner, name, new)
    stack.callback(setattr, owner, name, old) if own else stack.callback(delattr, owner, name)


def _method(check: Callable[[Any], None], old: Any) -> Callable[..., Any]:
    def method(self: socket.socket, *args: Any) -> Any:
        address = args[-1] if args else None
        if self.family in NAMED and isinstance(address, tuple) and address:
            check(address[0])
        return old(self, *args)

    return method


def _lookup(check: Callable[[Any], None], old: Any) -> Callable[..., Any]:
    def lookup(*args: Any, **options: Any) -> Any:
        given = args[0] if args else options.get("host", options.get("address"))
        check(given[0] if isinstance(given, tuple) else given)
        return old(*args, **options)

    return lookup
