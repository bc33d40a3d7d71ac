"""A tool executes SQL that the model wrote, or into which its words were put as text.

A statement of the model's own may drop a table as well as read one; a value put between quotes
ends them and goes on as a statement. What the tool was meant for does not matter: its connection
may do all that its user may.

Followed are the arguments of tools into `execute`, `read_sql` and the like of the usual drivers,
through f-strings, `format`, concatenation and helpers. Values given as parameters are none of it.
Met where the text is tested on its way or by a helper named for that, where the file speaks of a
connection that only reads, and where somebody is asked. A block list is shown as a test: whether it
suffices is not judged. Where only a name or a value is put into a statement that the program wrote,
the finding is a lesser one. One finding a tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    Verdict,
    fine,
    gates_in,
    primary,
    related,
)
from agentcheck_rules.tools._sql import Run, executed, limited, names_sql, sql_parts
from agentcheck_rules.tools._written import Trail, Written

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC314",
    topic="sql-from-model",
    title="A tool executes SQL that the model wrote",
    question="Is SQL that a model writes limited to what the tool is for?",
    severity="high",
    confidence="medium",
    remedy_confidence="high",
    at_stake="Who can talk to the model must not be able to change or read all of a database.",
    consequence="A sentence in a text that the model reads has it delete rows, drop tables or read "
    "what belongs to other people.",
    owner="whoever owns the tool",
    smallest_change="Give values as parameters; where the model must write whole statements, open "
    "the connection read-only, with a user that sees only the tables meant for it.",
    could_break="Statements that wrote on purpose.",
    acceptance="{owner} called with a statement that deletes a row leaves the row, and the model "
    "is told that it was refused.",
    tags=("security", "injection"),
)
_LOOKED = (
    "a test of the statement, in the tool and its helpers",
    "a read-only connection or transaction in the files on the way",
    "values given as parameters",
    "a person or an approval asked first",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool whose SQL the model writes or has a part in."""
    trail, told = Trail(graph, sql_parts), set[object]()
    for run in executed(graph):
        found = sorted(trail.back(run.statement, run.site.fn), key=lambda w: bool(w.made))
        if not found or found[0].first in told or not names_sql(graph, run, found[0]):
            continue
        said = _fine(graph, run, found[0]) or _hit(run, found[0])
        if said.hit is not None:
            told.add(found[0].first)
        yield said


def _fine(graph: AgentGraph, run: Run, written: Written) -> Assessment | None:
    owner, here = written.first.qualname, related(run.site.place, "the statement is executed")
    seen = limited(graph, run, written)
    if seen is not None:
        return fine(owner, "met", seen[0], here, seen[1])
    gate = next(gates_in(graph, written.first, "tool"), None)
    if gate is not None:
        return fine(owner, "met-differently", "asked first", here, related(gate.place, gate.says))
    if any(t.fn is written.first and t.approval in ("yes", "maybe") for t in graph.tools):
        return fine(owner, "met-differently", "the framework's approval switch is on", here)
    return None


def _hit(run: Run, written: Written) -> Assessment:
    owner, put_in = written.first.qualname, bool(written.made)
    message = (
        f"`{owner}` puts `{written.name}`, which the model writes, into a statement as text."
        if put_in
        else f"`{owner}` executes the SQL that the model gives as `{written.name}`."
    )
    hit = Hit(
        title="A tool puts the model's words into SQL as text" if put_in else None,
        message=message,
        owner=owner,
        severity="medium" if put_in else None,
        failure_path=(
            "a text that the model reads asks for another statement",
            f"the model calls `{owner}` with it",
            "nothing tests the text, and the connection may do all that its user may",
        ),
        challenge=Challenge("upheld", _LOOKED),
        smallest_change="Give the value as a parameter; take a table's or a column's name from a "
        "fixed list."
        if put_in
        else None,
        names={"owner": owner, "tool": owner},
    )
    evidence = (
        primary(run.site.place, "the statement is executed here"),
        related(written.place, f"the model writes `{written.name}`"),
    )
    verdict: Verdict = "partly" if put_in else "not-met"
    return Assessment(subject=owner, verdict=verdict, why=message, evidence=evidence, hit=hit)
