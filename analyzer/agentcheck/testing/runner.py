"""Classes of the target that run agents, with the class of the agents.

RUNNER = Runner(Swarm, Agent, agent="agent", messages="messages", tools="functions")
run = RUNNER.start(always("ping"), "run", RUNNER.agent(ping))
assert not run.runaway
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from agentcheck.testing.harness import QUESTION, Run, play
from agentcheck.testing.model import ScriptedModel
from agentcheck.testing.script import Part
from agentcheck.testing.signatures import named, parameters, spoken
from agentcheck.testing.standin import client_for


class Runner:
    """A class of the target that runs agents, and the class of its agents.

    `agent`, `messages` and `client` are the names of parameters, `tools` that of the agent class's
    list of tools. Without `client` the runner makes its own.
    """

    def __init__(
        self,
        kind: type,
        agent_kind: Callable[..., Any],
        *,
        agent: str,
        messages: str,
        tools: str,
        client: str | None = None,
    ) -> None:
        self.kind = kind
        self.agent_kind = agent_kind
        self.client, self.names = client, (agent, messages)
        self.tools = tools

    def agent(self, *tools: Callable[..., Any], name: str = "Scripted", **more: Any) -> Any:
        """An agent of the target's class with these tools."""
        return make(self.agent_kind, name=name, **{self.tools: list(tools)}, **more)

    def start(
        self,
        script: Part,
        method: str,
        agent: Any,
        safety_stop: int = 200,
        question: str = QUESTION,
        **settings: Any,
    ) -> Run:
        """One run that answers a question; `settings` go to whatever of the target takes them."""
        agent_name, messages = self.names
        function = getattr(self.kind, method)
        given = {name for name in settings if name in parameters(function)}
        own = {name for name in settings if name in parameters(self.kind)} - given
        for name in set(settings) - given - own:
            setattr(agent, name, settings[name])

        def call(model: ScriptedModel) -> Any:
            built = {name: settings[name] for name in own}
            if self.client is not None:
                built[self.client] = client_for(function, model)
            runner = self.kind(**built)
            asked = [{"role": "user", "content": question}]
            chosen = {name: settings[name] for name in given}
            return getattr(runner, method)(**{agent_name: agent, messages: asked}, **chosen)

        return play(script, call, safety_stop)

    def settings(self, method: str) -> list[str]:
        """What can be set: parameters of the method, of the constructor and of the agent class."""
        function = getattr(self.kind, method)
        names = [*parameters(function), *parameters(self.kind), *parameters(self.agent_kind)]
        return [name for name in dict.fromkeys(names) if name not in (*self.names, self.client)]

    def agent_setting(self, *words: str) -> str | None:
        """The first parameter of the agent class whose name has one of the words."""
        return spoken(parameters(self.agent_kind), *words)

    def setting(self, method: str, *words: str) -> str | None:
        """The first setting that has one of the words in its name, earlier words first."""
        return named(self.settings(method), *words)


def make(kind: Callable[..., Any], /, **wanted: Any) -> Any:
    """An agent of the target's class, by those of the keywords that its signature takes.

    The tools must reach the model: a script whose tools the first request does not offer is a
    fault of the test.
    """
    wanted = {"name": "Scripted", "instructions": "Follow the script.", "model": "none"} | wanted
    taken = inspect.signature(kind).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return kind(**wanted)
    return kind(**{name: value for name, value in wanted.items() if name in taken})
