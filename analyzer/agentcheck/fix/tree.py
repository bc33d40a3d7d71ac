"""A file's bytes as a tree that can be changed, and back to bytes that differ only there."""

from __future__ import annotations

import warnings

import libcst as cst
from msgspec import Struct

from agentcheck.fix.errors import Unfixable
from agentcheck.source import gate
from agentcheck.source.decode import decode, encoding_of, lines_of
from agentcheck.source.errors import Unreadable
from agentcheck.source.parse import parse, room_to_recurse
from agentcheck.source.positions import Positions


class Tree(Struct, frozen=True):
    """A parsed file. `rest` is what follows its last statement: LibCST may lose spaces there."""

    module: cst.Module
    positions: Positions
    encoding: str
    rest: str


def grow(data: bytes) -> Tree:
    """The tree of a Python file. Raises Unfixable for one that cannot be changed faithfully."""
    try:
        text, encoding = decode(data), encoding_of(data)
        passage = gate.check(text, len(lines_of(text)))
        if passage.risk != "plain" or passage.complaint:
            raise Unfixable("it is nested too deeply, or too new for this Python, to be changed")
        module = parse(text)
    except Unreadable as reason:
        raise Unfixable(str(reason)) from None
    body = _body(module)
    kept = text[: len(body)]
    if kept != body[: len(kept)] or text.encode(encoding) != data:
        raise Unfixable("it could not be written back as it is")
    with room_to_recurse():
        return Tree(module, Positions(module, text), encoding, text[len(body) :])


def shrink(tree: Tree, module: cst.Module) -> bytes:
    """The bytes of a changed module. Raises Unfixable where they would not be valid Python."""
    with room_to_recurse():
        body = _body(module)
    text = body + tree.rest
    if not tree.rest and not tree.module.has_trailing_newline:
        text = text.removesuffix(module.default_newline)
    try:
        gate.check(text, len(lines_of(text)))
        data = text.encode(tree.encoding)
    except (Unreadable, UnicodeError):
        raise Unfixable("the change would not be valid Python") from None
    if compiles(tree.module.code) and not compiles(text):
        raise Unfixable("the change would not be valid Python")
    return data


def compiles(text: str) -> bool:
    """Whether Python makes code of a text that passed the gate; nothing of it is run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<fixed>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _body(module: cst.Module) -> str:
    return module.with_changes(footer=(), has_trailing_newline=True).code
