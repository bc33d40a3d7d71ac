"""An agent is built under a name that nothing ever reads.

No other agent hands over to it, no run starts with it, no group holds it: its instructions and its
tools look as if they mattered, and they do not. Most often a line that wired it was lost.

Proof is the name alone: the call that builds the agent is assigned to one name, and no line of the
function (for a variable of a function) or of the whole target (for a name of a module) has that
word again, not even in a comment. Left out are names by which frameworks load agents (`root_agent`,
`agent`, `graph`, `app` and the like), exports, and files in which no agent is run or held at all,
which only show how one is built. A module's name may be read by a setting that is no Python, so the
finding is for careful readers. One finding a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Hit,
    Place,
    S,
    code_kind,
    fine,
    last_name,
    lazy_re,
    primary,
    related,
)

__all__ = ["CARD", "Gathered", "check", "conclude", "gather"]

CARD = Card(
    code="AC506",
    topic="unreachable-agent",
    title="An agent is built that nothing can reach",
    question="Is every agent handed to, run, or held by something?",
    severity="low",
    confidence="medium",
    at_stake="An agent that somebody wrote instructions for must be one that can answer.",
    consequence="What it was meant for is answered by another agent, or by none, and changes to "
    "its instructions change nothing.",
    owner="whoever wires the agents",
    smallest_change="Hand over to it, run it, or delete it.",
    could_break="Nothing, unless something outside the code loads it by its name.",
    acceptance="{owner} is reached from a run or is gone.",
    persona="pedantic",
    tags=("correctness",),
)
_LOADED = frozenset(
    "root_agent agent graph app workflow assistant main_agent default_agent agent_executor bot "
    "chatbot crew team supervisor chain runnable server api _".split()
)
_LOOKED = (
    "the name on every other line: handoffs, runs, groups, exports, decorators",
    "names by which frameworks load agents",
    "ways to read names that are not spelled out: locals(), globals(), star imports",
)
_WORD = lazy_re(r"\w+")
_HIDDEN = frozenset({"locals", "globals", "vars", "getattr", "eval", "exec", "import_module"})


Read: TypeAlias = Literal["yes", "no", "nowhere-here"]
"""Whether a name is read: "nowhere-here" where another part of the target may read it."""


class Named(Struct):
    """An agent under a variable of its own."""

    name: str
    variable: str
    place: Place
    read: Read


class Gathered(Struct):
    """The agents of a part, the files of it in which others are made or run, and its words."""

    agents: list[Named]
    used: list[str]
    words: str


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an agent under a name of its own, the dead ones of a file together."""
    return conclude([gather(graph)])


def gather(graph: AgentGraph) -> Gathered:
    """The agents of a part of the target under names of their own, and the words in its files."""
    named = [
        (agent, name)
        for agent in graph.agents
        if code_kind(agent.site.fn.file.path) != "test" and (name := _name(agent)) is not None
    ]
    texts = {f.path: "\n".join(f.lines) for f in graph.program.files.values() if named}
    found = [
        Named(agent.name, name, agent.site.place, _read(agent, name, texts))
        for agent, name in named
    ]
    used = {run.site.fn.file.path for run in graph.runs}
    known = {id(agent) for agent, _ in named}
    used |= {agent.site.fn.file.path for agent in graph.agents if id(agent) not in known}
    return Gathered(found, sorted(used), _words(graph))


def _words(graph: AgentGraph) -> str:
    """The words in the files of a part, one a line; none where that is the whole target."""
    files = graph.program.files
    if len(files) == len(graph.program.layout.paths):
        return ""
    return "\n".join(sorted({w for f in files.values() for w in _WORD.findall("\n".join(f.lines))}))


def conclude(parts: Sequence[Gathered]) -> Iterator[Assessment]:
    """Every agent whose name something reads, and the dead ones of each file together."""
    open_names = {a.variable for p in parts for a in p.agents if a.read == "nowhere-here"}
    having = _having(open_names, [part.words for part in parts])
    for number, part in enumerate(parts):
        elsewhere = {name for name, numbers in having.items() if numbers - {number}}
        dead: dict[str, list[Named]] = {}
        used = set(part.used)
        for agent in part.agents:
            if agent.read == "yes" or (agent.read != "no" and agent.variable in elsewhere):
                here = related(agent.place, "its name is read elsewhere")
                used.add(agent.place.file)
                yield fine(agent.name, "met", "something reads its name", here)
            else:
                dead.setdefault(agent.place.file, []).append(agent)
        yield from (_hit(agents) for path, agents in dead.items() if path in used)


def _having(names: set[str], texts: Iterable[str]) -> dict[str, set[int]]:
    """For each of some names, the numbers of the lists of words that it stands in."""
    found: dict[str, set[int]] = {name: set() for name in names}
    for number, text in enumerate(texts) if names else ():
        for name in names.intersection(text.split("\n")):
            found[name].add(number)
    return found


def _name(agent: Agent) -> str | None:
    """The one name that the call is assigned to; None where it is kept in another way."""
    stmt, kind = agent.site.at.stmt, agent.data
    if not isinstance(stmt, S.Assign) or stmt.value is not agent.call or len(stmt.targets) != 1:
        return None
    target, fn = stmt.targets[0], agent.site.fn
    made = last_name(agent.call.func) or ""
    known = kind is not None and not kind.is_group
    plain = isinstance(target, E.Name) and target.id not in _LOADED
    if not known or not plain or fn.file.kind != "python" or made.startswith("create_team"):
        return None
    return target.id if isinstance(target, E.Name) else None


def _read(agent: Agent, name: str, texts: Mapping[str, str]) -> Read:
    """Whether the name stands anywhere else that could read it, or is read in a hidden way."""
    fn = agent.site.fn
    span = fn.facts.span
    lines = fn.file.lines if fn.index == 0 else fn.file.lines[span.line - 1 : span.end_line]
    text = _WORD.findall("\n".join(lines))
    if text.count(name) > 1 or _HIDDEN.intersection(text):
        return "yes"
    if fn.index != 0:
        return "no"
    word = re.compile(rf"\b{re.escape(name)}\b")
    here = fn.file.path.endswith("__init__.py") or any(
        name in text and word.search(text) for path, text in texts.items() if path != fn.file.path
    )
    return "yes" if here else "nowhere-here"


def _hit(agents: list[Named]) -> Assessment:
    first = min(agents, key=lambda a: a.place)
    others = [a for a in agents if a is not first]
    more = f", nor does anything read those of {len(others)} more" if others else ""
    local = first.read == "no"
    hit = Hit(
        message=f"Nothing reads the name of the agent `{first.name}`{more}: it cannot be reached.",
        owner=first.name,
        confidence="high" if local else None,
        failure_path=(
            f"a request comes that `{first.name}` was written for",
            "no agent hands over to it and no run starts with it",
            "another agent answers, or none",
        ),
        challenge=Challenge("upheld" if local else "weakened", _LOOKED),
        names={"owner": first.name},
    )
    evidence = (
        primary(first.place, "nothing reads the name that this is given"),
        *(related(a.place, "nor the name of this one") for a in others[:4]),
    )
    return Assessment(
        subject=first.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )
