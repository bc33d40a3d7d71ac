"""Each kind of edit as a change of one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import libcst as cst

from agentcheck.fix.arguments import with_argument
from agentcheck.model.fix import Edit

Change: TypeAlias = "Callable[[Any], cst.CSTNode | cst.FlattenSentinel[Any]]"


def change_of(edit: Edit, module: cst.Module) -> Change:
    """What an edit does to its node, in the style of the module it is in."""
    return _ACTIONS[edit.action](edit, module)


def _replace(edit: Edit, module: cst.Module) -> Change:
    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        new = cst.parse_expression(edit.code, module.config_for_parsing)
        return new.with_changes(lpar=node.lpar, rpar=node.rpar) if node.lpar else new

    return change


def _keyword(edit: Edit, module: cst.Module) -> Change:
    def change(node: cst.Call) -> cst.Call:
        value = cst.parse_expression(edit.code, module.config_for_parsing)
        return with_argument(node, edit.name, value)

    return change


def _rename(edit: Edit, _: cst.Module) -> Change:
    return lambda node: node.with_changes(keyword=cst.Name(edit.code))


def _guard(edit: Edit, module: cst.Module) -> Change:
    def change(node: cst.SimpleStatementLine) -> cst.Try:
        inner = cst.IndentedBlock([node.with_changes(leading_lines=())])
        handlers = [_except(edit, module)]
        return cst.Try(body=inner, handlers=handlers, leading_lines=node.leading_lines)

    return change


def _handler(edit: Edit, module: cst.Module) -> Change:
    return lambda node: node.with_changes(handlers=[*node.handlers, _except(edit, module)])


def _except(edit: Edit, module: cst.Module) -> cst.ExceptHandler:
    error, _, name = edit.name.partition(" as ")
    return cst.ExceptHandler(
        type=cst.parse_expression(error, module.config_for_parsing),
        name=cst.AsName(cst.Name(name)) if name else None,
        body=cst.IndentedBlock(_statements(edit.code, module)),
    )


def _before(edit: Edit, module: cst.Module) -> Change:
    def change(node: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        first, *more = _statements(edit.code, module)
        lines = list(node.leading_lines)
        blank = next((i for i, line in enumerate(lines) if line.comment), len(lines))
        moved = first.with_changes(leading_lines=lines[:blank])
        kept = node.with_changes(leading_lines=lines[blank:])
        return cst.FlattenSentinel([moved, *more, kept])

    return change


_ACTIONS: Mapping[str, Callable[[Edit, cst.Module], Change]] = {
    "replace": _replace,
    "keyword": _keyword,
    "rename": _rename,
    "guard": _guard,
    "handler": _handler,
    "before": _before,
}


def _statements(code: str, module: cst.Module) -> list[Any]:
    """Statements written with four spaces a level, as the module would indent and end them."""
    lines = [_indented(line, module.default_indent) for line in code.splitlines()]
    written = "".join(line + module.default_newline for line in lines)
    return list(cst.parse_module(written, module.config_for_parsing).body)


def _indented(line: str, indent: str) -> str:
    text = line.lstrip(" ")
    levels, more = divmod(len(line) - len(text), 4)
    return indent * levels + " " * more + text
