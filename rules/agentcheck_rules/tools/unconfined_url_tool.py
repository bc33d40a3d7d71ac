"""A tool requests whatever address the model gives it, without a look at where that leads.

From where the agent runs more can be reached than from outside: the metadata service of the cloud
that hands out keys, a database's console on localhost, pages of the house that ask for no
password. A page that tells the model to open such an address has it read out.

Followed are the arguments of tools to the head of the URL of `requests`, `httpx`, `aiohttp`,
`urllib` and the like; where the host is fixed and the model writes only what comes behind it, it
is none of it. Met where something on the way parses the address, compares its start, looks at the
IP or is a helper named for that, and where somebody is asked. Pages are fetched so by most agents
that read the web, so a plain read is told to careful readers only; a request that changes things
or takes credentials along is told to everybody. One finding a tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    fine,
    gates_in,
    primary,
    related,
)
from agentcheck_rules.tools._urls import Request, looked_at, requests, sends_secret, url_parts
from agentcheck_rules.tools._written import Trail, Written

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC313",
    topic="unconfined-url-tool",
    title="A tool requests any address that the model gives",
    question="Is every address that a model gives a tool looked at before it is requested?",
    severity="medium",
    confidence="medium",
    remedy_confidence="medium",
    at_stake="A tool for public pages must not reach what only the machine it runs on can reach.",
    consequence="A sentence in a page has the agent read the metadata service, localhost or a page "
    "of the house, and what stands there goes into the conversation.",
    owner="whoever owns the tool",
    smallest_change="Let only http and https through, look the host up, refuse private, loopback "
    "and link-local addresses, and do the same for redirects; or send it through a fetch proxy.",
    could_break="Calls that fetched pages of the own network on purpose.",
    acceptance="{owner} called with `http://169.254.169.254/` or `http://localhost/` sends nothing "
    "and tells the model that the address was refused.",
    tags=("security", "injection"),
)
_LOOKED = (
    "a test of the scheme, the host or its address, in the tool and its helpers",
    "a list of hosts, or a fixed host in front",
    "a person or an approval asked first",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool that requests an address of the model's choice."""
    trail, told = Trail(graph, url_parts), set[object]()
    for request in requests(graph):
        found = trail.back(request.url, request.site.fn)
        if not found or found[0].first in told:
            continue
        said = _fine(graph, request, found[0]) or _hit(graph, request, found[0])
        if said.hit is not None:
            told.add(found[0].first)
        yield said


def _fine(graph: AgentGraph, request: Request, written: Written) -> Assessment | None:
    owner, here = written.first.qualname, related(request.site.place, "the address is requested")
    test = looked_at(graph, request, written)
    if test is not None:
        return fine(owner, "met", "the address is looked at first", here, test)
    gate = next(gates_in(graph, written.first, "tool"), None)
    if gate is not None:
        return fine(owner, "met-differently", "asked first", here, related(gate.place, gate.says))
    if any(t.fn is written.first and t.approval in ("yes", "maybe") for t in graph.tools):
        return fine(owner, "met-differently", "the framework's approval switch is on", here)
    return None


def _hit(graph: AgentGraph, request: Request, written: Written) -> Assessment:
    owner, secret = written.first.qualname, sends_secret(graph, request)
    what = "sends a changing request to" if request.writes else "fetches"
    taking = ", and takes credentials along" if secret is not None else ""
    plain = secret is None and not request.writes
    hit = Hit(
        message=f"`{owner}` {what} any address that the model gives as `{written.name}`{taking}.",
        owner=owner,
        severity="low" if plain else "high" if secret is not None else None,
        persona="pedantic" if plain else None,
        failure_path=(
            "a text that the model reads gives it an address inside",
            f"the model calls `{owner}` with it",
            "nothing looks at the host, and the answer goes to the model",
        ),
        challenge=Challenge("weakened" if plain else "upheld", _LOOKED),
        names={"owner": owner, "tool": owner},
    )
    evidence = [
        primary(request.site.place, "the address is requested as given"),
        related(written.place, f"the model writes `{written.name}`"),
        *([secret] if secret is not None else []),
    ]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
