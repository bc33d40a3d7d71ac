"""A tool opens, writes or deletes the file of a path that the model chose, wherever that leads.

Whoever can put a sentence before the model can then have it read keys, or write over start-up
files and the program itself. A path joined to a folder is no better: `..` leaves the folder, and
an absolute path replaces it.

Followed are the arguments of tools, and of calls that the target dispatches itself, through joins,
helpers and callers to `open`, `pathlib`, `os` and `shutil`. Met where something on that way, in a
helper, a wrapper or the class around it tests the path: `is_relative_to`, `commonpath`, a test for
`..`, the bare name, a list of names, a helper named for such a test; and where a person is asked.
Reading is told to careful readers only, and so is a name between a fixed folder and a fixed ending.
An agent with a shell of its own beside the tool can do all this anyway, so there the finding is
for careful readers too. One finding a file.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Hit,
    Verdict,
    fine,
    gates_in,
    primary,
    related,
)
from agentcheck_rules.tools._confined import confined
from agentcheck_rules.tools._paths import Touch, path_parts, touches
from agentcheck_rules.tools._shell_near import shell_near
from agentcheck_rules.tools._written import Trail, Written

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC312",
    topic="unconfined-path-tool",
    title="A tool touches whatever file the model names",
    question="Is every path that a model gives a tool kept inside a folder meant for it?",
    severity="high",
    confidence="medium",
    remedy_confidence="high",
    at_stake="A tool for some files must not reach all of them.",
    consequence="A sentence in a text that the model reads has it write over settings, start-up "
    "files or code, delete them, or read keys out to it.",
    owner="whoever owns the tool",
    smallest_change="Resolve the path against the tool's folder, and refuse it unless the result "
    "`is_relative_to` that folder.",
    could_break="Calls that reached files outside that folder on purpose.",
    acceptance="{owner} called with `../outside.txt`, and with an absolute path, touches nothing "
    "and tells the model that the path was refused.",
    tags=("security", "injection"),
)
_LOOKED = (
    "a test that the path stays in a folder, in the tool, its helpers, wrappers and classes",
    "a list of names, or only the bare name taken",
    "a person or an approval asked first",
    "a shell that the same agent has anyway",
)


class _Open(Struct, frozen=True, eq=False):
    touch: Touch
    written: Written

    @property
    def is_minor(self) -> bool:
        """Whether it only reads, or the model chooses only a part of the name."""
        return self.touch.does == "reads" or "suffixed" in self.written.made


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool whose path is confined, one a file with tools whose paths are not."""
    trail, by_file = Trail(graph, path_parts), dict[str, list[_Open]]()
    for touch in touches(graph):
        found = trail.back(touch.path, touch.site.fn)
        if not found or not _is_sure(graph, trail, touch):
            continue
        seen = _fine(graph, touch, found[0])
        if seen is not None:
            yield seen
        else:
            by_file.setdefault(touch.site.fn.file.path, []).append(_Open(touch, found[0]))
    for path, opens in by_file.items():
        yield _hit(sorted(opens, key=lambda o: o.is_minor), shell=shell_near(graph, path))


def _is_sure(graph: AgentGraph, trail: Trail, touch: Touch) -> bool:
    """What is deleted may be a copy made on one branch; then no value of the name tells."""
    path, fn = touch.path, touch.site.fn
    if touch.does != "deletes" or not isinstance(path, E.Name):
        return True
    values = [b.expr for b in graph.program.scope(fn).get(path.id, ()) if b.how == "value"]
    return all(v is None or isinstance(v, E.Const) or trail.back(v, fn) for v in values)


def _fine(graph: AgentGraph, touch: Touch, written: Written) -> Assessment | None:
    owner, here = written.first.qualname, related(touch.site.place, f"the tool {touch.does} a file")
    test = confined(graph, touch, written)
    if test is not None:
        return fine(owner, "met", "the path is confined", here, test)
    gate = next(gates_in(graph, written.first, "tool"), None)
    if gate is not None:
        return fine(owner, "met-differently", "asked first", here, related(gate.place, gate.says))
    if any(t.fn is written.first and t.approval in ("yes", "maybe") for t in graph.tools):
        return fine(owner, "met-differently", "the framework's approval switch is on", here)
    words = f"{touch.site.fn.file.path} {touch.site.fn.qualname} {owner}".lower()
    if any(word in words for word in ("sandbox", "docker", "container")):
        return fine(owner, "cannot-tell", "it may run in a sandbox", here)
    return None


def _hit(opens: list[_Open], *, shell: CodeEvidence | None) -> Assessment:
    first, others = opens[0], opens[1:]
    owner, does = first.written.first.qualname, first.touch.does
    owners = list(dict.fromkeys(o.written.first.qualname for o in others))
    more = [name for name in owners if name != owner]
    minor = first.is_minor or shell is not None
    beside = f" So do {len(more)} more of this file." if len(more) > 1 else ""
    beside = f" So does `{more[0]}`." if len(more) == 1 else beside
    hit = Hit(
        message=f"`{owner}` {does} the file of any path that the model gives as "
        f"`{first.written.name}`.{beside}",
        owner=owner,
        severity="low" if minor else None if _is_whole(first.written) else "medium",
        confidence="low" if shell is not None else None,
        persona="pedantic" if minor else None,
        failure_path=(
            "a text that the model reads names a file elsewhere, with `..` or an absolute path",
            f"the model calls `{owner}` with it",
            f"nothing tests where it leads, and the tool {does} that file",
        ),
        challenge=Challenge("weakened" if minor else "upheld", _LOOKED),
        names={"owner": owner, "tool": owner},
    )
    evidence = [
        primary(first.touch.site.place, f"the tool {does} the file here"),
        related(first.written.place, f"the model chooses `{first.written.name}`"),
        *(related(o.touch.site.place, f"this one {o.touch.does} a file") for o in others[:5]),
        *([shell] if shell is not None else []),
    ]
    verdict: Verdict = "partly" if minor else "not-met"
    return Assessment(
        subject=owner, verdict=verdict, why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _is_whole(written: Written) -> bool:
    return not written.made
