"""A drafted policy as YAML that a person can read, correct and fill in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from agentcheck.model.pattern import lazy_re
from agentcheck.report.escape import one_line, well_formed
from agentcheck.report.words import plural
from agentcheck.whatif.policy.constitution import constitution
from agentcheck.whatif.policy.draft import Drafted
from agentcheck.whatif.policy.form import Does

_PLAIN = lazy_re(r"[A-Za-z_][\w-]*")
_RESERVED = frozenset({"null", "true", "false", "y", "n", "yes", "no", "on", "off"})
_HEADS: dict[Does, str] = {
    "reads": "They only read: they run unasked.",
    "handoff": "They hand over to another agent: they run unasked.",
    "unknown": "Nothing tells what they do: look, and say so.",
    "change": "They change something.",
    "message": "They send messages.",
    "code": "They run code or commands.",
    "destructive": "They destroy something.",
    "money": "They move money.",
}


def policy_text(tools: Sequence[Drafted], source: str, *, strict: bool = False) -> str:
    """The policy as YAML; `source` says what it was drafted from."""
    return "\n".join(_lines(tools, source, strict=strict)) + "\n"


def _lines(tools: Sequence[Drafted], source: str, *, strict: bool) -> Iterator[str]:
    yield from _head(source)
    yield "tools:" if tools else "tools: {}  # no tool was found"
    for does, group in groupby(tools, key=lambda tool: tool.does):
        yield f"  # {_HEADS[does]}"
        for tool in group:
            yield from _tool(tool, strict=strict)
    yield ""
    yield from _tenants(tools)
    yield ""
    yield from _RULES
    yield from _constitution()


def _head(source: str) -> Iterator[str]:
    yield f"# A policy for tool calls, drafted from {_note(source)}."
    yield "# What is not named here may not be called. Read every line before you rely on it."
    yield from _ABOUT
    yield "version: 1"
    yield "threshold: 60  # the risk score, of 100, from which on a person is asked"
    yield "unknown_tools: reject"
    yield ""


def _tool(tool: Drafted, *, strict: bool) -> Iterator[str]:
    told = [tool.why]
    if tool.calls is not None:
        told.append(f"{plural(tool.calls, 'call')} recorded")
    if tool.gate is not None:
        told.append(f"the code asks: {tool.gate}")
    ask, note = tool.ask(strict=strict), _note("; ".join(told))
    if ask == "never":
        yield f"  {_key(tool.name)}: {{does: {tool.does}, ask: never}}  # {note}"
        return
    yield f"  {_key(tool.name)}:  # {note}"
    yield f"    does: {tool.does}"
    yield f"    ask: {ask}"
    if tool.amount is not None:
        limit = f"{{argument: {_key(tool.amount)}, most: 0}}"
        yield f"    limit: {limit}  # fill in: up to how much nobody is asked"


def _tenants(tools: Sequence[Drafted]) -> Iterator[str]:
    yield "# Who may call what. A call is asked about when its tool or its tenant says so. This"
    yield "# entry shows the form; what it allows is every tool above."
    yield "tenants:"
    yield "  example:"
    yield "    allow:" if tools else "    allow: []"
    yield from (f"      - {_key(tool.name)}" for tool in tools)
    yield "    ask: []"


def _constitution() -> Iterator[str]:
    yield "# Rules about the text of calls; block, warn or off."
    yield "constitution:"
    yield "  severities:"
    yield from (f"    {rule.name}: {rule.severity}  # {rule.says}" for rule in constitution())


def _key(name: str) -> str:
    """A name as a key or value of YAML, in quotes where it could be read as something else."""
    if _PLAIN.fullmatch(name) and name.isascii() and name.lower() not in _RESERVED:
        return name
    return f'"{"".join(map(_escaped, well_formed(name)))}"'


def _escaped(char: str) -> str:
    """A character within double quotes of YAML, which has no pairs of surrogates as JSON has."""
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable() or char == " ":
        return char
    return f"\\U{ord(char):08x}"


def _note(text: str) -> str:
    """A text as it can stand in a comment."""
    return one_line(well_formed(text))[:200]


_ABOUT = (
    "#",
    "# ask: always - a person approves every call;",
    "#      tainted - where an argument holds what a tool returned and nobody said: an address out",
    "#                of a web page, an account out of a mail;",
    "#      never - it runs.",
)
_RULES = (
    "# Conditions on arguments in CEL: where `when` holds, `require` must. A failed rule adds its",
    "# weight to the risk score and asks a person, or rejects. For example:",
    "#   - name: reason-given",
    "#     tools: [issue_refund]",
    "#     when: args.amount > 50.0",
    "#     require: has(args.reason) && size(args.reason) > 10",
    "#     weight: 30",
    "#     on_fail: human",
    "#     message: a refund over 50 needs a reason",
    "rules: []",
    "",
)
