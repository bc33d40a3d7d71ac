"""Which scenario shows a finding by running: by its topic, and by how a test can drive the code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Part(NamedTuple):
    """A part of a test file: the template, and the name of a fact without which it is left out.

    Where `value` is given, the fact must have that value; `without` is a fact there may not be.
    """

    template: str
    needs: str = ""
    value: str = ""
    without: str = ""

    def holds(self, names: Mapping[str, str]) -> bool:
        """Whether the names allow it."""
        if not self.needs:
            return self.without not in names
        return names.get(self.needs, "") == self.value if self.value else self.needs in names


class Scenario(NamedTuple):
    """The test of a topic for one shape of code: its file is `parts` one after the other."""

    topic: str
    shape: str
    parts: tuple[Part, ...]


def _of(topic: str, shape: str, *more: Part) -> Scenario:
    return Scenario(topic, shape, (Part(f"{shape}/{topic}"), *more))


# Topics whose test is one template, for functions that ask a model and for tools by themselves.
ENTRY_ALONE = (
    "unknown-tool-crashes",
    "empty-content-unguarded",
    "choices-unguarded",
    "reply-parsed-unguarded",
    "parallel-calls-dropped",
    "denied-call-unanswered",
    "retry-unbounded",
    "refusal-retried",
    "tool-choice-never-released",
    "approval-by-default",
    "approval-kept-by-name",
    "provider-error-unhandled",
    "content-logged",
    "tool-content-logged",
    "tool-output-as-instructions",
    "unbounded-context",
    "compaction-drops-system",
    "history-cut-splits-calls",
)
TOOL_ALONE = (
    "unconfined-path-tool",
    "unconfined-url-tool",
    "shell-or-eval-tool",
    "approval-by-default",
    "tool-blocks-event-loop",
)
SCENARIOS = (
    _of(
        "unbounded-loop",
        "runner",
        Part("runner/unbounded-loop-unit", "limit_param"),
        Part("runner/unbounded-loop-session", "session"),
    ),
    _of("no-budget", "runner"),
    _of("usage-unread", "runner"),
    _of("finish-reason-unchecked", "runner"),
    _of("tool-args-unguarded", "runner"),
    Scenario(
        "tool-error-ends-run",
        "runner",
        (
            Part("runner/tool-error-ends-run", without="refuses"),
            Part("runner/tool-error-ends-run-result", "refuses"),
        ),
    ),
    _of("unguarded-side-effect", "runner"),
    _of("handoff-race", "runner"),
    _of("streaming-drift", "runner"),
    _of(
        "provider-error-unhandled",
        "runner",
        Part("runner/provider-error-unhandled-session", "session"),
    ),
    _of(
        "lossy-tool-schema",
        "runner",
        Part("runner/lossy-tool-schema-types", "lost", "types"),
        Part("runner/lossy-tool-schema-namesakes", "lost", "names"),
    ),
    _of("no-timeout", "runner"),
    _of("falsy-override-ignored", "runner"),
    _of("untyped-history", "runner"),
    _of("unbounded-loop", "entry"),
    _of("no-budget", "entry"),
    _of("usage-unread", "entry"),
    _of("finish-reason-unchecked", "entry"),
    _of("tool-args-unguarded", "entry"),
    _of("tool-error-ends-run", "entry"),
    _of("unguarded-side-effect", "entry"),
    *(_of(topic, "entry") for topic in ENTRY_ALONE),
    Scenario("recursion-unbounded", "entry", (Part("entry/unbounded-loop"),)),
    Scenario("shared-history", "entry", (Part("entry/shared-history", without="kind"),)),
    *(_of(topic, "tool") for topic in TOOL_ALONE),
    _of("no-timeout", "tool"),
    _of("tool-returns-nothing", "tool"),
    _of("unguarded-side-effect", "tool"),
    _of("missing-import-target", "module"),
)
ALONE = frozenset({"tool", "agent", "module"})
TOPICS = tuple(dict.fromkeys(scenario.topic for scenario in SCENARIOS))


def scenario_for(topic: str, shape: str) -> Scenario | None:
    """The scenario of a topic for a shape; where it has none, its first, for a person to fill in.

    None where no run can show the topic, or none that is about one tool or file alone.
    """
    own = [scenario for scenario in SCENARIOS if scenario.topic == topic]
    fitting = next((scenario for scenario in own if scenario.shape == shape), None)
    if fitting is not None or shape in ALONE:
        return fitting
    return own[0] if own else None
