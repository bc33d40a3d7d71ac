"""Agents of frameworks, as a module of the target holds them, run by their framework's own runner.

Entry points as in the releases named: openai-agents 0.24 (`Runner.run_sync`, `interruptions`),
pydantic-ai 2.68 (`run_sync`, `DeferredToolRequests.approvals`), smolagents 1.26 (`run`), langgraph
1.2 and langchain 1.5 (`invoke`, `__interrupt__`), crewai 1.15 (`kickoff`).
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agentcheck.testing.harness import QUESTION, NotShownError, Run, play
from agentcheck.testing.reply import Step, says
from agentcheck.testing.request import Request
from agentcheck.testing.schema import sample
from agentcheck.testing.script import Part, as_script

DENIED = frozenset({"denied", "approval", "approved", "approve", "permission", "refused"})


class Anything:
    """Stands in for a context that nobody but the application can make: it has every attribute."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *_: Any, **__: Any) -> Any:
        return Anything()

    def __getitem__(self, _key: Any) -> Any:
        return Anything()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return Anything()

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return "anything"


def run_agent(
    agent: Any, framework: str, script: Part, safety_stop: int = 60, question: str = QUESTION
) -> Run:
    """One run of an agent that is asked a question.

    Guardrails that are themselves models find nothing amiss. Raises NotShownError for a framework
    that cannot be driven here, or where a guardrail stopped every run.
    """
    drive = DRIVERS.get(framework)
    if drive is None:
        raise NotShownError(f"an agent of {framework or 'an unknown framework'} is not driven here")
    os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")
    os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")
    os.environ.setdefault("OTEL_SDK_DISABLED", "true")
    runs = (
        play(judged(script, word), lambda _: drive(agent, question), safety_stop)
        for word in (True, False)
    )
    for run in runs:
        if "Tripwire" not in type(run.error).__name__:
            return run
    raise NotShownError("a guardrail stopped the run before the agent was asked")


def driven(agent: Any, framework: str, question: str) -> Any:
    """What a run of an agent gives, as its framework gives it. See `run_agent` for the rest."""
    return DRIVERS[framework](agent, question)


def judged(script: Part, word: bool) -> Callable[[Request], Step]:  # noqa: FBT001 - a verdict
    """The script; requests for JSON without tools, as guardrails make, are answered by a sample in
    which every yes-or-no is `word`. They do not count among the script's."""
    inner = as_script(script)
    asked = 0

    def step(request: Request) -> Step:
        nonlocal asked
        if request.schema is not None and not request.tools:
            return says(json.dumps(_with(sample(request.schema), word)))
        asked += 1
        return inner(replace(request, number=asked))

    return step


def paused(run: Run) -> bool:
    """Whether the run waits for somebody to approve a tool call."""
    result = run.result
    if isinstance(result, Mapping):
        return bool(result.get("__interrupt__"))
    output = getattr(result, "output", None)
    return bool(getattr(result, "interruptions", None) or getattr(output, "approvals", None))


def denied(run: Run, tool: str) -> bool:
    """Whether the model was told that the call of a tool was denied."""
    from agentcheck.testing.words import words_of

    return not DENIED.isdisjoint(words_of(run.answers.get(tool, "")))


def _with(value: Any, word: bool) -> Any:  # noqa: FBT001 - a verdict
    if isinstance(value, bool):
        return word
    if isinstance(value, dict):
        return {key: _with(inner, word) for key, inner in value.items()}
    return [_with(inner, word) for inner in value] if isinstance(value, list) else value


def _openai_agents(agent: Any, question: str) -> Any:
    runner = importlib.import_module("agents").Runner
    return runner.run_sync(agent, question, context=Anything())


def _pydantic_ai(agent: Any, question: str) -> Any:
    return agent.run_sync(question, deps=Anything())


def _invoked(graph: Any, question: str) -> Any:
    """Awaited where a step can run no other way; with the context that its schema makes by itself.

    The thread is for checkpointers.
    """
    talk = {"messages": [{"role": "user", "content": question}]}
    steps = [getattr(node, "bound", None) for node in getattr(graph, "nodes", {}).values()]
    awaited = any(getattr(step, "func", talk) is None for step in steps)
    more = _context(graph)
    config = {"configurable": {"thread_id": "1"}}
    return (graph.ainvoke if awaited else graph.invoke)(talk, config=config, **more)


def _context(graph: Any) -> dict[str, Any]:
    schema = getattr(graph, "context_schema", None)
    with suppress(Exception):  # it needs what only the application knows
        return {"context": schema()} if schema is not None else {}
    return {}


def _smolagents(agent: Any, question: str) -> Any:
    return agent.run(question)


def _crewai(agent: Any, question: str) -> Any:
    kickoff = agent.kickoff
    return kickoff(question) if type(agent).__name__ == "Agent" else kickoff()


DRIVERS: dict[str, Callable[[Any, str], Any]] = {
    "openai-agents": _openai_agents,
    "pydantic-ai": _pydantic_ai,
    "smolagents": _smolagents,
    "langgraph": _invoked,
    "langchain": _invoked,
    "crewai": _crewai,
}
