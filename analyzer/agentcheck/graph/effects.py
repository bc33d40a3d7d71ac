"""What a tool does to the world, judged from its body, its callees, its name and docstring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agentcheck.graph.effect_words import (
    Weight,
    reads,
    said_by,
    starts_something,
    weight_of,
    words_of,
)
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import argument, dotted, last_name, spoken, string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model.location import Place

Needs = Literal["nothing", "given path", "a verb"]


@dataclass(frozen=True, slots=True)
class Effect:
    """One sign that a tool changes the world. `sure` when code does it, not only words."""

    weight: Weight
    why: str
    place: Place
    sure: bool


@dataclass(frozen=True, slots=True)
class _Sign:
    """A kind of call that has an effect, and what else must hold before it counts as one.

    A file that a tool writes or deletes at a place of its own choosing is its own business; a
    POST may be a search.
    """

    pattern: re.Pattern[str]
    weight: Weight
    says: str
    needs: Needs = "nothing"


def _sign(pattern: str, weight: Weight, says: str, needs: Needs = "nothing") -> _Sign:
    return _Sign(re.compile(pattern), weight, says, needs)


_HTTP = r"^(requests|httpx|aiohttp)(\.\w+)*\."
_SIGNS = (
    _sign(_HTTP + r"(put|patch|delete)$", "change", "sends a changing HTTP request"),
    _sign(_HTTP + r"post$", "change", "sends an HTTP POST", "a verb"),
    _sign(r"^smtplib\.\w+\.(send_message|sendmail)$", "message", "sends mail"),
    _sign(r"^subprocess\.(run|call|check_call|check_output|Popen)$", "code", "starts a process"),
    _sign(r"^os\.(system|popen|exec\w*|spawn\w*)$", "code", "starts a process"),
    _sign(r"^asyncio\.create_subprocess_\w+$", "code", "starts a process"),
    _sign(r"^(builtins\.)?(exec|eval)$", "code", "runs code it was given", "given path"),
    _sign(r"^os\.(remove|unlink|rmdir|removedirs)$", "destructive", "deletes a file", "given path"),
    _sign(r"^shutil\.(rmtree|move)$", "destructive", "deletes or moves files", "given path"),
    _sign(r"^os\.(rename|replace)$", "change", "renames a file", "given path"),
    _sign(r"^pathlib\.Path\.(unlink|rmdir)$", "destructive", "deletes a file", "given path"),
    _sign(r"^pathlib\.Path\.write_(text|bytes)$", "change", "writes a file", "given path"),
    _sign(
        r"^pyautogui\.(\w*[cC]lick|type\w*|write|press|hotkey|key\w+|drag\w*|move\w*|scroll)$",
        "change",
        "drives mouse and keyboard",
    ),
    _sign(r"^stripe\.(\w+\.)+(create|modify|cancel|capture|confirm)$", "money", "moves money"),
    _sign(r"^twilio\..*\.create$", "message", "sends a message"),
    _sign(r"\.chat_postMessage$", "message", "posts a message"),
)
_SQL = re.compile(r"^\s*(insert|update|delete|replace|drop|alter|truncate|create)\b", re.IGNORECASE)
# Effects this many calls below the tool itself count only when its name speaks of one.
NEAR = 1


def effects_of(tracer: Tracer, tool: Tool, depth: int = 3) -> list[Effect]:
    """Every sign that a tool changes the world; empty when there is none."""
    words = words_of(tool.name)
    found = list(_by_data(tool))
    if tool.fn is not None and not reads(words):
        verb = starts_something(words)
        found += list(_by_body(tracer, tool.fn, depth if verb else NEAR, verb, set()))
    spoken_of = _by_words(tool, words)
    return [*found, spoken_of] if spoken_of is not None else found


def _by_data(tool: Tool) -> Iterator[Effect]:
    if tool.data is not None and tool.data.effect == "effect" and tool.fn is None:
        yield Effect("code", f"{tool.name} acts on the machine it runs on", tool.place, sure=True)


def _by_words(tool: Tool, words: list[str]) -> Effect | None:
    """What the name says, else the first sentence of the docstring; a reading verb rules out."""
    if not words or reads(words):
        return None
    weight = weight_of(words)
    if weight is not None:
        return Effect(weight, f"its name says it: {tool.name}", tool.place, sure=False)
    weight, first = said_by(tool.fn.facts.doc) if tool.fn and tool.fn.facts.doc else (None, "")
    return (
        Effect(weight, f"its docstring says: {first}", tool.place, sure=False) if weight else None
    )


def _by_body(
    tracer: Tracer,
    fn: Fn,
    depth: int,
    verb: bool,
    seen: set[Fn],  # noqa: FBT001
) -> Iterator[Effect]:
    if fn in seen or depth < 0:
        return
    seen.add(fn)
    for site, call in tracer.program.calls(fn):
        effect = _of_call(tracer, site, call, verb)
        if effect is not None:
            yield effect
            continue
        for callee in tracer.calls.callees(site):
            yield from _by_body(tracer, callee, depth - 1, verb, seen)


def _of_call(tracer: Tracer, site: Site, call: E.Call, verb: bool) -> Effect | None:  # noqa: FBT001
    names = tracer.resolver.dotted(call.func, site.fn)
    for sign in _SIGNS:
        if any(sign.pattern.search(name) for name in names):
            held = sign.needs == "nothing" or verb
            if held or (sign.needs == "given path" and _given(tracer, site, call)):
                return Effect(sign.weight, sign.says, site.place, sure=True)
            return None
    return _other_call(tracer, site, call, verb)


def _other_call(tracer: Tracer, site: Site, call: E.Call, verb: bool) -> Effect | None:  # noqa: FBT001
    last = last_name(call.func)
    if last == "open" and _opens_for_writing(call) and (verb or _given(tracer, site, call)):
        return Effect("change", "opens a file for writing", site.place, sure=True)
    if last in ("execute", "executemany", "executescript") and call.args:
        if _SQL.match(_literal(tracer, call.args[0].value, site.fn)):
            return Effect("change", "changes a database", site.place, sure=True)
    if last in ("send_message", "sendmail") and not tracer.calls.callees(site):
        return Effect("message", "sends a message", site.place, sure=True)
    return None


def _given(tracer: Tracer, site: Site, call: E.Call) -> bool:
    """Whether what is acted on comes from the caller, so from the model in the end."""
    base = call.func.value if isinstance(call.func, E.Attr) else None
    exprs = [*(a.value for a in call.args[:1]), *([base] if base is not None else [])]
    return any(
        o.kind == "param" and o.param != "self" for e in exprs for o in tracer.local(e, site.fn)
    )


def _literal(tracer: Tracer, expr: E.Expr, fn: Fn) -> str:
    text = spoken(expr)
    if text or not isinstance(expr, E.Name):
        return text
    bindings = tracer.program.scope(fn).get(expr.id, [])
    return next((s for b in bindings if b.expr is not None and (s := spoken(b.expr))), "")


def _opens_for_writing(call: E.Call) -> bool:
    plain = isinstance(call.func, E.Name) or dotted(call.func) in ("io.open", "codecs.open")
    mode = string(argument(call, "mode", 1 if plain else 0))
    return mode is not None and bool(set(mode) & set("wax+")) and len(mode) <= 3
