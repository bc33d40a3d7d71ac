"""Which blocks end a loop, a turn or a function, and which always do."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from agentcheck.graph.bound import Loop
from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Ctx, Fn, Located, Site
from agentcheck.graph.text import dotted, last_name
from agentcheck.graph.walk import blocks
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

Block = tuple[S.Stmt, ...]
_EXIT = {"sys.exit", "exit", "quit", "os._exit"}
_BROAD = {"Exception", "BaseException"}


def block_of(at: Located) -> Block:
    """The block that a statement stands in; the function's body where nothing is around it."""
    if at.up is None:
        return at.fn.facts.body
    return next(
        (b for part, i, b in blocks(at.up.stmt) if part == at.up.part and i == at.up.index), ()
    )


def after(at: Located) -> Block:
    """The statements that follow in the same block."""
    block = block_of(at)
    index = next((i for i, s in enumerate(block) if s is at.stmt), len(block))
    return block[index + 1 :]


def inner_loop(at: Located, loop: Loop) -> bool:
    """Whether a loop stands between the statement and the loop, so that `break` ends that one."""
    for ctx in at.around():
        if ctx.stmt is loop:
            return False
        if isinstance(ctx.stmt, (S.While, S.For)) and ctx.part == "body":
            return True
    return False


class Endings(Struct):
    """Answers for one function; helpers that never return end a block too."""

    calls: Calls
    fn: Fn
    _never: dict[Fn, bool] = field(default_factory=dict)

    def may(self, block: Block, *, nested: bool = False) -> bool:
        """Whether some path of a block leaves the loop; `nested` inside one of its own loops."""
        return any(self._may(stmt, nested=nested) for stmt in block)

    def _may(self, stmt: S.Stmt, *, nested: bool) -> bool:
        match stmt:
            case S.Return() | S.Raise():
                return True
            case S.Jump(kind="break"):
                return not nested
            case S.Do(value=value):
                return self.never_returns(value)
            case S.While() | S.For():
                return self.may(stmt.body, nested=True) or self.may(stmt.orelse, nested=nested)
            case S.If() | S.With() | S.Try() | S.Match():
                return any(self.may(b, nested=nested) for _, _, b in blocks(stmt))
            case _:
                return False

    def surely(self, block: Block, *, turn: bool = False, nested: bool = False) -> bool:
        """Whether every path of a block leaves the loop; with `turn`, leaves or ends the turn."""
        return any(self._surely(stmt, turn=turn, nested=nested) for stmt in block)

    def _surely(self, stmt: S.Stmt, *, turn: bool, nested: bool) -> bool:
        def surely(block: Block) -> bool:
            return self.surely(block, turn=turn, nested=nested)

        match stmt:
            case S.Return() | S.Raise():
                return True
            case S.Jump(kind=kind):
                return (kind == "break" and not nested) or (kind == "continue" and turn)
            case S.Do(value=value):
                return self.never_returns(value)
            case S.If():
                return surely(stmt.body) and surely(stmt.orelse)
            case S.With():
                return surely(stmt.body)
            case S.Try():
                done = surely(stmt.body) or surely(stmt.orelse)
                return surely(stmt.final) or (done and all(surely(h.body) for h in stmt.handlers))
            case S.Match(cases=cases):
                last = cases[-1] if cases else None
                every = last is not None and isinstance(last.pattern, E.Name) and not last.guard
                return every and all(surely(c.body) for c in cases)
            case _:
                return False

    def never_returns(self, value: E.Expr) -> bool:
        """A call that exits, or enters a function of the target whose every path raises."""
        call = value.value if isinstance(value, E.Await) else value
        if not isinstance(call, E.Call):
            return False
        if dotted(call.func) in _EXIT:
            return True
        found = self.calls.callees(Site(call, Located(S.Do(call.where, call), self.fn, None)))
        return bool(found) and all(self._raises(fn) for fn in found)

    def _raises(self, fn: Fn) -> bool:
        if fn not in self._never:
            self._never[fn] = False
            self._never[fn] = not fn.facts.is_generator and _always_raises(fn.facts.body)
        return self._never[fn]

    def swallowed(self, at: Located, loop: Loop, raised: Sequence[str] = ()) -> bool:
        """Whether what is raised here is caught inside the loop by a handler that goes on."""
        for ctx in at.around():
            if ctx.stmt is loop:
                return False
            if isinstance(ctx.stmt, S.Try) and ctx.part == "body":
                nested = inner_loop(Located(ctx.stmt, at.fn, ctx.up), loop)
                caught = [h for h in ctx.stmt.handlers if _catches(h, raised)]
                if caught:
                    return not self.may(caught[0].body, nested=nested)
        return False

    def succeeds_out(self, at: Located, ctx: Ctx, *, nested: bool = False) -> bool:
        """Whether a turn that meets no exception in a `try` leaves the loop."""
        rest = after(Located(ctx.stmt, at.fn, ctx.up))
        parts = [b for part, _, b in blocks(ctx.stmt) if part in ("body", "orelse")]
        return any(self.surely(b, nested=nested) for b in (*parts, rest))


def _catches(handler: S.Handler, raised: Sequence[str]) -> bool:
    if handler.type is None:
        return True
    names = handler.type.items if isinstance(handler.type, E.Items) else (handler.type,)
    return any((last_name(n) or "") in (*_BROAD, *raised) for n in names)


def _always_raises(block: Block) -> bool:
    for stmt in block:
        match stmt:
            case S.Return() | S.While() | S.For():
                return False
            case S.Raise():
                return True
            case S.Do(value=E.Call(func=func)) if dotted(func) in _EXIT:
                return True
            case S.If():
                if stmt.orelse and all(_always_raises(b) for b in (stmt.body, stmt.orelse)):
                    return True
                if _returns(stmt.body) or _returns(stmt.orelse):
                    return False
            case S.With():
                if _always_raises(stmt.body):
                    return True
            case S.Try():
                return _always_raises(stmt.final)
            case _:
                continue
    return False


def _returns(block: Block) -> bool:
    return any(isinstance(s, S.Return) or any(_returns(b) for _, _, b in blocks(s)) for s in block)
