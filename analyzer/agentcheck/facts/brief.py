"""What is told of a file without its code: imports, comments that accept findings, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

import msgspec
from msgspec import Struct

from agentcheck.model.facts import FileFacts, Ignore, Import
from agentcheck.model.kind import is_test_name
from agentcheck.model.location import Place

TENANT_NAMES = frozenset(
    {"user_id", "tenant_id", "org_id", "organization_id", "organisation_id", "account_id",
     "customer_id", "workspace_id", "current_user"}
)  # fmt: skip


class Comment(Struct, frozen=True, array_like=True):
    """An ignore comment and its place; `alone` when no code shares that line."""

    ignore: Ignore
    place: Place
    alone: bool


class Brief(Struct, frozen=True, array_like=True):
    """A file in brief. `lines` counts them; `tenant` is the first parameter that tells whose
    request a function serves, as "line takes name".

    `links` is the hash of what it imports, wherever that stands; `names_tests` whether any of it
    is called as tests are.
    """

    path: str
    digest: str
    lines: int
    imports: tuple[Import, ...]
    comments: tuple[Comment, ...] = ()
    tenant: str | None = None
    links: bytes = b""
    names_tests: bool = False


def brief_of(facts: FileFacts) -> Brief:
    """A file in brief."""
    comments = tuple(_comment(facts, ignore) for ignore in facts.ignores)
    return Brief(
        facts.path,
        facts.digest,
        len(facts.lines),
        facts.imports,
        comments,
        _tenant(facts),
        _links(facts.imports),
        any(map(is_test_name, _words(facts.imports))),
    )


def _links(imports: Iterable[Import]) -> bytes:
    told = [(i.module, i.level, i.name) for i in imports]
    return blake2b(msgspec.msgpack.encode(told), digest_size=16).digest()


def _words(imports: Iterable[Import]) -> Iterator[str]:
    """The names of modules, and of what is imported from them, in lower case."""
    for imported in imports:
        yield from imported.module.lower().split(".")
        yield (imported.name or "").lower()


def _comment(facts: FileFacts, ignore: Ignore) -> Comment:
    before = facts.lines[ignore.span.line - 1][: ignore.span.column - 1]
    return Comment(ignore, facts.place(ignore.span), not before.strip())


def _tenant(facts: FileFacts) -> str | None:
    for function in facts.functions:
        for param in function.params:
            if param.name in TENANT_NAMES:
                return f"{param.span.line} takes {param.name}"
    return None
