"""Text that a model wrote is run: by `exec` or `eval`, by a shell, or as a script.

Whoever can put a sentence before the model, on a web page or in a file that it reads, then runs
commands with the rights of the agent's process: its files, its keys, its network.

Followed is the text of model replies, the arguments of tools (also of tools that are classes with
a name and a description), and parameters named for a reply, through strings, parsers and callers,
into `exec` and `eval`, shells, interpreters started with `-c`, shells kept open, and files that are
written and then run. Met where somebody is asked first, where only what is on a list or parses as
allowed is let through, and where the command starts a container. A list of forbidden words is
shown and does not count: shells have too many ways to say a thing. An `eval` without built-ins is
not closed either; what it leaves open is told as a lesser finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Hit,
    descend,
    fine,
    gates_in,
    primary,
    related,
    string,
)
from agentcheck_rules.tools._checks import checks_before
from agentcheck_rules.tools._interpreters import (
    BOXES,
    Sink,
    find_sinks,
    same_file,
    written_files,
    written_to_stdin,
)
from agentcheck_rules.tools._model_text import ModelText, Source
from agentcheck_rules.tools._ready_made import LOOKED, hosted

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC303",
    topic="shell-or-eval-tool",
    title="Text that a model wrote is run",
    question="Is text that a model wrote run only in a sandbox, or after somebody agreed?",
    severity="high",
    confidence="high",
    at_stake="Nobody who can only talk to the model may run code with the rights of its process.",
    consequence="A sentence in a page, a mail or a file that the model reads becomes a command "
    "that reads keys, deletes files or opens a connection.",
    owner="whoever owns the code that runs it",
    smallest_change="Run it in a container without network and secrets, or replace it: "
    "json.loads or ast.literal_eval for data, a fixed list of commands without a shell for work.",
    could_break="Commands that need the files or the network of the host.",
    acceptance="A scripted reply whose text would create a file leaves no file on the host after "
    "{owner} ran, and the model is told that it was refused.",
    tags=("security", "injection"),
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that runs text, outside tests; places of one function are one."""
    text, told = ModelText(graph), set[tuple[object, str]]()
    for sink in find_sinks(graph):
        said = _assess(graph, text, sink)
        key = (sink.site.fn, sink.how)
        if said is not None and (said.hit is None or key not in told):
            yield said
        if said is not None and said.hit is not None:
            told.add(key)
    yield from hosted(graph)


def _assess(graph: AgentGraph, text: ModelText, sink: Sink) -> Assessment | None:
    """None where nothing that a model wrote is seen to arrive."""
    found = _source(graph, text, sink)
    if found is None:
        return None
    source, steps = found
    owner, here = sink.site.fn.qualname, related(sink.site.place, "text is run here")
    gates = [g for g in gates_in(graph, sink.site.fn, "tool") if g.is_before(sink.site)]
    if gates:
        return fine(owner, "met", "asked first", here, related(gates[0].place, gates[0].says))
    if sink.boxed:
        return fine(owner, "met-differently", f"it runs under {sink.boxed}", here)
    checks = checks_before(graph, sink.site, sink.given)
    allowed = next((e for kind, e in checks if kind == "allow"), None)
    if allowed is not None:
        return fine(owner, "met", "only what is known is let through", here, allowed)
    if _approved(graph, sink):
        return fine(owner, "met", "the framework's approval switch is on", here)
    return _hit(sink, source, steps, [e for _, e in checks])


def _approved(graph: AgentGraph, sink: Sink) -> bool:
    return any(
        tool.fn is sink.site.fn and tool.approval in ("yes", "maybe") for tool in graph.tools
    )


def _source(
    graph: AgentGraph, text: ModelText, sink: Sink
) -> tuple[Source, list[CodeEvidence]] | None:
    """What a model wrote and how it arrives there."""
    fn = sink.site.fn
    for given in sink.given:
        source = text.source(given, fn)
        if source is not None:
            return source, []
    if sink.session:
        for site, written in written_to_stdin(graph, sink):
            source = text.source(written, site.fn)
            if source is not None:
                return source, [related(site.place, "commands are written to it here")]
    for script in sink.scripts:
        for site, path, written in written_files(graph, fn):
            source = text.source(written, fn) if same_file(path, script) else None
            if source is not None:
                return source, [related(site.place, "the script is written here")]
    return _edited(graph, sink)


def _edited(graph: AgentGraph, sink: Sink) -> tuple[Source, list[CodeEvidence]] | None:
    """A script that a coding agent edits in the function that has it run."""
    for caller in graph.calls.callers(sink.site.fn) if sink.scripts else ():
        for site, call in graph.program.calls(caller.fn):
            func = call.func
            if not (isinstance(func, E.Attr) and func.attr == "run"):
                continue
            for origin in graph.tracer.of(func.value, caller.fn):
                built = origin.expr
                names = (
                    graph.resolver.dotted(built.func, origin.fn)
                    if isinstance(built, E.Call)
                    else ()
                )
                if any(n.startswith("aider.") for n in names):
                    says = "a coding agent edits the script here"
                    return Source("reply", says, site.place), [related(caller.place, "it is run")]
    return None


def _hit(
    sink: Sink, source: Source, steps: list[CodeEvidence], checks: list[CodeEvidence]
) -> Assessment:
    owner = sink.site.fn.qualname
    closed = any(_no_builtins(a.value) for a in sink.site.call.args[1:])
    boxed = bool(BOXES.search(owner.lower())) or "sandbox" in owner.lower()
    weak = closed or boxed or source.kind == "named"
    hit = Hit(
        message=f"In `{owner}` what a model wrote is run {sink.how}"
        + ("; the tests before it only forbid some words." if checks else "."),
        owner=owner,
        severity="medium" if closed or "choice" in sink.how else None,
        confidence="low" if boxed else "medium" if weak or checks else None,
        persona="pedantic" if boxed or closed else None,
        failure_path=(
            "a text that the model reads tells it to run something",
            "the model writes that as its reply or as a tool's argument",
            f"`{owner}` runs it {sink.how}",
        ),
        challenge=Challenge("weakened" if weak or checks else "upheld", LOOKED),
        names={"owner": owner, "tool": owner},
    )
    evidence = (
        primary(sink.site.place, f"it is run {sink.how}"),
        *steps,
        related(source.place, source.says),
        *(checks[:2]),
    )
    return Assessment(
        subject=owner,
        verdict="partly" if closed else "not-met",
        why=hit.message,
        evidence=evidence,
        hit=hit,
    )


def _no_builtins(expr: E.Expr) -> bool:
    return any(
        e.key is not None and string(e.key) == "__builtins__"
        for shown in descend(expr)
        if isinstance(shown, E.Entries)
        for e in shown.entries
    )
