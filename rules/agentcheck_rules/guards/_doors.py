"""Places where a guard that failed, or could not ask, lets the action go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from agentcheck.rule import E, Fn, Place, S, blocks, dotted, last_name
from agentcheck_rules.guards._verdicts import Answer, guard_answer, lets_through, meaning, refuses

_WIDE = frozenset(
    "Exception BaseException TimeoutError EOFError ConnectionError HTTPError RequestException "
    "APIError APIConnectionError APITimeoutError OpenAIError AnthropicError RateLimitError "
    "JSONDecodeError ValueError ValidationError OSError IOError RuntimeError ReadTimeout Timeout "
    "APIStatusError ClientError RequestError".split()
)
# With these beside them, wide errors are still what a failing guard raises.
_BESIDE = frozenset({"TypeError", "KeyError", "AttributeError", "IndexError", "CancelledError"})
_LOGS = frozenset(
    "debug info warning warn error exception critical log print echo secho write".split()
)
_ENDS = frozenset("exit _exit abort".split())


class Door(Struct, frozen=True):
    """`open` where the action goes on. `kind`: error, terminal, default, missing or swallowed."""

    fn: Fn
    kind: str
    place: Place
    open: bool
    other: Place | None = None


Block = Sequence[S.Stmt]


def bodies(block: Block) -> list[Block]:
    """A block and all the blocks inside its statements."""
    found = [block]
    for stmt in block:
        for _, _, inner in blocks(stmt):
            found += bodies(inner)
    return found


def handled(fn: Fn) -> Iterator[Door]:
    """What the handlers of a function answer when the guard itself fails."""
    answer = guard_answer(fn)
    for block in bodies(fn.facts.body):
        for i, stmt in enumerate(block):
            if type(stmt) is S.Try:
                for handler in stmt.handlers:
                    if is_wide(handler):
                        yield from _handler(fn, answer, block, i, handler)


def is_wide(handler: S.Handler) -> bool:
    """Whether it takes errors, time-outs or the end of input, and not one known harmless case."""
    kind = handler.type
    if kind is None:
        return True
    types = kind.items if isinstance(kind, E.Items) else (kind,)
    names = [last_name(t) or "" for t in types]
    wide = [n in _WIDE or n.endswith(("Timeout", "TimeoutError")) for n in names]
    return any(wide) and all(w or n in _BESIDE for w, n in zip(wide, names, strict=True))


def _handler(fn: Fn, answer: Answer, block: Block, i: int, handler: S.Handler) -> Iterator[Door]:
    returned = next((s for s in handler.body if isinstance(s, S.Return)), None)
    if returned is not None:
        if lets_through(returned.value, answer):
            yield Door(
                fn, "error", fn.place(returned.span), open=True, other=fn.place(handler.span)
            )
        elif refuses(returned.value, answer):
            yield Door(
                fn, "error", fn.place(returned.span), open=False, other=fn.place(handler.span)
            )
        return
    if leaves(handler.body):
        return
    yield from _assigned(fn, block, i, handler)
    after = block[i + 1] if i + 1 < len(block) else None
    if answer is None or not isinstance(after, S.Return) or not _decides(block[i]):
        return
    if isinstance(after.value, E.Const) and lets_through(after.value, answer):
        yield Door(fn, "error", fn.place(handler.span), open=True, other=fn.place(after.span))


def _decides(stmt: S.Stmt) -> bool:
    """Whether a `try` body has an answer of its own to give."""
    return any(isinstance(s, S.Return) for block in bodies(_tried(stmt)) for s in block)


def _tried(stmt: S.Stmt) -> Block:
    return stmt.body if isinstance(stmt, S.Try) else ()


def _assigned(fn: Fn, block: Block, i: int, handler: S.Handler) -> Iterator[Door]:
    """`approved = True` in the handler, or before the `try` whose handler leaves it so."""
    asked = {n for s in _tried(block[i]) for n, v in _sets(s) if not isinstance(v, E.Const)}
    named = {n for n in asked if meaning(n.rpartition(".")[2]) is not None}
    mended = {n: (s, v) for s in handler.body for n, v in _sets(s)}
    before = {n: (s, v) for s in block[:i] for n, v in _sets(s)}
    for name in sorted(named):
        stmt, value = mended.get(name) or before.get(name) or (None, None)
        if stmt is None:
            continue
        answer = meaning(name.rpartition(".")[2])
        if lets_through(value, answer) or refuses(value, answer):
            opened = lets_through(value, answer)
            yield Door(fn, "error", fn.place(stmt.span), open=opened, other=fn.place(handler.span))


def _sets(stmt: S.Stmt) -> Iterator[tuple[str, E.Expr]]:
    if isinstance(stmt, S.Assign) and stmt.value is not None:
        for target in stmt.targets:
            name = dotted(target)
            if name is not None:
                yield name, stmt.value


def leaves(block: Block) -> bool:
    """Whether some way through a block ends the function, the turn or the process."""
    return any(
        isinstance(s, (S.Return, S.Raise))
        or (isinstance(s, S.Jump) and s.kind != "pass")
        or (isinstance(s, S.Do) and _ends(s.value))
        for inner in bodies(block)
        for s in inner
    )


def _ends(value: E.Expr) -> bool:
    return isinstance(value, E.Call) and last_name(value.func) in _ENDS


def swallowed(fn: Fn) -> Iterator[Door]:
    """`try: check(x)` whose handler only reports, with the action behind the whole `try`."""
    for block in bodies(fn.facts.body):
        for i, stmt in enumerate(block):
            if type(stmt) is S.Try and not stmt.orelse and len(stmt.body) <= 3:
                asked = _asks_only(stmt.body)
                silent = next((h for h in stmt.handlers if is_wide(h)), None)
                denied = any(not is_wide(h) and leaves(h.body) for h in stmt.handlers)
                if asked is None or silent is None or _answers(silent.body):
                    continue
                opened = not leaves(silent.body) and any(map(_acts, block[i + 1 :]))
                if opened or leaves(silent.body):
                    place = fn.place(silent.span)
                    yield Door(
                        fn, "denied" if denied else "swallowed", place, opened, fn.place(asked.span)
                    )


def _answers(block: Block) -> bool:
    """Whether a handler sets something that later code may look at."""
    return any(isinstance(s, (S.Assign, S.AugAssign)) for inner in bodies(block) for s in inner)


def _asks_only(body: Block) -> E.Call | None:
    """The guard that a `try` body asks when it does nothing else but act on a no."""
    first, rest = body[0], body[1:]
    call = _guard_call(first)
    if call is None or any(not isinstance(s, S.If) or not leaves(s.body) for s in rest):
        return None
    if isinstance(first, S.If):
        return call if leaves(first.body) else None
    return call if isinstance(first, S.Do) or rest else None


def _guard_call(stmt: S.Stmt) -> E.Call | None:
    match stmt:
        case S.Do(value=value) | S.Assign(value=value):
            pass
        case S.If(test=test):
            value = test.operand if isinstance(test, E.Unary) else test
        case _:
            return None
    if isinstance(value, E.Await):
        value = value.value
    if isinstance(value, E.Call) and meaning(last_name(value.func) or "") is not None:
        return value
    return None


def _acts(stmt: S.Stmt) -> bool:
    """Whether a statement calls something other than a log."""
    values = [stmt.value] if isinstance(stmt, (S.Do, S.Assign, S.Return)) else []
    if isinstance(stmt, (S.If, S.For, S.With, S.Try, S.While)):
        return any(_acts(s) for _, _, inner in blocks(stmt) for s in inner)
    for value in values:
        bare = value.value if isinstance(value, E.Await) else value
        if isinstance(bare, E.Call) and last_name(bare.func) not in _LOGS:
            return True
    return False
