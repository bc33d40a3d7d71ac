"""Two logs of a form of their own, events and steps, and how they are read and audited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_line import Done, Here
from tests.trace_samples import Json

from agentcheck.config import load_settings
from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.read import read_runs
from agentcheck.trace.reading import Reading

KEYS = """\
[trace.formats.deskbot]
run = "/session"
kind = "/ev"
time = "/at"
agent = "/who"
text = ["/data/say", "/data/heard"]
model = "/data/llm"
finish = "/data/why"
finish-reasons = { act = "tool_call", cap = "length", done = "stop" }
input-tokens = "/data/tok/0"
output-tokens = "/data/tok/1"
tool = "/data/fn"
arguments = "/data/with"
call-id = "/data/ref"
result = "/data/got"
error = "/data/ok"
error-values = [false]
duration = "/data/ms"
duration-unit = "milliseconds"
to-agent = "/data/to"
approval = "/data/verdict"
approvals = { "thumbs up" = "granted" }
guardrail = "/data/guard"
triggered = "/data/hit"
status = "/data/how"
"""
KINDS = """\
[trace.formats.deskbot.kinds]
heard = "user"
thought = "model-call"
asked = "tool-call"
came = "tool-result"
passed = "handoff"
signed = "approval"
screened = "guardrail"
shrunk = "compaction"
left = "end"
beat = "ignore"
"""
PLANNER = """\
[trace.formats.planner]
steps = "/trace"
run = "/id"
workflow = "/bot"
task = "/question"
answer = "/answer"
status = "/success"
text = "/thought"
tool = "/action/name"
arguments = "/action/input"
result = "/observation"
"""


def event(ev: str, session: str = "s", **data: Any) -> Json:
    return {"session": session, "ev": ev, "at": 1_770_000_000, "who": "desk", "data": data}


def thought(say: str = "", why: str = "act", **more: Any) -> Json:
    return event("thought", say=say, llm="gpt-4o", why=why, tok=[100, 10], **more)


def asked(fn: str, ref: str = "1", **given: Any) -> Json:
    data: Json = {"fn": fn, "ref": ref, "with": given}
    return event("asked", **data)


def came(got: str, ref: str = "1", **more: Any) -> Json:
    return event("came", ref=ref, got=got, ok=True, ms=40, **more)


def looked_up(ref: str, title: str = "Dune", got: str = "nothing") -> list[Json]:
    return [thought(), asked("find_book", ref, title=title), came(got, ref)]


def reading(folder: Path, text: str = KEYS + KINDS) -> Reading:
    (folder / "agentcheck.toml").write_text(text, "utf-8")
    return Reading(load_settings(folder).formats)


def found(path: Path, text: str = KEYS + KINDS) -> tuple[list[Run], list[str]]:
    """The runs of a file and why the rest of it could not be read."""
    told = list(read_runs(path, None, reading(path.parent, text)))
    why = [one.why for one in told if isinstance(one, Skipped)]
    return [one for one in told if isinstance(one, Run)], why


def only(path: Path, text: str = KEYS + KINDS) -> Run:
    runs, why = found(path, text)
    assert why == []
    [run] = runs
    return run


def audit(here: Here, path: Path, *more: str, text: str = KEYS + KINDS) -> Done:
    config = path.parent / "agentcheck.toml"
    config.write_text(text, "utf-8")
    return here("trace", path, "--config", config, "--output-format", "json", *more)


def rules(done: Done) -> dict[str, list[str]]:
    """The findings of a report by rule, with where the runs show each."""
    found = json.loads(done.out)["findings"]
    return {finding["rule"]: finding["trace"]["records"] for finding in found}
