"""Which way a test of an approval goes: its truth means yes, means no, or cannot be told."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    descend,
    gates_in,
    last_name,
    lazy_re,
    read_key,
    string,
)

NO_TEXTS = frozenset(
    "n no deny denied reject rejected decline declined refuse refused block blocked cancel "
    "skip abort".split()
)
YES_TEXTS = frozenset(
    "y yes ok okay allow allowed approve approved accept accepted confirm confirmed proceed once "
    "always a".split()
)
_NO_WORDS = lazy_re(
    r"(^|_)(den(y|ied)|reject(ed|s)?|declined?|refused?|blocked|forbidden|disallowed)(_|$)"
)
# Such a name asks whether somebody has to be asked; it is no answer.
_ASKS = lazy_re(r"need|requir|should|must|pending|await|auto|mode|wait|interrupt|callback")


class Verdicts(Struct):
    """The answers of one function's gates, by the expressions and names that hold them."""

    graph: AgentGraph
    fn: Fn
    _ids: frozenset[int] | None = None

    def of(self, test: E.Expr) -> bool | None:
        """True where the test holds for a yes, False for a no, None where nobody can tell."""
        match test:
            case E.Unary(op="not", operand=operand):
                inner = self.of(operand)
                return None if inner is None else not inner
            case E.Await(value=value) | E.Walrus(value=value):
                return self.of(value)
            case E.Logic(values=values):
                return next((v for v in map(self.of, values) if v is not None), None)
            case E.Compare(left=left, ops=(op,), rights=(right,)):
                return self._compared(left, op, right)
            case E.Call(func=E.Attr(attr="startswith", value=value), args=(first, *_)):
                return _said(first.value) if self._holds(value) else None
            case _:
                return self._bare(test)

    def _bare(self, test: E.Expr) -> bool | None:
        word = word_of(test)
        if _ASKS.search(word) or not self._holds(test):
            return None
        return not _NO_WORDS.search(word)

    def _compared(self, left: E.Expr, op: str, right: E.Expr) -> bool | None:
        turned = op in ("!=", "not in", "is not")
        if op in ("in", "not in") and self._holds(right) and not _ASKS.search(word_of(right)):
            said: bool | None = not _NO_WORDS.search(word_of(right))
        elif self._holds(left) and not _ASKS.search(word_of(left)):
            said = _said(right)
        else:
            return None
        return None if said is None else said is not turned

    def _holds(self, expr: E.Expr) -> bool:
        """Whether an expression is the answer of a gate."""
        if any(id(e) in self._gates() for e in descend(expr)):
            return True
        root = expr
        while isinstance(root, (E.Attr, E.Index, E.Call)):
            root = root.func if isinstance(root, E.Call) else root.value
        if not isinstance(root, E.Name):
            return False
        return any(id(o.expr) in self._gates() for o in self.graph.tracer.local(root, self.fn))

    def _gates(self) -> frozenset[int]:
        if self._ids is None:
            found = gates_in(self.graph, self.fn, "dispatch", depth=1)
            self._ids = frozenset(id(g.by.expr) for g in found if g.by is not None)
        return self._ids


def word_of(expr: E.Expr) -> str:
    """The name that a value goes by: of what is called, read or named."""
    while isinstance(expr, E.Await):
        expr = expr.value
    word = read_key(expr)
    if word is None:
        word = last_name(expr.func if isinstance(expr, E.Call) else expr)
    return (word or "").lower()


def _said(value: E.Expr) -> bool | None:
    """What the texts that an answer is compared with say."""
    if isinstance(value, E.Const) and isinstance(value.value, bool):
        return value.value
    parts = value.items if isinstance(value, E.Items) else (value,)
    texts = {(string(p) or last_name(p) or "").strip().lower() for p in parts} - {""}
    if texts and texts <= YES_TEXTS:
        return True
    return False if texts and texts <= NO_TEXTS else None
