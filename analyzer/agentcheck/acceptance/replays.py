"""Recorded runs as pytest files: each replays the replies of a run against today's code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from agentcheck.acceptance.generate import comment, filled, relative, write
from agentcheck.acceptance.names import import_path, is_dotted, is_identifier, literal
from agentcheck.acceptance.recording import NotReplayableError, recording_of, starting_agent
from agentcheck.acceptance.stage_replay import replay_names
from agentcheck.acceptance.values import pairs, plain, tuple_of, wiring
from agentcheck.graph.agents import AgentGraph
from agentcheck.model.event import Run

NO_CODE = "where the code is: give its folder beside --from-trace"
NO_AGENT = "the agent that the run began with, and how it is run"


def write_replays(
    runs: Iterable[Run], graph: AgentGraph | None, root: Path | None, out: Path
) -> tuple[list[Path], list[str]]:
    """Write a test file and its record for each run; the files, and what could not be replayed.

    `root` is the scanned folder that `graph` is of. Raises OSError where `out` cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    written, left = [], []
    for run in runs:
        try:
            record = recording_of(run)
        except NotReplayableError as error:
            left.append(f"{run.file}#{run.index}: {error}")
            continue
        path = out / f"{_stem(run)}.py"
        write(path.with_suffix(".json"), json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        write(path, _source(run, record, graph, relative(root, out) if root else None))
        written.append(path)
    return written, left


def _stem(run: Run) -> str:
    words = re.sub(r"[^0-9a-zA-Z]+", "_", run.id).strip("_").lower()[:40] or "run"
    mark = sha256(f"{run.file}#{run.index}".encode()).hexdigest()[:6]
    return f"test_replay_{words}_{mark}"


def _source(run: Run, record: dict[str, Any], graph: AgentGraph | None, target: str | None) -> str:
    called = {call["name"] for reply in record["replies"] for call in reply.get("calls", ())}
    names = replay_names(graph, starting_agent(run), called) if graph is not None else {}
    values = {"head": _head(run, record), **_values(names)}
    values["target"] = f"Path(__file__).parent / {literal(target)}" if target else "Path.cwd()"
    shape = names.get("shape", "")
    if shape not in ("runner", "framework") or "agent" not in values:
        wanted = NO_CODE if graph is None else NO_AGENT
        values["wanted"] = literal(f"a person must fill in: {wanted}")
        return filled("replay/not-shown", values)
    values["setup"] = filled(f"replay/{shape}", values).strip()
    return filled("replay/replay", values)


def _head(run: Run, record: dict[str, Any]) -> str:
    lines = [
        "# Regression test written by agentcheck from a recorded run. It needs no network or key.",
        "# It fails where today's code does something else with the replies that the model gave.",
        "#",
        *comment(f"Run: {run.id} ({run.file}#{run.index}, {run.format})"),
        *comment(f"Asked: {record['question']}"),
    ]
    if record["more"]:
        lines.append("# The record goes on after this: only the first question is replayed.")
    return "\n".join(lines)


def _values(names: dict[str, str]) -> dict[str, str]:
    """The values that are safe to write; what is no identifier is left out."""
    made = {
        "tools": tuple_of(f"({literal(n)}, {literal(p)})" for n, p in pairs(names.get("tools", "")))
    }
    singles = ("runner", "run", "agent")
    dotted = ("module", "agent_module", "agent_class")
    made |= {key: names[key] for key in singles if is_identifier(names.get(key, ""))}
    made |= {key: names[key] for key in dotted if is_dotted(names.get(key, ""))}
    if "agent_class" in made:
        module, _, kind = made["agent_class"].rpartition(".")
        made |= {"class_module": module, "class_import": kind}
    made["framework"] = plain(names.get("framework", ""), "")
    made["import_path"] = import_path(names.get("import_root", "."))
    made["agent_path"] = import_path(names.get("agent_root", "."))
    if names.get("shape") == "runner":
        given = {key: value for key, value in names.items() if is_identifier(value)}
        made["wiring"] = wiring(given, given)
    return made
