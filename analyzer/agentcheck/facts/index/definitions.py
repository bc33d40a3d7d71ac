"""Functions, classes and the module's own body, from CPython's tree."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence

from agentcheck.facts.escapes import without_surrogates
from agentcheck.facts.index.expressions import arguments, in_order
from agentcheck.facts.index.lowering import Lowering, ToStmt
from agentcheck.facts.index.parameters import params
from agentcheck.facts.scope import Scope, whole_file
from agentcheck.model.expr import Expr
from agentcheck.model.facts import Class, Function
from agentcheck.model.location import Where
from agentcheck.model.pattern import lazy_re
from agentcheck.model.stmt import Define, Stmt

_HEAD = lazy_re(r"(?:async(?:[ \t\f]|\\\r?\n)+)?(?:def|class)(?:[ \t\f]|\\\r?\n)+")


def module(low: Lowering, node: ast.Module, where: Where) -> None:
    """Lower a whole file; its body becomes function 0."""
    low.functions.append(None)
    body = low.block(node.body)
    doc, doc_where = _docstring(low, node.body)
    low.functions[0] = whole_file(where, body, doc, doc_where)


def function(low: Lowering, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Stmt:
    """A function or method; decorators, defaults and annotations belong to the scope around."""
    outer, index = low.scope, len(low.functions)
    qualname = f"{outer.prefix}{node.name}"
    low.functions.append(None)
    decorators = _decorators(low, node.decorator_list)
    parameters = params(low, node.args)
    returns = low.maybe(node.returns)
    with low.within(Scope(index, None, f"{qualname}.", guarded=False)):
        body = low.block(node.body)
    doc, doc_where = _docstring(low, node.body)
    where = low.until(node, body)
    low.functions[index] = Function(
        qualname=qualname,
        name=node.name,
        where=where,
        name_where=_name_where(low, node),
        params=parameters,
        returns=returns,
        decorators=decorators,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_generator=index in low.generators,
        doc=doc,
        doc_where=doc_where,
        owner=outer.owner,
        parent=outer.function,
        body=body,
    )
    return Define(where, "function", node.name, index)


def class_(low: Lowering, node: ast.ClassDef) -> Stmt:
    """A class; keywords such as `metaclass=` stand among its bases."""
    outer, index = low.scope, len(low.classes)
    qualname = f"{outer.prefix}{node.name}"
    low.classes.append(None)
    decorators = _decorators(low, node.decorator_list)
    given = arguments(low, in_order(node.bases, node.keywords), _before_bases(low, node))
    bases = sorted(given, key=lambda arg: arg.name is not None or arg.star == "**")
    with low.within(Scope(outer.function, index, f"{qualname}.", outer.guarded)):
        body = low.block(node.body)
    where = low.until(node, body)
    low.classes[index] = Class(
        qualname=qualname,
        name=node.name,
        where=where,
        name_where=_name_where(low, node),
        bases=tuple(bases),
        decorators=decorators,
        doc=_docstring(low, node.body)[0],
        parent=outer.function,
        owner=outer.owner,
        body=body,
    )
    return Define(where, "class", node.name, index)


def _before_bases(low: Lowering, node: ast.ClassDef) -> int:
    """Where the bases of a class begin at the earliest: behind its name and type parameters."""
    declared = getattr(node, "type_params", None)
    if declared:
        return low.text.text.index("]", low.text.end(declared[-1]))
    return _name_start(low, node) + len(node.name)


def _name_start(low: Lowering, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    start = low.text.start(node)
    head = _HEAD.match(low.text.text, start)
    return head.end() if head else start


def _name_where(
    low: Lowering, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
) -> Where:
    start = _name_start(low, node)
    return low.text.between(start, start + len(node.name))


def _decorators(low: Lowering, nodes: Sequence[ast.expr]) -> tuple[Expr, ...]:
    return tuple([low.expr(node) for node in nodes])


def _docstring(low: Lowering, body: Sequence[ast.stmt]) -> tuple[str | None, Where | None]:
    first = body[0] if body else None
    literal = first.value if isinstance(first, ast.Expr) else None
    if not isinstance(literal, ast.Constant) or not isinstance(literal.value, str):
        return None, None
    return inspect.cleandoc(without_surrogates(literal.value)), low.where(literal)


TABLE: dict[type[ast.AST], ToStmt] = {
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
}
