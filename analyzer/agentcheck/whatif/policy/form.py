"""A policy as a user writes it, checked by pydantic; imported only where there is one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from agentcheck.config.nearest import suggestion
from agentcheck.expect.explain import Place, explain
from agentcheck.model.errors import UsageError

Does = Literal["reads", "change", "message", "money", "destructive", "code", "handoff", "unknown"]
Ask = Literal["never", "tainted", "always"]
Text = Annotated[str, Field(strict=True, min_length=1)]
Weight = Annotated[int, Field(ge=0, le=100, strict=True)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]

WEIGHTS: dict[Does, int] = {
    "reads": 0,
    "handoff": 0,
    "change": 30,
    "message": 40,
    "unknown": 40,
    "money": 50,
    "destructive": 60,
    "code": 60,
}
"""What asking about a call of such a tool adds to its score, where the policy says nothing else."""


def _listed(value: Any) -> Any:
    """One is as good as a list of one."""
    return [value] if isinstance(value, str) else value


Names = Annotated[tuple[Text, ...], BeforeValidator(_listed)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Limit(_Part):
    """Up to this much passes unasked; a call without a number under this name asks a person."""

    argument: Text
    most: Amount


class ToolForm(_Part):
    """A tool that may be called. `ask`: "always" a person is asked, "tainted" where an argument
    holds what a tool returned and nobody said, "never". `approve_when` is the automatic condition:
    where it does not hold, a person is asked."""

    does: Does = "unknown"
    ask: Ask = "always"
    weight: Weight | None = None
    limit: Limit | None = None
    approve_when: Text | None = None
    note: Any = None

    @property
    def score(self) -> int:
        """What asking adds to the score."""
        return WEIGHTS[self.does] if self.weight is None else self.weight


class TenantForm(_Part):
    """What one tenant may call (`*` as in file names), and what is asked about besides."""

    allow: Names = ()
    ask: Names = ()


class RuleForm(_Part):
    """A condition on calls: where `when` holds, `require` must. `tools` and `tenants` narrow it.
    One that fails asks a person, or rejects, or with "warn" counts for the score alone."""

    name: Text
    tools: Names = ("*",)
    tenants: Names = ("*",)
    when: Text | None = None
    require: Text
    weight: Weight = 40
    on_fail: Literal["human", "reject", "warn"] = "human"
    message: Text | None = None


class TextForm(_Part):
    """A text rule of the user's own; `pattern` is in the syntax of RE2, over plain text."""

    name: Text
    pattern: Text
    severity: Literal["block", "warn"] = "block"
    says: Text | None = None
    scope: Literal["acting", "messages", "all"] = "acting"


class ConstitutionForm(_Part):
    """The text rules: severities for those that come with the tool, and more of one's own."""

    severities: dict[str, Literal["block", "warn", "off"]] = Field(default_factory=dict)
    more: tuple[TextForm, ...] = ()


class PolicyForm(_Part):
    """A whole policy."""

    version: Literal[1]
    threshold: Annotated[int, Field(ge=1, le=100, strict=True)] = 60
    unknown_tools: Literal["reject", "human"] = "reject"
    tools: dict[Text, ToolForm] = Field(default_factory=dict)
    tenants: dict[Text, TenantForm] = Field(default_factory=dict)
    rules: tuple[RuleForm, ...] = ()
    constitution: ConstitutionForm = Field(default_factory=ConstitutionForm)

    @model_validator(mode="after")
    def _named_once(self) -> PolicyForm:
        names = [rule.name for rule in self.rules] + [one.name for one in self.constitution.more]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f'two rules are called "{name}"; rename one')
        return self

    @model_validator(mode="after")
    def _names_exist(self) -> PolicyForm:
        """A gate for a name that is misspelt would never close."""
        for where, names in self._named_tools() if self.unknown_tools == "reject" else ():
            _require(names, self.tools, f"{where}: no tool")
        for rule in self.rules:
            _require(rule.tenants, self.tenants, f"rules: {rule.name}.tenants: no tenant")
        return self

    def _named_tools(self) -> Iterator[tuple[str, Names]]:
        for name, tenant in self.tenants.items():
            yield f"tenants.{name}.allow", tenant.allow
            yield f"tenants.{name}.ask", tenant.ask
        yield from ((f"rules: {rule.name}.tools", rule.tools) for rule in self.rules)


def _require(names: Names, known: Collection[str], told: str) -> None:
    """Raise ValueError for a name that is no pattern and is not known."""
    for name in names:
        if name not in known and not any(char in name for char in "*?["):
            hint = suggestion(name, known) if known else "the policy names none"
            raise ValueError(f'{told} "{name}"; {hint}')


def check_policy(data: object, where: str) -> PolicyForm:
    """The policy in data. Raises UsageError with one line: the file, the key, what is wrong."""
    try:
        return PolicyForm.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{where}: {explain(error, data, _known)}") from None


_INNER: dict[str, type[_Part]] = {
    "tools": ToolForm,
    "tenants": TenantForm,
    "rules": RuleForm,
    "constitution": ConstitutionForm,
    "limit": Limit,
    "more": TextForm,
}


def _known(loc: Place) -> Iterator[str]:
    """The keys that may stand at a place; names of tools and tenants lead nowhere else."""
    found: type[_Part] = PolicyForm
    for part in loc:
        found = _INNER.get(str(part), found)
    yield from found.model_fields
