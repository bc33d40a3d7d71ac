"""Functions of the target that ask a model, called with arguments that are made up."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentcheck.testing.harness import QUESTION
from agentcheck.testing.reply import Call, Step, asks, says
from agentcheck.testing.request import Request
from agentcheck.testing.schema import sample
from agentcheck.testing.script import Script, done
from agentcheck.testing.signatures import parameters
from agentcheck.testing.words import words_of

TEXT = QUESTION


def talk() -> list[dict[str, str]]:
    """A conversation with one question, in the words of chat completions."""
    return [{"role": "user", "content": QUESTION}]


def ask_for(tool: str) -> Script:
    """One call of a tool of that name, or of the one offered tool all of whose words are in it.

    A class `FileWriteTool` may be known to the model as `file_write`. Where no such tool is
    offered, the run is ended.
    """

    def step(request: Request) -> Step:
        words = words_of(tool)
        like = [name for name in request.tool_names if words_of(name) and words_of(name) <= words]
        known = tool if tool in request.tool_names or len(like) != 1 else like[0]
        return asks(known) if known in request.tool_names else done()(request)

    return step


def ask_with(tool: str, text: str) -> Script:
    """One call of the tool with this text for each of its arguments that is one.

    Where it is not offered, the run is ended.
    """

    def step(request: Request) -> Step:
        offered = request.tool(tool)
        if offered is None:
            return done()(request)
        made = sample(offered.parameters)
        told = {name: text if isinstance(value, str) else value for name, value in made.items()}
        return asks(Call(tool, told))

    return step


def wants_more(request: Request) -> Step:
    """A call of the first tool that is offered, or a question where none is."""
    return asks(request.tools[0].name) if request.tools else says("Tell me more.")


def settings_of(*functions: Callable[..., Any]) -> list[str]:
    """What can be set: what the functions and constructors take by keyword, each name once."""
    return list(dict.fromkeys(name for function in functions for name in parameters(function)))


def as_package(folder: Path, name: str) -> None:
    """Import a folder that is itself a package by a name, wherever it stands and whatever it is
    called there. Raises ImportError where it has no `__init__.py`."""
    file = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None or not file.is_file():
        raise ImportError(f"{folder} is no package")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
