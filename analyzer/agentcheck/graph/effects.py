"""What a tool does to the world, judged from its body, its callees, its name and docstring."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.graph.computing import computes_only, holds_run_state
from agentcheck.graph.effect_calls import Told, effect_of_call
from agentcheck.graph.effect_signs import DESKTOP
from agentcheck.graph.effect_words import (
    Weight,
    reads,
    said_by,
    verb_of,
    weight_of,
    words_of,
)
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

# Effects this many calls below the tool itself count only when its name speaks of one.
NEAR = 1


class Effect(Struct, frozen=True):
    """One sign that a tool changes the world. `sure` when code does it, not only words.

    `by` is the call in the tool's own body that does it or leads to it; None for words.
    """

    weight: Weight
    why: str
    place: Place
    sure: bool
    by: Site | None = None

    @property
    def is_desktop(self) -> bool:
        """Whether it is one of the small moves by which a desktop is driven."""
        return self.why == DESKTOP


def effects_of(tracer: Tracer, tool: Tool) -> list[Effect]:
    """Every sign that a tool changes the world; empty when there is none."""
    known = tracer.effects.get(id(tool))
    if known is None:
        # With the tool, whose id is its own for as long as it lives.
        known = tracer.effects[id(tool)] = (tool, _effects(tracer, tool))
    return known[1]


def _effects(tracer: Tracer, tool: Tool, depth: int = 3) -> list[Effect]:
    words = words_of(tool.name)
    found = list(_by_data(tracer, tool))
    if tool.fn is not None:
        told: Told = "reads" if reads(words) else "acts" if verb_of(words) else "unsaid"
        far = {"reads": 0, "acts": depth, "unsaid": NEAR}[told]
        found += _by_body(tracer, tool.fn, far, told)
    spoken_of = _by_words(tracer, tool, words, found)
    return [*found, spoken_of] if spoken_of is not None else found


def _by_data(tracer: Tracer, tool: Tool) -> Iterator[Effect]:
    if tool.data is None or tool.data.effect != "effect" or tool.fn is not None:
        return
    if not _kept_away(tracer, tool):
        yield Effect("code", "acts on the world, by what its SDK says of it", tool.place, sure=True)


def _kept_away(tracer: Tracer, tool: Tool) -> bool:
    """Whether a hosted tool is told to look only, or to run in its provider's container."""
    if tool.built is None:
        return False
    for arg in tool.built.call.args:
        for origin in tracer.local(arg.value, tool.built.fn):
            words = _setting(origin.expr)
            if any(w in ("read-only", "read_only") or w.startswith("container") for w in words):
                return True
    return False


def _setting(expr: E.Expr | None) -> list[str]:
    """A string argument, or the `type` of a dict one."""
    if isinstance(expr, E.Entries):
        typed = (e.value for e in expr.entries if e.key is not None and string(e.key) == "type")
        return [string(value) or "" for value in typed]
    return [string(expr) or ""]


def _by_words(
    tracer: Tracer, tool: Tool, words: tuple[str, ...], found: list[Effect]
) -> Effect | None:
    """What the name says, else the first sentence of the docstring; a reading verb rules out.

    A body that only computes speaks against both, and so does the state of the run itself among
    the parameters, where the words tell of a change.
    """
    if not words or reads(words):
        return None
    weight, says = weight_of(words), "changes the world, to judge by its name"
    if weight is None and tool.fn is not None and tool.fn.facts.doc:
        weight, first = said_by(tool.fn.facts.doc)
        says = f"changes the world, by its docstring: {first}"
    if weight is None or (tool.fn is not None and _is_harmless(tracer, tool.fn, weight, found)):
        return None
    return Effect(weight, says, tool.place, sure=False)


def _is_harmless(tracer: Tracer, fn: Fn, weight: Weight, found: list[Effect]) -> bool:
    if found:
        return False
    if _is_signal(fn):
        return True
    return computes_only(tracer, fn) or (weight == "change" and holds_run_state(fn))


def _is_signal(fn: Fn) -> bool:
    """Whether a tool takes nothing and does nothing, so that only its being called tells."""
    empty = all(
        isinstance(s, S.Jump) or (isinstance(s, S.Do) and isinstance(s.value, E.Const))
        for s in fn.facts.body
    )
    return empty and not fn.facts.params


def _by_body(tracer: Tracer, fn: Fn, depth: int, told: Told) -> Iterator[Effect]:
    for site, call in tracer.program.calls(fn):
        done = effect_of_call(tracer, site, call, told)
        if done is not None:
            yield Effect(*done, site.place, sure=True, by=site)
            continue
        for callee in tracer.calls.callees(site):
            for weight, why, place in _below(tracer, callee, depth - 1, told, {fn}):
                yield Effect(weight, why, place, sure=True, by=site)


def _below(
    tracer: Tracer, fn: Fn, depth: int, told: Told, seen: set[Fn]
) -> Iterator[tuple[Weight, str, Place]]:
    if fn in seen or depth < 0:
        return
    seen.add(fn)
    for site, call in tracer.program.calls(fn):
        done = effect_of_call(tracer, site, call, told)
        if done is not None:
            yield (*done, site.place)
            continue
        for callee in tracer.calls.callees(site):
            yield from _below(tracer, callee, depth - 1, told, seen)
