"""What a user may tell a rule: `[rules.<name>]` of the configuration."""

from __future__ import annotations

from msgspec import Struct


class RuleOptions(Struct, frozen=True, kw_only=True, rename="kebab"):
    """The options of one rule.

    A rule that has any defines a class `Options` derived from this, with a default for each field
    and a `msgspec.Meta(description=...)` that says what it is for, and takes an instance as the
    last argument of its `check` and `check_run`. The names in the configuration have hyphens.
    """


def described(options: type[RuleOptions]) -> dict[str, str]:
    """The options by their names in the configuration, each with what it is for."""
    from msgspec.json import schema_components

    (where,), found = schema_components([options], ref_template="{name}")
    properties = found[where["$ref"]]["properties"]
    return {name: value.get("description", "") for name, value in properties.items()}
