"""Golden cases as a user writes them, checked by pydantic; imported only where there are some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from agentcheck.expect.explain import explain
from agentcheck.model.errors import UsageError


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def _listed(value: Any) -> Any:
    """One is as good as a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def _named(value: Any) -> Any:
    """A bare name stands for a call of that tool."""
    return {"tool": value} if isinstance(value, str) else value


Text = Annotated[str, Field(strict=True, min_length=1)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1)]
Count = Annotated[int, Field(ge=0, strict=True)]
Index = Annotated[int, Field(ge=0, strict=True)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


class CallCase(_Part):
    """A call of a tool. `arguments` need only be among those of the call; nested likewise.

    `result` is "ok", "error", or "none" for a call that was never answered, as one that was not
    carried out. Without a number of times, once or more is meant.
    """

    tool: Text
    arguments: dict[str, Any] = Field(default_factory=dict)
    result: Literal["ok", "error", "none"] | None = None
    times: Count | None = None
    at_least: Count | None = None
    at_most: Count | None = None

    @model_validator(mode="after")
    def _consistent(self) -> CallCase:
        least, most = self.bounds
        if self.times is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("times says exactly how often; leave out at_least and at_most")
        if most is not None and least > most:
            raise ValueError("at_least is more than at_most; swap them")
        return self

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How often at least and at most."""
        if self.times is not None:
            return self.times, self.times
        if self.at_least is None:
            return (1 if self.at_most is None else 0), self.at_most
        return self.at_least, self.at_most


Calls = Annotated[
    tuple[Annotated[CallCase, BeforeValidator(_named)], ...],
    BeforeValidator(_listed),
    Field(min_length=1),
]


class Expect(_Part):
    """What a run is expected to show; every expectation must hold.

    Texts are sought in the final answer, those of `said` in everything that the agents wrote:
    their messages and the arguments of their calls.
    """

    status: Texts | None = None
    contains: Texts | None = None
    not_contains: Texts | None = None
    said: Texts | None = None
    not_said: Texts | None = None
    calls: Calls | None = None
    not_calls: Calls | None = None
    order: Texts | None = None
    handoff_to: Texts | None = None
    not_handoff_to: Texts | None = None
    max_turns: Count | None = None
    max_tool_calls: Count | None = None
    max_tokens: Count | None = None
    max_cost_usd: Amount | None = None
    max_seconds: Amount | None = None

    @model_validator(mode="after")
    def _something(self) -> Expect:
        if not self.model_fields_set:
            raise ValueError("nothing is expected here; add a key such as status")
        return self


class Match(_Part):
    """Which runs a case is about; every key must fit. A text fits whole, but for white space."""

    task: Text | None = None
    task_contains: Texts | None = None
    run: Text | None = None
    workflow: Text | None = None
    agent: Text | None = None
    file: Text | None = None
    index: Index | None = None

    @model_validator(mode="after")
    def _something(self) -> Match:
        if not self.model_fields_set:
            raise ValueError("this matches nothing; add a key such as task")
        return self


class Case(_Part):
    """A case. `task` is short for `match: {task: ..}`. `tenant` and `note` are for who runs and
    reads the cases: a record does not show what a run was set up with, so they are not judged."""

    id: Text
    task: Text | None = None
    match: Match | None = None
    expect: Expect
    tenant: Any = None
    note: Any = None

    @model_validator(mode="after")
    def _about(self) -> Case:
        if self.task is None and self.match is None:
            raise ValueError("it says of no run that it is about it; add a task or a match")
        if self.task is not None and self.match is not None and self.match.task is not None:
            raise ValueError("the task stands here and in match; leave one out")
        return self


class Cases(_Part):
    """A file of cases. `strict`: a case that cannot be told counts as failed."""

    cases: Annotated[tuple[Case, ...], Field(min_length=1)]
    strict: Annotated[bool, Field(strict=True)] = False


def check_cases(data: object, where: str) -> Cases:
    """The cases in data. Raises UsageError with one line: the file, the key path, what is wrong."""
    if isinstance(data, list):
        raise UsageError(f'{where}: expected a mapping; put the list under the key "cases"')
    try:
        found = Cases.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{where}: {explain(error, data, _known)}") from None
    seen: set[str] = set()
    for number, case in enumerate(found.cases):
        if case.id in seen:
            raise UsageError(
                f'{where}: cases[{number}].id: "{case.id}" is the id of a case before; rename one'
            )
        seen.add(case.id)
    return found


def _known(loc: list[int | str]) -> Iterator[str]:
    """The keys that may stand at a place."""
    found: Callable[..., Any] = Cases
    for part in loc:
        found = _INNER.get(str(part), found)
    yield from found.model_fields  # type: ignore[attr-defined]


_INNER: dict[str, type[_Part]] = {
    "cases": Case,
    "match": Match,
    "expect": Expect,
    "calls": CallCase,
    "not_calls": CallCase,
}
