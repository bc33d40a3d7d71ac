"""Import statements, one `Import` a name."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from agentcheck.facts.context import Context, ToStmt
from agentcheck.model.facts import Import
from agentcheck.model.location import Where
from agentcheck.model.stmt import Bring, Stmt


def plain(context: Context, node: cst.Import | cst.LazyImport) -> Stmt:
    """`import a.b as c, d`."""
    first = len(context.imports)
    for alias in node.names:
        _add(context, context.where(alias), dotted(alias.name), 0, None, _asname(alias))
    return _bring(context, node, first)


def from_(context: Context, node: cst.ImportFrom | cst.LazyImportFrom) -> Stmt:
    """`from ..m import n as o`, also the star."""
    first = len(context.imports)
    module, level = "" if node.module is None else dotted(node.module), len(node.relative)
    for where, name, alias in _names(context, node):
        _add(context, where, module, level, name, alias)
    return _bring(context, node, first)


def _names(
    context: Context, node: cst.ImportFrom | cst.LazyImportFrom
) -> Iterator[tuple[Where, str, str | None]]:
    if isinstance(node.names, cst.ImportStar):
        yield context.where(node.names), "*", None
        return
    for alias in node.names:
        yield context.where(alias), dotted(alias.name), _asname(alias)


def _add(
    context: Context, where: Where, module: str, level: int, name: str | None, alias: str | None
) -> None:
    scope = context.scope
    found = Import(where, module, level, name, alias, scope.function, scope.guarded)
    context.imports.append(found)


def _bring(context: Context, node: cst.CSTNode, first: int) -> Stmt:
    return Bring(context.where(node), tuple(range(first, len(context.imports))))


def dotted(node: cst.BaseExpression) -> str:
    """The dotted name that a chain of attributes spells."""
    names = []
    while isinstance(node, cst.Attribute):
        names.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Name):
        names.append(node.value)
    return ".".join(reversed(names))


def _asname(node: cst.ImportAlias) -> str | None:
    name = None if node.asname is None else node.asname.name
    return name.value if isinstance(name, cst.Name) else None


TABLE: dict[type[cst.CSTNode], ToStmt] = {
    cst.Import: plain,
    cst.LazyImport: plain,
    cst.ImportFrom: from_,
    cst.LazyImportFrom: from_,
}
