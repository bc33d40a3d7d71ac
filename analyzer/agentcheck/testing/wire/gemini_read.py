"""Gemini generateContent: what is asked.

Known fields as in `google/genai/models.py` (the `_to_mldev` and `_to_vertex` converters) and `Part`
of `google/genai/types.py` in google-genai, 3.6.1, in both spellings that the wire takes; unknown
ones are refused ("Unknown name"). A turn that calls functions is answered by the very next one,
with a response for each call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agentcheck.testing import protocol
from agentcheck.testing.request import Asked, Message, Tool
from agentcheck.testing.wire.common import Heard, Memory, as_list, as_mapping, asked, text_of

ROLES = frozenset({"user", "model", "function", None})
REQUEST_FIELDS = frozenset(
    "contents model systemInstruction tools toolConfig safetySettings generationConfig"
    " cachedContent labels serviceTier store modelArmorConfig".split()
)
CONTENT_FIELDS = frozenset({"role", "parts"})
PART_FIELDS = frozenset(
    "mediaResolution codeExecutionResult executableCode fileData functionCall functionResponse"
    " inlineData text thought thoughtSignature videoMetadata toolCall toolResponse partMetadata"
    " audioTranscription mediaProcessing speechMetadata documentMetadata spreadsheetMetadata"
    " audioMetadata".split()
)
MADE = "calls"  # what the memory keeps the calls under that the model made so far
CALL_FIELDS = frozenset({"id", "name", "args", "partialArgs", "willContinue"})
RESPONSE_FIELDS = frozenset({"id", "name", "response", "parts", "willContinue", "scheduling"})
CHOICES = {"ANY": "required", "NONE": "none", "AUTO": "auto", "VALIDATED": "auto"}


def read(body: Mapping[str, Any], path: str, memory: Memory) -> Heard:
    """A request in neutral words: responses of functions are messages of their own."""
    body = camel(body)
    contents = [as_mapping(content) for content in as_list(body.get("contents"))]
    messages = _messages(contents, [call for said in memory.get(MADE, ()) for call in said.calls])
    config = as_mapping(body.get("generationConfig"))
    found = config.get("responseJsonSchema") or config.get("responseSchema")
    demanded: Mapping[str, Any] | None = (
        {} if config.get("responseMimeType") == "application/json" else None
    )
    return Heard(
        model=model_of(path),
        messages=(*_system(body), *messages),
        tools=tuple(_tools(body)),
        stream=":stream" in path,
        tool_choice=_choice(body),
        schema=as_mapping(found) if found else demanded,
        faults=tuple(_faults(contents) + protocol.pairing(messages)),
        refused_fields=tuple(protocol.unknown(body, REQUEST_FIELDS, "") + _strange(contents)),
    )


def model_of(path: str) -> str:
    """The name of the model in the path of a request."""
    return path.rpartition("/")[2].partition(":")[0]


# What users write themselves, whose keys are names of theirs and no spelling of ours.
THEIRS = frozenset(
    "args response parameters parametersJsonSchema responseSchema responseJsonSchema labels"
    " parameters_json_schema response_schema response_json_schema".split()
)


def camel(value: Any) -> Any:
    """The same with its keys in camel case, but inside what users write themselves."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        re.sub(r"_([a-z])", lambda found: found[1].upper(), key): (
            inner if key in THEIRS else camel(inner)
        )
        for key, inner in value.items()
    }


def _parts(content: Any) -> list[Mapping[str, Any]]:
    return [as_mapping(part) for part in as_list(as_mapping(content).get("parts"))]


def _system(body: Mapping[str, Any]) -> tuple[Message, ...]:
    text = text_of(_parts(body.get("systemInstruction")))
    return (Message("system", text),) if text else ()


def _messages(contents: list[Mapping[str, Any]], made: list[Asked]) -> list[Message]:
    found: list[Message] = []
    waiting: list[Asked] = []
    for content in contents:
        parts = _parts(content)
        told = [as_mapping(p["functionResponse"]) for p in parts if p.get("functionResponse")]
        found += [_answer(response, waiting) for response in told]
        waiting = _calls(parts, made)
        role = "assistant" if content.get("role") == "model" else "user"
        words = text_of([part for part in parts if not part.get("thought")])
        if words or waiting or not told:
            found.append(Message(role, words, tuple(waiting)))
    return found


def _calls(parts: list[Mapping[str, Any]], made: list[Asked]) -> list[Asked]:
    """The calls of a turn; one without an id is the first of those made that says the same."""
    calls = [as_mapping(part["functionCall"]) for part in parts if part.get("functionCall")]
    found: list[Asked] = []
    for call in calls:
        one = asked(call.get("id") or "", call.get("name"), call.get("args"))
        same = next((m for m in made if _says(m) == _says(one)), None)
        known = one.id or (same.id if same else f"{one.name} {len(found)}")
        made[:] = [m for m in made if m.id != known]
        found.append(one._replace(id=known))
    return found


def _says(call: Asked) -> tuple[str, Any]:
    try:
        return call.name, json.loads(call.arguments)
    except ValueError:
        return call.name, {}


def _answer(response: Mapping[str, Any], waiting: list[Asked]) -> Message:
    """A response of a function; without an id it answers the first call of that name."""
    text = json.dumps(response.get("response"))
    name, given = str(response.get("name")), response.get("id")
    call = next((c for c in waiting if c.id == given or (not given and c.name == name)), None)
    if call is None:
        return Message("tool", text, call_id=str(given or name))
    waiting.remove(call)
    return Message("tool", text, call_id=call.id)


def _tools(body: Mapping[str, Any]) -> list[Tool]:
    offered = [as_mapping(tool) for tool in as_list(body.get("tools"))]
    functions = [
        as_mapping(function)
        for tool in offered
        for function in as_list(tool.get("functionDeclarations"))
    ]
    return [
        Tool(
            str(function.get("name")),
            as_mapping(function.get("parametersJsonSchema") or function.get("parameters")),
            str(function.get("description") or ""),
        )
        for function in functions
    ]


def _choice(body: Mapping[str, Any]) -> str:
    config = as_mapping(as_mapping(body.get("toolConfig")).get("functionCallingConfig"))
    allowed = as_list(config.get("allowedFunctionNames"))
    if config.get("mode") == "ANY" and len(allowed) == 1:
        return str(allowed[0])
    return CHOICES.get(str(config.get("mode")), "auto")


def _faults(contents: list[Mapping[str, Any]]) -> list[str]:
    if not contents:
        return ["the request has no contents"]
    empty = [i for i, content in enumerate(contents) if not content.get("parts")]
    return protocol.roles(contents, ROLES) + [f"content {index} has no parts" for index in empty]


def _strange(contents: list[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for index, content in enumerate(contents):
        at = f"contents[{index}]"
        found += protocol.unknown(content, CONTENT_FIELDS, at)
        for place, part in enumerate(_parts(content)):
            where = f"{at}.parts[{place}]"
            found += protocol.unknown(part, PART_FIELDS, where)
            call, told = (
                as_mapping(part.get("functionCall")),
                as_mapping(part.get("functionResponse")),
            )
            found += protocol.unknown(call, CALL_FIELDS, f"{where}.functionCall")
            found += protocol.unknown(told, RESPONSE_FIELDS, f"{where}.functionResponse")
    return found
