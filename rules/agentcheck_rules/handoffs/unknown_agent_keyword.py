"""An agent is built with a keyword that its class does not have.

Where the class ignores what it does not know, the text given under the keyword is dropped and the
agent runs on its defaults; where it does not, the constructor raises. Both happen when an option
is renamed, or guessed.

The accepted keywords come from the class when it is in the target (constructor parameters, the
fields of pydantic, dataclasses, attrs and NamedTuple, those of its bases, aliases, pydantic's
`extra` setting), else from the framework's data for the version that the nearest requirements pin.
A class that takes `**kwargs`, that renames or looks at its keywords before the fields do, or that
has a base or settings which cannot be read, is answered "cannot tell".
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.handoffs._keywords import Accepts, accepts, meant
from agentcheck_rules.handoffs._rename import rename

CARD = Card(
    code="AC503",
    topic="unknown-agent-keyword",
    title="An agent is given a keyword that its class does not have",
    question="Does every agent's class have the keywords that it is built with?",
    severity="high",
    confidence="high",
    remedy_confidence="medium",
    at_stake="What an agent is told must reach the model.",
    consequence="The agent runs on its defaults, or does not start.",
    owner="whoever builds the agent",
    smallest_change="Give the text under the keyword that the class has.",
    could_break="The agent now follows instructions it never had.",
    acceptance="An unknown keyword of {agent} is refused, or its text reaches the model.",
    tags=("correctness",),
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an agent, and one finding for each keyword that is not known."""
    for agent in graph.agents:
        if code_kind(agent.site.fn.file.path) == "test":
            continue
        known = accepts(graph, agent)
        here = related(agent.site.place, "the agent is built here")
        if known is None:
            yield fine(
                agent.name, "cannot-tell", "its class takes keywords that cannot be read", here
            )
            continue
        unknown = [a for a in agent.call.args if a.name and a.name not in known.names]
        if not unknown:
            yield fine(agent.name, "met", "every keyword is known to its class", here)
        elif _is_namesake(graph, agent, unknown):
            yield fine(agent.name, "cannot-tell", "it may be another class of that name", here)
            continue
        for arg in unknown:
            yield _unknown(agent, arg, known)


def _is_namesake(graph: AgentGraph, agent: Agent, unknown: list[E.Arg]) -> bool:
    """Whether a package of the SDK's common name (`agents`) may be meant that is not the SDK.

    It is imported from deeper inside than the SDK is used from, and the call fits it badly.
    """
    if agent.klass is not None or agent.data is None:
        return False
    names = graph.resolver.dotted(agent.call.func, agent.site.fn) & set(agent.data.names)
    usual = min(name.count(".") for name in agent.data.names)
    given = {a.name for a in agent.call.args if a.name and a.name != "name"}
    badly = len(unknown) > 1 or len(unknown) == len(given)
    return badly and all(name.count(".") > usual for name in names)


def _unknown(agent: Agent, arg: E.Arg, known: Accepts) -> Assessment:
    label, keyword = known.label, arg.name or ""
    fate = "is dropped without a word" if known.dropped else "raises when the agent is built"
    since = f" (gone since {known.gone[keyword][0]})" if keyword in known.gone else ""
    hit = Hit(
        title=f"`{label}` has no `{keyword}`"
        + (": its text is dropped" if known.dropped else ": it raises"),
        message=f"`{agent.name}` is given `{keyword}`, which `{label}` does not have{since}; it "
        f"{fate}.",
        owner=agent.name,
        confidence="high" if known.certain else "medium",
        failure_path=(
            f"`{agent.name}` is built with `{keyword}`",
            f"`{label}` does not know it, so it {fate}",
            "the agent runs on its defaults" if known.dropped else "nothing that needs it starts",
        ),
        challenge=Challenge(
            "upheld",
            (
                "a field, parameter or alias of that name, in bases too",
                "`**kwargs` or extra fields",
            ),
        ),
        smallest_change=_change(keyword, known),
        names={"agent": agent.name, "owner": agent.name, "keyword": keyword},
        fix=rename(agent, arg, known),
    )
    evidence: list[CodeEvidence] = [
        primary(agent.site.fn.place(arg.span), f"`{label}` has no such keyword"),
        related(agent.site.place, "the agent is built here"),
    ]
    if known.place is not None:
        evidence.append(related(known.place, f"what `{label}` takes"))
    return Assessment(
        subject=f"{agent.name}.{keyword}",
        verdict="not-met",
        why=hit.message,
        evidence=tuple(evidence),
        hit=hit,
    )


def _change(keyword: str, known: Accepts) -> str:
    _, instead = known.gone.get(keyword, ("", ""))
    better = instead or meant(keyword, known)[0]
    return f"Use `{better}` instead of `{keyword}`." if better else f"Remove `{keyword}`."
