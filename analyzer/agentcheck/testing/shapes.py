"""Replies in the shapes of the `openai` package: its own types if installed, else look-alikes."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

# Fields that the API may leave out and the SDK's types then hold as None, by the key of the part.
OPTIONAL: dict[str, tuple[str, ...]] = {
    "reply": ("usage", "service_tier", "system_fingerprint"),
    "choices": ("finish_reason", "logprobs"),
    "message": ("content", "refusal", "annotations", "audio", "function_call", "tool_calls"),
    "delta": ("content", "function_call", "refusal", "role", "tool_calls"),
    "tool_calls": ("id", "function", "type"),
    "function": ("arguments", "name"),
}


class Plain:
    """A part of a reply, read by attribute and dumped as the SDK's models are."""

    def __init__(self, fields: Mapping[str, Any], part: str = "reply") -> None:
        absent = dict.fromkeys(OPTIONAL.get(part, ()))
        given = {key: _plain(value, key) for key, value in fields.items()}
        self.__dict__.update({**absent, **given})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Plain({self.model_dump()!r})"

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The fields as plain data; options as pydantic's, of which `exclude_*` leave out None."""
        drop = any(options.get(f"exclude_{what}") for what in ("none", "unset", "defaults"))
        dumped = {key: _dumped(value, options) for key, value in vars(self).items()}
        return {key: value for key, value in dumped.items() if not (drop and value is None)}

    def model_dump_json(self, **options: Any) -> str:
        """The fields as JSON text."""
        return json.dumps(self.model_dump(**options), indent=options.get("indent"))

    dict = to_dict = model_dump
    json = to_json = model_dump_json


def completion(wire: Mapping[str, Any]) -> Any:
    """A `ChatCompletion` of a reply as it comes over the wire."""
    return _shaped(wire, "ChatCompletion")


def chunk(wire: Mapping[str, Any]) -> Any:
    """A `ChatCompletionChunk` of a streamed event as it comes over the wire."""
    return _shaped(wire, "ChatCompletionChunk")


class Stream:
    """What `create(stream=True)` returns: read by `for`, also as a context manager."""

    def __init__(self, chunks: list[Any]) -> None:
        self._rest = iter(chunks)

    def __iter__(self) -> Iterator[Any]:
        return self._rest

    def __next__(self) -> Any:
        return next(self._rest)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop what was not read."""
        self._rest = iter(())


class AsyncStream:
    """What an asynchronous client's `create(stream=True)` gives, read by `async for`."""

    def __init__(self, chunks: list[Any]) -> None:
        self._rest = iter(chunks)

    def __aiter__(self) -> AsyncStream:
        return self

    async def __anext__(self) -> Any:
        for value in self._rest:
            return value
        raise StopAsyncIteration

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Drop what was not read."""
        self._rest = iter(())


def _shaped(wire: Mapping[str, Any], name: str) -> Any:
    model = _sdk_type(name)
    return Plain(wire) if model is None else model(wire)


@cache
def _sdk_type(name: str) -> Any:
    """The SDK's validator for a type; None without the SDK (or with one before 1.0)."""
    try:
        found = getattr(importlib.import_module("openai.types.chat"), name)
    except ImportError:
        return None
    return getattr(found, "model_validate", None) or found.parse_obj


def _plain(value: Any, part: str) -> Any:
    if isinstance(value, Mapping):
        return Plain(value, part)
    return [_plain(item, part) for item in value] if isinstance(value, list) else value


def _dumped(value: Any, options: Mapping[str, Any]) -> Any:
    if isinstance(value, Plain):
        return value.model_dump(**options)
    return [_dumped(item, options) for item in value] if isinstance(value, list) else value
