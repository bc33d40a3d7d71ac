"""Which steps into a reply read what: the paths of an SDK's data, made ready to ask."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import ModelCall

About = Literal["finish", "usage", "content", "tool_calls"]
Names = tuple[str, ...]
REPORTS: tuple[About, ...] = ("finish", "usage")
USES: tuple[About, ...] = ("content", "tool_calls")
ABOUTS = (*REPORTS, *USES)
# Keys under which gateways give the price of a call: LiteLLM's `_hidden_params["response_cost"]`,
# OpenRouter's `usage.cost`.
PRICES = frozenset({"response_cost", "total_cost", "cost"})


class Paths(Struct, frozen=True, eq=False):
    """The paths of one entry of an SDK's data, as names without indexing.

    `arguments` lead from one tool call to what it is called with.
    """

    by_about: dict[About, tuple[Names, ...]]
    arguments: Names

    @property
    def every_name(self) -> set[str]:
        """Every key on any of the paths."""
        on_paths = {n for paths in self.by_about.values() for path in paths for n in path}
        return on_paths | PRICES | set(self.arguments)

    @property
    def leaves(self) -> set[str]:
        """The last keys of the paths to the finish reason and to usage."""
        return {p[-1] for about in REPORTS for p in self.by_about[about]}

    def carriers(self, about: About) -> set[Names]:
        """The parts that still hold a thing: every step on the way to it, and the reply itself."""
        return {path[:i] for path in self.by_about[about] for i in range(len(path))} | {()}

    @property
    def every_carrier(self) -> set[Names]:
        """The parts that hold a finish reason or usage."""
        return self.carriers("finish") | self.carriers("usage")

    def about(self, names: Names) -> Iterator[About]:
        """What is read by some steps from the reply."""
        yield from (about for about in REPORTS if self._reaches(about, names))
        for about in USES:
            if any(names[: len(path)] == path for path in self.by_about[about]):
                yield about

    def _reaches(self, about: About, names: Names) -> bool:
        if any(path[-1] in names for path in self.by_about[about]):
            return True
        if about == "usage" and not PRICES.isdisjoint(names):
            return True
        return any(names[: len(part)] == part for part in self._own_parts(about))

    def _own_parts(self, about: About) -> set[Names]:
        """The parts of a reply that hold one thing and no other: `incomplete_details`."""
        others = {p for a in ABOUTS if a != about for p in self.carriers(a)}
        others |= {p for a in ABOUTS if a != about for p in self.by_about[a]}
        return self.carriers(about) - others - {()}

    def is_tool_call(self, names: Names) -> bool:
        """Whether some steps read a tool call, or its arguments where content holds it too."""
        for path in self.by_about["tool_calls"]:
            if names[: len(path)] == path:
                rest = names[len(path) :]
                if path not in self.by_about["content"]:
                    return True
                if self.arguments and rest[: len(self.arguments)] == self.arguments:
                    return True
        return False


@cache
def paths_of(data: ModelCall) -> Paths:
    """The paths of one entry."""
    arguments = tuple(data.tool_arguments.split(".")) if data.tool_arguments else ()
    return Paths({about: _split(getattr(data, about)) for about in ABOUTS}, arguments)


def _split(written: tuple[str, ...]) -> tuple[Names, ...]:
    return tuple(tuple(part.removesuffix("[]") for part in path.split(".")) for path in written)
