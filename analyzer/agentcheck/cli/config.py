"""`agentcheck config`: every key of the configuration, or one; `--schema` for editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli.output import say
from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.config.reference import Key

Name = Annotated[
    str | None, typer.Argument(metavar="[KEY]", help="A key, such as trace.max-turns; none: all.")
]
Schema = Annotated[bool, typer.Option("--schema", help="Print the JSON schema of all keys.")]


def config(name: Name = None, *, schema: Schema = False) -> int:
    """Explain a key of the configuration, or list all."""
    from agentcheck.config.reference import keys, schema_text
    from agentcheck.run.select import known_rules

    if schema and name is not None:
        raise UsageError("--schema prints the schema of all keys; leave out the KEY")
    if schema:
        say(schema_text(known_rules()))
    else:
        found = keys(known_rules())
        say(_all(found) if name is None else _page(found, name))
    return 0


def _all(found: Sequence[Key]) -> str:
    return "".join(f"{key.path:<42}  {key.type}\n" for key in found)


def _page(found: Sequence[Key], name: str) -> str:
    """A key and those below it. Raises UsageError for one that does not exist."""
    chosen = [key for key in found if key.path == name or key.path.startswith(f"{name}.")]
    if not chosen:
        from agentcheck.config.nearest import nearest

        near = nearest(name, [key.path for key in found])
        hint = f'did you mean "{near}"?' if near else "`agentcheck config` lists all"
        raise UsageError(f'config: no key is called "{name}"; {hint}')
    return "\n".join(map(_entry, chosen))


def _entry(key: Key) -> str:
    default = f"Default: {key.default}\n" if key.default else ""
    says = f"{key.says}\n" if key.says else ""
    return f"{key.path}\n{says}Type: {key.type}\n{default}"
