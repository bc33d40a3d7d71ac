"""What a model passed to a tool: kept as written, and as the object it should be."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec.json import Decoder, Encoder, encode

from agentcheck.trace.records import BROKEN, value_of

_sorted = Encoder(order="sorted").encode
_object_in = Decoder(dict[str, Any]).decode
UNENCODABLE = (ValueError, RecursionError, TypeError, OverflowError)
_KINDS = {str: "a string", list: "a list", bool: "a truth value", type(None): "null"}


class Arguments(NamedTuple):
    """`value` is None exactly where `error` says why the text is no JSON object."""

    raw: str
    value: dict[str, Any] | None
    error: str | None


def read_arguments(given: Any) -> Arguments:
    """Arguments as a text of JSON, an object, or nothing; absent and blank count as no arguments.

    SDKs take an empty text for a call without arguments, so it is no fault.
    """
    if isinstance(given, str):
        return _from_text(given)
    if isinstance(given, dict):
        return Arguments(encode_text(given), given, None)
    if given is None:
        return Arguments("", {}, None)
    return Arguments(encode_text(given), None, f"{_kind(given)}, not an object")


def arguments_in(raw: str) -> dict[str, Any] | None:
    """The value of `read_arguments` of a text, quickly where it is an object."""
    try:
        return _object_in(raw)
    except BROKEN:
        return read_arguments(raw).value


def canonical(value: Any) -> str:
    """A text that is equal for equal JSON values, whatever the order of their keys."""
    try:
        return _sorted(value).decode()
    except UNENCODABLE:
        return repr(value)


def encode_text(value: Any) -> str:
    """A JSON value as text; never raises."""
    try:
        return encode(value).decode()
    except UNENCODABLE:
        return repr(value)


def _from_text(raw: str) -> Arguments:
    if not raw or raw.isspace():
        return Arguments(raw, {}, None)
    try:
        value = value_of(raw)
    except BROKEN as error:
        return Arguments(raw, None, str(error)[:120] or "nested too deeply")
    if isinstance(value, dict):
        return Arguments(raw, value, None)
    return Arguments(raw, None, f"{_kind(value)}, not an object")


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "a number")
