"""Functions with side effects, held in the ways in which tools are held."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

HAPPENED: list[str] = []


class FunctionTool:
    """A tool as SDKs make it: the function is out of reach in a closure."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.invoke: Callable[..., list[Any]] = lambda **given: [function(**given)]


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        HAPPENED.append("logged")
        return function(*args, **kwargs)

    return wrapper


def send_mail(to: str, subject: str = "Hello", *, urgent: bool = False) -> str:
    """Send a mail."""
    HAPPENED.append(f"mail to {to}, {subject}, {urgent}")
    return "really sent"


TOOLS = [send_mail]


@FunctionTool
def refund(order: int, amount: float) -> bool:
    HAPPENED.append(f"refund of {amount} for {order}")
    return True


@logged
def pay(*amounts: float, **notes: str) -> dict[str, Any]:
    HAPPENED.append("paid")
    return {"really": amounts, **notes}


async def post(text: str, /) -> None:
    HAPPENED.append(text)


def rows(table: str) -> Iterator[str]:
    HAPPENED.append(table)
    yield "really a row"


async def pages(site: str) -> AsyncIterator[str]:
    HAPPENED.append(site)
    yield "really a page"


class Store:
    def __init__(self) -> None:
        self.kept: list[str] = []

    def delete(self, key: str) -> str:
        super().__init__()
        HAPPENED.append(f"deleted {key}")
        return "really"
