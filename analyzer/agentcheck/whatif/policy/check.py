"""Golden cases for a policy: calls with the decisions that are expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from agentcheck.expect.explain import Place, explain
from agentcheck.expect.load import read_data
from agentcheck.model.errors import UsageError
from agentcheck.model.whatif import PolicyCase
from agentcheck.trace.arguments import encode_text
from agentcheck.whatif.policy.decide import Call, Decision, Outcome
from agentcheck.whatif.policy.form import Names, Text, Weight
from agentcheck.whatif.policy.load import load_policy
from agentcheck.whatif.policy.provenance import Texts, flat


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class CallForm(_Part):
    """A call. `said` is what people said before it, `read` what tools returned."""

    tool: Text
    arguments: dict[str, Any] = Field(default_factory=dict)
    agent: str = ""
    tenant: Text | None = None
    said: Names = ()
    read: Names = ()


def _decided(value: Any) -> Any:
    """A bare word is the decision."""
    return {"decision": value} if isinstance(value, str) else value


class ExpectForm(_Part):
    """What is expected. `rules` are rules that must fail, `not_rules` such that must not."""

    decision: Outcome | None = None
    score: Weight | None = None
    at_least: Weight | None = None
    at_most: Weight | None = None
    rules: Names = ()
    not_rules: Names = ()

    @model_validator(mode="after")
    def _something(self) -> ExpectForm:
        if not self.model_fields_set:
            raise ValueError("nothing is expected here; add a key such as decision")
        return self


class CaseForm(_Part):
    """A case."""

    id: Text
    call: CallForm
    expect: Annotated[ExpectForm, BeforeValidator(_decided)]
    note: Any = None


class CasesForm(_Part):
    """A file of cases."""

    cases: Annotated[tuple[CaseForm, ...], Field(min_length=1)]


def check_policy_cases(policy: str, cases: str) -> list[PolicyCase]:
    """How each case of a file comes out under the policy of another.

    Raises UsageError for a file that is not as it should be.
    """
    loaded = load_policy(policy)
    data = read_data(cases, "cases")
    try:
        found = CasesForm.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{cases}: {explain(error, data, _known)}") from None
    made = []
    for case in found.cases:
        decision = loaded.decide(_call(case.call))
        missed = tuple(_missed(decision, case.expect))
        made.append(PolicyCase(case.id, decision.outcome, decision.score, missed))
    return made


def _call(form: CallForm) -> Call:
    said, read = ("\n".join(map(flat, texts)) for texts in (form.said, form.read))
    return Call(
        tool=form.tool,
        arguments=form.arguments,
        raw=encode_text(form.arguments),
        agent=form.agent,
        tenant=form.tenant,
        texts=Texts(said, read) if form.said else Texts(None, None),
    )


def _missed(decision: Decision, expect: ExpectForm) -> Iterator[str]:
    failed = {reason.rule for reason in decision.reasons}
    why = (
        "; ".join(f"{reason.rule}: {reason.text}" for reason in decision.reasons) or "no rule fails"
    )
    if expect.decision is not None and decision.outcome != expect.decision:
        yield f"decided {decision.outcome}, not {expect.decision}: {why}"
    if expect.score is not None and decision.score != expect.score:
        yield f"the score is {decision.score}, not {expect.score}: {why}"
    if expect.at_least is not None and decision.score < expect.at_least:
        yield f"the score is {decision.score}, less than {expect.at_least}: {why}"
    if expect.at_most is not None and decision.score > expect.at_most:
        yield f"the score is {decision.score}, more than {expect.at_most}: {why}"
    yield from (f"{rule} does not fail: {why}" for rule in expect.rules if rule not in failed)
    yield from (f"{rule} fails: {why}" for rule in expect.not_rules if rule in failed)


_INNER: dict[str, type[_Part]] = {"cases": CaseForm, "call": CallForm, "expect": ExpectForm}


def _known(loc: Place) -> Iterator[str]:
    found: type[_Part] = CasesForm
    for part in loc:
        found = _INNER.get(str(part), found)
    yield from found.model_fields
