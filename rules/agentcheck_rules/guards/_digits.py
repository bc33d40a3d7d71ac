"""Patterns that take runs of digits for card numbers, and checks of the last digit."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, S, Site, descend, dotted, last_name, lazy_re, string

_DIGIT = r"(?:\\d|\[0-9\])"
_GAP = r"(?:\[[^\]]*[-\s][^\]]*\]|\\s|\(\?:[^()]*\)|[- ])?[?*]{0,2}\??"
# 13 or more digits in one run, with or without gaps, or four groups of four.
_CARDS = (
    lazy_re(r"(?<![\]0-9])" + _DIGIT + r"\{1[3-6](?:,\d*)?\}"),
    lazy_re(r"\((?:\?:)?" + _DIGIT + _GAP + r"\)\{1[2-6](?:,\d*)?\}"),
    lazy_re(r"(?:" + _DIGIT + r"\{4\}" + _GAP + r"){3}" + _DIGIT + r"\{[1-4](?:,4)?\}"),
    lazy_re(r"\((?:\?:)?" + _DIGIT + r"\{4\}" + _GAP + r"\)\{3\}" + _DIGIT + r"\{[1-4]"),
)
_HIDES = lazy_re(
    r"redact|mask|scrub|anonymi|pii|sensitive|sanitiz|privacy|leak|guard|block|credit|"
    r"(^|[^a-z])card|(^|[^a-z])cc($|[^a-z])"
)
_TAKES = lazy_re(r"^_*(extract|parse|validate|format|read|normali[sz]e|find_order)")
_CHECKS = lazy_re(r"luhn|check_?digit|checksum|mod_?10|card_?valid|valid_?card|stdnum")


class Digits(Struct, frozen=True):
    """A pattern for digits of the length of a card number, and the words around it."""

    fn: Fn
    site: Site


def digit_patterns(graph: AgentGraph, fn: Fn) -> Iterator[Digits]:
    """The patterns of a function that hide or stop whatever is as long as a card number."""
    if _TAKES.search(fn.name.lower()):
        return
    for site in graph.program.shaped(fn, E.Const):
        text = string(site.expr)
        if text and "{" in text and any(card.search(text) for card in _CARDS):
            label = " ".join(_labels(fn, site)).lower()
            if _HIDES.search(label):
                yield Digits(fn, site)


def _labels(fn: Fn, site: Site) -> Iterator[str]:
    """The words that tell what a pattern is for: names, keys, and what is put in its place."""
    yield fn.name if fn.index else ""
    stmt = site.at.stmt
    if isinstance(stmt, S.Assign):
        yield from (last_name(t) or "" for t in stmt.targets)
    for whole in _around(stmt):
        for expr in descend(whole):
            yield from _words(expr, site.expr)


def _around(stmt: S.Stmt) -> Iterator[E.Expr]:
    match stmt:
        case S.Assign(value=value) | S.Return(value=value) | S.Do(value=value):
            if value is not None:
                yield value
        case S.If(test=test):
            yield test
        case S.For(iter=over):
            yield over
        case _:
            return


def _words(expr: E.Expr, pattern: E.Expr) -> Iterator[str]:
    """The key, the replacement or the neighbour of a pattern in one display or call."""
    match expr:
        case E.Entries(entries=entries):
            for entry in entries:
                if entry.key is not None and any(e is pattern for e in descend(entry.value)):
                    yield string(entry.key) or last_name(entry.key) or ""
        case E.Items(items=items) if any(e is pattern for i in items for e in descend(i)):
            yield from (string(i) or "" for i in items if i is not pattern)
        case E.Call(args=args) if any(e is pattern for a in args for e in descend(a.value)):
            yield from (string(a.value) or "" for a in args if a.value is not pattern)
            yield from (a.name or "" for a in args)
        case _:
            return


def check_digit(graph: AgentGraph, path: str) -> Site | None:
    """Where code of the same process, or what it imports, checks a number's last digit."""
    for other in sorted(graph.program.modules.together(path)):
        for fn in graph.program.functions[other]:
            for site, call in graph.program.calls(fn):
                if _CHECKS.search((dotted(call.func) or "").lower()) or _takes_modulo(fn, site):
                    return site
    return None


def _takes_modulo(fn: Fn, site: Site) -> bool:
    """`sum(...) % 10 == 0`, and a function that is named for the check."""
    if fn.index and _CHECKS.search(fn.name.lower()):
        return True
    return any(
        isinstance(e, E.Binary) and e.op == "%" and _is_ten(e.right) and _sums(e.left)
        for e in _own(site.at.stmt)
    )


def _own(stmt: S.Stmt) -> Iterator[E.Expr]:
    for whole in _around(stmt):
        yield from descend(whole)


def _is_ten(expr: E.Expr) -> bool:
    return isinstance(expr, E.Const) and expr.value == 10


def _sums(expr: E.Expr) -> bool:
    return any(isinstance(e, E.Call) and last_name(e.func) == "sum" for e in descend(expr))
