"""Personal data and keys stand in records in plain text.

Records of runs are kept longer and read by more people than the data they were made from. What
counts in a run: an e-mail address, a telephone number or an IBAN in a tool's result, for it came
out of a system of record; and anywhere the number of a payment card or the shape of a long-lived
key. Cards and IBANs count only where their check digits fit, cards besides only where they are
written in groups or under their name; telephone numbers where their international form is in use,
or under their name. What users write of themselves is not counted.

In code, what counts is a prompt or a reply that is written to a log at info level or above, to a
log file, or, beside a logger, to the console. It counts for certain where the value can be
followed to a model call; by its name alone it is told to pedantic readers only. The number of
messages, their tokens and their ids are no content. Debug level, and a switch for debugging or
for content around the line, are the operator's choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    code_kind,
    fine,
    function_asks,
    primary,
    related,
)
from agentcheck_rules.records._content import Content
from agentcheck_rules.records._run_content_logged import check_run, usual_run
from agentcheck_rules.records._sinks import Line, written

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC851",
    topic="content-logged",
    title="Personal data is recorded in plain text",
    question="Are the records of runs free of personal data and keys in plain text?",
    severity="medium",
    confidence="medium",
    at_stake="Records of runs must not become a second place where personal data leaks from.",
    consequence="Whoever reads the traces reads customers' data, and deletion requests miss them.",
    owner="whoever owns the recording of runs",
    smallest_change="Mask addresses and keys before a record is written, or record without "
    "content and turn content on for single runs.",
    could_break="Evaluations that read the masked values from records.",
    acceptance="A scripted tool that returns an e-mail address and a key leaves neither in what "
    "{owner} records.",
    tags=("privacy",),
)

_SHOWN = 5
_PLACES = {"log": "the log", "console": "the console", "file": "a log file"}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that writes prompts or replies, by all its lines that do."""
    content = Content(graph)
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test":
            yield from _function(graph, content, fn)


def _function(graph: AgentGraph, content: Content, fn: Fn) -> Iterator[Assessment]:
    sure, named, quiet = list[Line](), list[Line](), list[Line]()
    for line in written(graph, fn):
        traced = any(content.is_traced(part, fn) for part in line.parts)
        if line.level == "debug":
            quiet += [line] if traced else []
        elif line.where == "console" and not _is_service(graph, fn):
            continue
        elif traced and line.where != "console":
            sure.append(line)
        elif traced or any(content.is_named(part, fn) for part in line.parts):
            named.append(line)
    if sure or named:
        yield _hit(fn, sure, named)
    elif quiet:
        here = related(quiet[0].site.place, "content is written at debug level only")
        yield fine(fn.qualname, "met-differently", "Content needs the debug level.", here)


def _is_service(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a program that prints is no dialogue: it has a logger, and asks nobody."""
    if code_kind(fn.file.path) != "code" or fn.index == 0:
        return False
    logs = any(
        "logger" in (i.name or i.module).lower() or i.module in ("logging", "structlog", "loguru")
        for i in fn.file.imports
    )
    return logs and not function_asks(graph.calls, fn, 1)


def _hit(fn: Fn, sure: Sequence[Line], named: Sequence[Line]) -> Assessment:
    owner, lines = fn.qualname, sorted([*sure, *named], key=lambda line: line.site.place)
    first = (sure or lines)[0]
    failed = all(line.level in ("error", "warning") for line in lines)
    example = code_kind(fn.file.path) == "example"
    where = _PLACES[first.where]
    count = f" in {len(lines)} places" if len(lines) > 1 else ""
    hit = Hit(
        title="Prompts or replies are written out in full",
        message=f"`{owner}` writes what a model is asked or answers to {where}{count}.",
        owner=owner,
        severity="medium" if sure and not failed else "low",
        confidence="medium" if sure else "low",
        persona="regular" if sure and not (failed or example) else "pedantic",
        failure_path=(
            "a user's text, or what a tool looked up, becomes part of a conversation",
            f"`{owner}` writes it to {where} at the level that production keeps",
            "it is kept and read where nobody expects personal data",
        ),
        challenge=Challenge(
            "upheld" if sure else "weakened",
            ("a debug level or a switch", "a mask around the value", "only lengths and ids"),
        ),
        smallest_change="Write lengths, ids and token counts; keep the text for the debug level.",
        acceptance="With a scripted reply that holds an address, {owner} writes none of it at "
        "info level.",
        names={"owner": owner},
    )
    says = "the text of a conversation is written here"
    evidence = [primary(first.site.place, says)]
    others = [line for line in lines if line is not first][:_SHOWN]
    evidence += [related(line.site.place, "and here") for line in others]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
