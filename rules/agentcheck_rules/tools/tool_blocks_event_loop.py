"""A tool that is a coroutine makes a call that blocks, and holds up everything else.

An `async def` tool runs in the event loop of the agent, or of the server that offers it. While
`time.sleep`, `requests.get`, `subprocess.run`, `input` or a synchronous client of a provider waits
in it, nothing else runs: no other session, no other tool of the same reply, no stream, and no
time-out that is kept by the loop. A plain `def` would have been run in a thread by most
frameworks.

Looked at are the tool's own statements and the plain functions that it calls, two levels deep.
Met are calls that are given to a thread (`asyncio.to_thread`, `run_in_executor`, a lambda that is
handed on), asynchronous clients that are awaited, and sleeps of a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Hit,
    fine,
    primary,
    related,
)
from agentcheck_rules.tools._blocking import Block, blocks_in_tools

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC311",
    topic="tool-blocks-event-loop",
    title="An asynchronous tool blocks the event loop",
    question="Does every tool that is a coroutine leave the event loop free while it waits?",
    severity="low",
    confidence="high",
    remedy_confidence="high",
    at_stake="One tool that waits must not stop the other sessions and tools.",
    consequence="While the call waits no other task of the process runs, and time-outs that the "
    "event loop keeps do not fire.",
    owner="whoever owns the tool",
    smallest_change="Await an asynchronous client, hand the call to `asyncio.to_thread`, or make "
    "the tool a plain `def` where the framework runs those in threads.",
    could_break="Code that relied on the tools running one after another.",
    acceptance="While {tool} waits, a second task of the same event loop goes on.",
    tags=("robustness",),
)
LOOKED = (
    "an await, a thread or an executor around the call",
    "a lambda or nested function that is handed on instead of called",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a coroutine that leaves the loop free, and one a file with others."""
    by_file: dict[str, list[Block]] = {}
    for tool, fn, blocks in blocks_in_tools(graph):
        if blocks:
            by_file.setdefault(fn.file.path, []).append(blocks[0])
        else:
            here = related(tool.place, "this tool is a coroutine")
            yield fine(tool.name, "met", "nothing known to block is called in it", here)
    yield from (_blocking(group) for group in by_file.values())


def _blocking(group: list[Block]) -> Assessment:
    first = group[0]
    tool = first.tool.name
    more = f", and so do {len(group) - 1} other tools of this file" if len(group) > 1 else ""
    hit = Hit(
        message=f"`{tool}` is a coroutine and waits in `{first.name}`{more}.",
        owner=first.fn.qualname,
        failure_path=(
            f"the model calls `{tool}`",
            f"`{first.name}` waits without giving the event loop back",
            "every other task of the process stands still until it is done",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": first.fn.qualname, "tool": tool},
    )
    return Assessment(
        subject=tool, verdict="not-met", why=hit.message, evidence=tuple(_evidence(group)), hit=hit
    )


def _evidence(group: list[Block]) -> Iterator[CodeEvidence]:
    first = group[0]
    yield primary(first.site.place, "this blocks the event loop")
    yield related(first.tool.place, "the tool is a coroutine")
    yield from (
        related(b.site.place, f"`{b.tool.name}` blocks in `{b.name}` here") for b in group[1:5]
    )
