"""A key, a password or a token is put where the model can read it.

What stands in a prompt or in a tool's result goes to the provider, into traces and logs, and out
again as soon as somebody asks the model for it. A secret belongs in the code that uses it, behind
the tool, and not in what is read by the model.

Reported are values that are read from the environment or a configuration under the name of a
secret and go into a system prompt, into the content of a message, or into what a tool returns,
also as part of a URL in its error text. A parameter that only bears such a name is told to
pedantic readers. Masked values, whether one is set, and secrets that go into headers or clients
are none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Fn,
    Hit,
    Piece,
    Pieces,
    Place,
    code_kind,
    last_name,
    primary,
    related,
    string,
    system_prompts,
)
from agentcheck_rules.context._put_in import shown
from agentcheck_rules.context._returned import returned_values
from agentcheck_rules.context._secrets import named_secret, read_secret

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC614",
    topic="secret-in-prompt",
    title="A secret is put where the model can read it",
    question="Is every secret kept out of prompts and tool results?",
    severity="high",
    confidence="medium",
    remedy_confidence="high",
    at_stake="Keys and passwords must not leave the process that uses them.",
    consequence="The secret is sent to the provider, stands in every trace of the run, and is told "
    "to whoever asks the model for it.",
    owner="whoever builds the prompt or the tool's result",
    smallest_change="Use the secret inside the tool and give the model a name for it at most; "
    "leave it out of error texts.",
    could_break="Prompts that had the model write the secret into a command or a request.",
    acceptance="With a marked value in the environment, no request to the model by {owner} holds "
    "the mark.",
    tags=("security", "privacy"),
)
_HUMAN = frozenset({"HumanMessage", "AIMessage", "ToolMessage", "ChatMessage", "UserMessage"})
_LOOKED = ("a mask, a slice or a test around the value", "a header or a client that takes it")


class _Told(Struct, frozen=True):
    fn: Fn
    name: str
    place: Place
    sink: str
    read: Place
    sure: bool


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that puts a secret where a model reads it."""
    told: dict[Fn, dict[int, _Told]] = {}
    for piece, sink in _pieces(graph):
        found = _told(graph, piece, sink)
        if found is not None and code_kind(found.fn.file.path) != "test":
            told.setdefault(found.fn, {}).setdefault(found.place.span.line, found)
    for fn, by_line in told.items():
        yield _hit(fn, list(by_line.values()))


def _pieces(graph: AgentGraph) -> Iterator[tuple[Piece, str]]:
    """The values in all texts that a model reads, with where they stand."""
    for prompt in system_prompts(graph, up=0):
        yield from ((piece, "a system prompt") for piece in prompt.pieces)
    maker = Pieces(graph.tracer, up=0)
    for fn in graph.program.every_function():
        for site in graph.program.shaped(fn, E.Entries, E.Call):
            content = _content(site.expr)
            if content is not None:
                yield from ((p, "a message") for p in maker.of(content, fn))
    for tool_fn in dict.fromkeys(t.fn for t in graph.tools if t.fn is not None):
        for result in graph.tracer.results(tool_fn):
            for part in returned_values(graph, result, tool_fn):
                yield from ((p, "a tool's result") for p in maker.of(part, tool_fn))


def _content(expr: E.Expr) -> E.Expr | None:
    """The content of a message as written."""
    if type(expr) is E.Entries:
        keyed = {string(e.key): e.value for e in expr.entries if e.key is not None}
        return keyed.get("content") if "role" in keyed else None
    if type(expr) is E.Call and last_name(expr.func) in _HUMAN:
        given = [a.value for a in expr.args if a.name in (None, "content")]
        return given[0] if given else None
    return None


def _told(graph: AgentGraph, piece: Piece, sink: str) -> _Told | None:
    sure = read_secret(graph, piece)
    name = sure or named_secret(piece)
    if name is None:
        return None
    expr, fn = shown(piece)
    read = piece.fn.place(piece.expr.span)
    return _Told(fn, name, fn.place(expr.span), sink, read, sure=sure is not None)


def _hit(fn: Fn, told: list[_Told]) -> Assessment:
    first = next((t for t in told if t.sure), told[0])
    owner = fn.qualname
    hit = Hit(
        message=f"`{owner}` puts the secret `{first.name}` into {first.sink}.",
        owner=owner,
        severity=None if first.sure else "medium",
        confidence=None if first.sure else "low",
        persona="regular" if first.sure else "pedantic",
        failure_path=(
            f"`{owner}` reads `{first.name}` and puts it into {first.sink}",
            "the text goes to the provider and into whatever records the run",
            "somebody asks the model for it, or reads the record",
        ),
        challenge=Challenge("upheld" if first.sure else "weakened", _LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(first.place, f"`{first.name}` stands in {first.sink}")]
    if first.read.span.line != first.place.span.line:
        evidence.append(related(first.read, "the secret is read here"))
    others = [t for t in told if t is not first][:4]
    evidence += [related(t.place, "and here") for t in others]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
