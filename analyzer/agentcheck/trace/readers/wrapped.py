"""What a tool was given and gave back, out of what instrumentations wrap around it."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.langchain_message import langchain_message
from agentcheck.trace.records import BROKEN, value_of
from agentcheck.trace.texts import text_of

_WRAPS_INPUT = frozenset({"args", "kwargs"})
_DEEPEST = 4


def decoded(value: Any) -> Any:
    """A text that is JSON as its value; anything else as it is."""
    if not isinstance(value, str) or value[:1] not in ("[", "{", '"'):
        return value
    try:
        return value_of(value)
    except BROKEN:
        return value


def arguments_in(value: Any) -> dict[str, Any] | None:
    """The arguments of a call by what its span holds as input; None where they cannot be told.

    A span's input is no evidence of how the model wrote the arguments. LangChain's handlers give
    the object under `inputs`, or its Python text alone under `input_str`.
    """
    found = decoded(value)
    if not isinstance(found, dict):
        return None
    if "input_str" in found:
        inner = found.get("inputs")
        return inner if isinstance(inner, dict) else None
    if "kwargs" in found and found.keys() <= _WRAPS_INPUT:
        return _of_function(found["kwargs"], found.get("args"))
    return None if found.keys() == {"input"} and isinstance(found["input"], str) else found


def _of_function(kwargs: Any, args: Any) -> dict[str, Any] | None:
    return kwargs if isinstance(kwargs, dict) and not args else None


def output_text(value: Any, depth: int = 0) -> str:
    """What a tool gave back, as text, out of LangChain's messages and objects with `output`."""
    found = decoded(value)
    if not isinstance(found, dict) or depth >= _DEEPEST:
        return text_of(value if isinstance(found, list) else found)
    message = langchain_message(found)
    if message is not None:
        return text_of(message["content"])
    if "output" in found and (len(found) == 1 or "kwargs" in found):
        return output_text(found["output"], depth + 1)
    return text_of(found)
