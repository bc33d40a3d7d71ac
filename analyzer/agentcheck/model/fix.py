"""How a finding can be mended by a program: plain data that `agentcheck.fix` carries out."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.model.location import Span

Applicability = Literal["safe", "unsafe"]
Action = Literal["replace", "keyword", "rename", "guard", "handler", "before"]


class Edit(Struct, frozen=True):
    """One change of a file. `was` is the source at `span` that it was made for.

    `replace`: the expression at `span` becomes `code`. `keyword`: the call at `span` gets the
    further argument `name=code`. `rename`: the argument at `span` goes under the keyword `code`.
    `guard`: the statement at `span` goes into a `try` whose handler begins with `name` ("ValueError
    as error") and holds the statements `code`. `handler`: the `try` at `span` gets such a handler
    behind those it has. `before`: the statements `code` go before the one at
    `span`. Statements end with a newline and are indented by four spaces a level.
    """

    action: Action
    file: str
    span: Span
    was: str
    code: str
    name: str = ""


class Fix(Struct, frozen=True):
    """The edits that together mend one finding: all of them, or none.

    "safe" where no program that works today can behave otherwise afterwards, else "unsafe".
    `what` says in one sentence what is done.
    """

    applicability: Applicability
    what: str
    edits: tuple[Edit, ...]
