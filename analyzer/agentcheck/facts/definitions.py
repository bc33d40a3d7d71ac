"""Functions, classes and the module's own body."""

from __future__ import annotations

import inspect

import libcst as cst

from agentcheck.facts.context import Context, ToStmt
from agentcheck.facts.expressions import argument
from agentcheck.facts.parameters import params
from agentcheck.facts.scope import Scope, whole_file
from agentcheck.facts.strings import pieces_of, value_of
from agentcheck.model.expr import Expr
from agentcheck.model.facts import Class, Function
from agentcheck.model.location import Where
from agentcheck.model.stmt import Define, Stmt


def module(context: Context, node: cst.Module, where: Where) -> None:
    """Lower a whole file; its body becomes function 0."""
    context.functions.append(None)
    body = context.block(node)
    doc, doc_where = _docstring(context, node)
    context.functions[0] = whole_file(where, body, doc, doc_where)


def function(context: Context, node: cst.FunctionDef) -> Stmt:
    """A function or method; decorators, defaults and annotations belong to the scope around."""
    outer, index = context.scope, len(context.functions)
    qualname = f"{outer.prefix}{node.name.value}"
    context.functions.append(None)
    decorators = _decorators(context, node)
    parameters = params(context, node.params)
    returns = None if node.returns is None else context.expr(node.returns.annotation)
    with context.within(Scope(index, None, f"{qualname}.", guarded=False)):
        body = context.block(node.body)
    doc, doc_where = _docstring(context, node.body)
    context.functions[index] = Function(
        qualname=qualname,
        name=node.name.value,
        where=context.where(node),
        name_where=context.where(node.name),
        params=parameters,
        returns=returns,
        decorators=decorators,
        is_async=node.asynchronous is not None,
        is_generator=index in context.generators,
        doc=doc,
        doc_where=doc_where,
        owner=outer.owner,
        parent=outer.function,
        body=body,
    )
    return Define(context.where(node), "function", node.name.value, index)


def class_(context: Context, node: cst.ClassDef) -> Stmt:
    """A class; keywords such as `metaclass=` stand among its bases."""
    outer, index = context.scope, len(context.classes)
    qualname = f"{outer.prefix}{node.name.value}"
    context.classes.append(None)
    decorators = _decorators(context, node)
    bases = tuple(argument(context, arg) for arg in (*node.bases, *node.keywords))
    with context.within(Scope(outer.function, index, f"{qualname}.", outer.guarded)):
        body = context.block(node.body)
    context.classes[index] = Class(
        qualname=qualname,
        name=node.name.value,
        where=context.where(node),
        name_where=context.where(node.name),
        bases=bases,
        decorators=decorators,
        doc=_docstring(context, node.body)[0],
        parent=outer.function,
        owner=outer.owner,
        body=body,
    )
    return Define(context.where(node), "class", node.name.value, index)


def _decorators(context: Context, node: cst.FunctionDef | cst.ClassDef) -> tuple[Expr, ...]:
    return tuple(context.expr(decorator.decorator) for decorator in node.decorators)


def _docstring(
    context: Context, body: cst.Module | cst.BaseSuite
) -> tuple[str | None, Where | None]:
    literal = _first_literal(body)
    text = None if literal is None else _text(literal)
    if literal is None or text is None:
        return None, None
    return inspect.cleandoc(text), context.where(literal)


def _first_literal(body: cst.Module | cst.BaseSuite) -> cst.BaseExpression | None:
    first = body.body[0] if body.body else None
    if isinstance(first, cst.SimpleStatementLine):
        first = first.body[0]
    return first.value if isinstance(first, cst.Expr) else None


def _text(literal: cst.BaseExpression) -> str | None:
    if isinstance(literal, cst.SimpleString):
        return value_of(literal)
    if not isinstance(literal, cst.ConcatenatedString):
        return None
    pieces = [p for p in pieces_of(literal) if isinstance(p, cst.SimpleString)]
    values = [value_of(piece) for piece in pieces]
    whole = len(pieces) == sum(1 for _ in pieces_of(literal)) and None not in values
    return "".join(value or "" for value in values) if whole else None


TABLE: dict[type[cst.CSTNode], ToStmt] = {
    cst.FunctionDef: function,
    cst.ClassDef: class_,
}
