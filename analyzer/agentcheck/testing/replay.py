"""A recorded run as a script: the replies of the record, one a request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

from agentcheck.testing.reply import Call, Failure, Reply, Step
from agentcheck.testing.script import Part, Script, sequence
from agentcheck.testing.wire.common import as_list, as_mapping, text_of

Recorded = Union[str, Path, Iterable[Union[Reply, Failure, Mapping[str, Any]]]]  # noqa: UP007


def replay(recorded: Recorded, *, then: Part | None = None) -> Script:
    """Give the recorded replies in order, and after the last `then` (by default `done()`).

    `recorded` is a file (JSON, or JSON Lines) or the replies themselves. A record of a reply is an
    object with `text`, `calls` (`name` and `arguments` each), `finish` and `usage`, or one with
    `status` and `retry_after`; also read are a chat completion as it came over the wire and a
    conversation of chat messages, of which the assistant's are the replies. Raises OSError where
    the file cannot be read and ValueError where it has no replies.
    """
    given = recorded
    items = _read(Path(given)) if isinstance(given, (str, Path)) else list(given)
    steps = [step for item in items for step in _steps(item)]
    if not steps:
        raise ValueError(
            f"{given if isinstance(given, (str, Path)) else 'the record'} has no replies"
        )
    return sequence(*steps, then=then)


def recorded(step: Reply | Failure) -> dict[str, Any]:
    """A reply (or a failure) as an object that `replay` reads; what is by default is left out."""
    if isinstance(step, Failure):
        return {"status": step.status, "retry_after": step.retry_after, "message": step.message}
    calls = [{"name": call.name, "arguments": call.text} for call in step.calls]
    kept = {"text": step.text, "calls": calls, "finish": step.finish, "usage": step.usage}
    return {key: value for key, value in kept.items() if value not in (None, [])}


def _read(path: Path) -> list[Any]:
    """The items of a JSON or JSON Lines file."""
    text = path.read_text(encoding="utf-8")
    try:
        whole = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def _steps(item: Any) -> list[Step]:
    if isinstance(item, (Reply, Failure)):
        return [item]
    record = as_mapping(item)
    if "messages" in record:
        return [step for message in as_list(record["messages"]) for step in _steps(message)]
    if "choices" in record:
        choice = as_mapping((as_list(record["choices"]) or [{}])[0])
        said = as_mapping(choice.get("message"))
        return [_reply(said, choice.get("finish_reason"), as_mapping(record.get("usage")))]
    if "role" in record:
        return [_reply(record, None, {})] if record["role"] == "assistant" else []
    return [_neutral(record)]


def _neutral(record: Mapping[str, Any]) -> Step:
    if "status" in record:
        message = str(record.get("message") or Failure.message)
        return Failure(int(record["status"]), record.get("retry_after"), message)
    used = as_list(record.get("usage"))
    calls = tuple(_call(as_mapping(call)) for call in as_list(record.get("calls")))
    usage = (int(used[0]), int(used[1])) if len(used) == 2 else None
    return Reply(record.get("text"), calls, record.get("finish"), usage)


def _reply(said: Mapping[str, Any], finish: Any, used: Mapping[str, Any]) -> Reply:
    """The reply of an assistant's chat message."""
    functions = [as_mapping(call).get("function") for call in as_list(said.get("tool_calls"))]
    functions += [said["function_call"]] if said.get("function_call") else []
    calls = tuple(_call(as_mapping(function)) for function in functions)
    if said.get("refusal"):
        return Reply(str(said["refusal"]), calls, "refusal")
    sent, made = used.get("prompt_tokens"), used.get("completion_tokens")
    usage = (sent, made) if isinstance(sent, int) and isinstance(made, int) else None
    ends = {"function_call": "tool_calls"}.get(finish, finish)
    return Reply(text_of(said.get("content")) or None, calls, ends, usage)


def _call(record: Mapping[str, Any]) -> Call:
    given = record.get("arguments")
    fits = isinstance(given, (str, Mapping))
    return Call(str(record.get("name")), given if fits else json.dumps(given))
