"""What a tool does to the world, judged from its body, its callees, its name and docstring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.text import argument, dotted, last_name, spoken, string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model.location import Place

Weight = Literal["money", "message", "destructive", "code", "change"]


@dataclass(frozen=True, slots=True)
class Effect:
    """One sign that a tool changes the world. `sure` when code does it, not only words."""

    weight: Weight
    why: str
    place: Place
    sure: bool


MONEY = {
    "refund",
    "pay",
    "payment",
    "charge",
    "purchase",
    "buy",
    "transfer",
    "withdraw",
    "deposit",
    "credit",
    "credits",
    "order",
    "invoice",
    "payout",
    "discount",
    "trade",
    "sell",
    "bid",
    "donate",
    "tip",
    "wire",
    "subscription",
    "checkout",
    "compensation",
    "certificate",
}
MESSAGE = {
    "email",
    "mail",
    "sms",
    "message",
    "notification",
    "tweet",
    "post",
    "reply",
    "notify",
    "invite",
    "announce",
    "broadcast",
    "letter",
    "ticket",
    "alert",
    "text",
}
ACT_VERBS = {
    "refund": "money",
    "pay": "money",
    "charge": "money",
    "purchase": "money",
    "buy": "money",
    "order": "money",
    "withdraw": "money",
    "deposit": "money",
    "sell": "money",
    "trade": "money",
    "donate": "money",
    "checkout": "money",
    "wire": "money",
    "reimburse": "money",
    "send": "message",
    "email": "message",
    "mail": "message",
    "notify": "message",
    "tweet": "message",
    "broadcast": "message",
    "sms": "message",
    "invite": "message",
    "publish": "message",
    "text": "message",
    "delete": "destructive",
    "remove": "destructive",
    "drop": "destructive",
    "erase": "destructive",
    "destroy": "destructive",
    "purge": "destructive",
    "wipe": "destructive",
    "uninstall": "destructive",
    "terminate": "destructive",
    "shutdown": "destructive",
    "kill": "destructive",
    "revoke": "destructive",
    "ban": "destructive",
    "truncate": "destructive",
    "cancel": "change",
    "book": "change",
    "reserve": "change",
    "reschedule": "change",
    "deploy": "change",
    "submit": "change",
    "update": "change",
    "modify": "change",
    "change": "change",
    "overwrite": "destructive",
    "insert": "change",
    "upload": "change",
    "apply": "change",
    "approve": "change",
    "grant": "change",
    "reset": "change",
    "install": "change",
    "reboot": "change",
    "restart": "change",
    "merge": "change",
    "push": "change",
    "rename": "change",
    "schedule": "change",
    "subscribe": "change",
    "unsubscribe": "change",
    "enroll": "change",
    "register": "change",
    "reroute": "change",
    "redirect": "change",
    "unlock": "change",
    "disable": "change",
    "enable": "change",
    "write": "change",
}
# Verbs that only start or make something: the object tells what.
LIGHT_VERBS = {
    "initiate",
    "process",
    "issue",
    "place",
    "create",
    "make",
    "start",
    "open",
    "add",
    "request",
    "execute",
    "perform",
    "submit",
    "do",
    "handle",
    "file",
    "give",
    "grant",
    "put",
}
KNOWN_VERBS = ACT_VERBS.keys() | LIGHT_VERBS
READ_VERBS = {
    "get",
    "list",
    "search",
    "query",
    "find",
    "lookup",
    "look",
    "fetch",
    "read",
    "check",
    "is",
    "has",
    "can",
    "valid",
    "validate",
    "verify",
    "view",
    "show",
    "describe",
    "summarize",
    "analyze",
    "count",
    "compare",
    "calculate",
    "compute",
    "retrieve",
    "browse",
    "estimate",
    "preview",
    "explain",
    "recommend",
    "suggest",
    "format",
    "parse",
    "extract",
    "convert",
    "translate",
    "classify",
    "load",
    "inspect",
    "track",
}

_EXTERNAL: tuple[tuple[re.Pattern[str], Weight, str], ...] = tuple(
    (re.compile(pattern), weight, says)  # type: ignore[misc]
    for pattern, weight, says in (
        (
            r"^(requests|httpx)(\.\w+)*\.(post|put|patch|delete)$",
            "change",
            "sends a changing HTTP request",
        ),
        (
            r"^(aiohttp)\.ClientSession\.(post|put|patch|delete)$",
            "change",
            "sends a changing HTTP request",
        ),
        (r"^smtplib\.\w+\.(send_message|sendmail)$", "message", "sends mail"),
        (r"^subprocess\.\w+$", "code", "starts a process"),
        (r"^os\.(system|popen|exec\w*|spawn\w*)$", "code", "starts a process"),
        (r"^asyncio\.create_subprocess_\w+$", "code", "starts a process"),
        (r"^(exec|eval|builtins\.exec|builtins\.eval)$", "code", "runs code it was given"),
        (r"^os\.(remove|unlink|rmdir|removedirs)$", "destructive", "deletes a file"),
        (r"^shutil\.(rmtree|move)$", "destructive", "deletes or moves files"),
        (r"^os\.(rename|replace)$", "change", "renames a file"),
        (r"^pathlib\.Path\.(unlink|rmdir)$", "destructive", "deletes a file"),
        (r"^pathlib\.Path\.(write_text|write_bytes)$", "change", "writes a file"),
        (r"^pyautogui\.\w+$", "change", "drives mouse and keyboard"),
        (r"^stripe\.\w+\.(create|modify|cancel|capture|confirm)$", "money", "moves money"),
        (r"^twilio\..*\.create$", "message", "sends a message"),
        (r"\.chat_postMessage$", "message", "posts a message"),
    )
)
_SQL = re.compile(r"^\s*(insert|update|delete|replace|drop|alter|truncate|create)\b", re.I)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?=[A-Z]|$)|\d+")


def effects_of(calls: Calls, tool: Tool, depth: int = 3) -> list[Effect]:
    """Every sign that a tool changes the world; empty when there is none."""
    found = [e for e in _by_data(tool)]
    if tool.fn is not None:
        found += list(_by_body(calls, tool.fn, depth, set()))
    words = by_words(tool)
    if words is not None:
        found.append(words)
    return found


def _by_data(tool: Tool) -> Iterator[Effect]:
    if tool.data is not None and tool.data.effect == "effect" and tool.fn is None:
        yield Effect("code", f"{tool.name} acts on the machine it runs on", tool.place, sure=True)


def _by_body(calls: Calls, fn: Fn, depth: int, seen: set[Fn]) -> Iterator[Effect]:
    if fn in seen or depth < 0:
        return
    seen.add(fn)
    for site, call in calls.program.calls(fn):
        effect = _of_call(calls, site, call)
        if effect is not None:
            yield effect
            continue
        for callee in calls.callees(site):
            yield from _by_body(calls, callee, depth - 1, seen)


def _of_call(calls: Calls, site: Site, call: E.Call) -> Effect | None:
    names = calls.resolver.dotted(call.func, site.fn)
    for pattern, weight, says in _EXTERNAL:
        if any(pattern.search(name) for name in names):
            return Effect(weight, says, site.place, sure=True)
    last = last_name(call.func)
    if last == "open" and _opens_for_writing(call):
        return Effect("change", "opens a file for writing", site.place, sure=True)
    if last in ("execute", "executemany", "executescript") and call.args:
        sql = _literal(calls, call.args[0].value, site.fn)
        if _SQL.match(sql):
            return Effect("change", "changes a database", site.place, sure=True)
    if last in ("send_message", "sendmail") and not calls.callees(site):
        return Effect("message", "sends a message", site.place, sure=True)
    return None


def _literal(calls: Calls, expr: E.Expr, fn: Fn) -> str:
    text = spoken(expr)
    if text or not isinstance(expr, E.Name):
        return text
    bindings = calls.program.scope(fn).get(expr.id, [])
    return next((s for b in bindings if b.expr is not None and (s := spoken(b.expr))), "")


def _opens_for_writing(call: E.Call) -> bool:
    position = (
        1 if isinstance(call.func, E.Name) or dotted(call.func) in ("io.open", "codecs.open") else 0
    )
    mode = string(argument(call, "mode", position))
    return mode is not None and bool(set(mode) & set("wax+")) and len(mode) <= 3


def words_of(name: str) -> list[str]:
    """The lower-case words of an identifier in snake or camel case."""
    return [w.lower() for part in name.split("_") for w in _WORDS.findall(part) or [part] if w]


def by_words(tool: Tool) -> Effect | None:
    """What the name says, else the first sentence of the docstring; a reading verb rules out."""
    words = words_of(tool.name)
    if not words or words[0] in READ_VERBS:
        return None
    weight = _weight(words)
    if weight is None and tool.fn is not None and tool.fn.facts.doc:
        first = re.split(r"[.\n]", tool.fn.facts.doc.strip(), maxsplit=1)[0]
        said = [w.lower() for w in re.findall(r"[A-Za-z]+", first)]
        weight = _weight(said[:6]) if said and said[0] not in READ_VERBS else None
        if weight is not None:
            return Effect(weight, f"its docstring says: {first.strip()}", tool.place, sure=False)
    if weight is None:
        return None
    return Effect(weight, f"its name says it: {tool.name}", tool.place, sure=False)


def _weight(words: list[str]) -> Weight | None:
    verb = next((v for v in (words[0], words[0].removesuffix("s")) if v in KNOWN_VERBS), words[0])
    rest = words[1:]
    weight = ACT_VERBS.get(verb)
    if weight is not None:
        return _by_object(rest) or weight  # type: ignore[return-value]
    return _by_object(rest) if verb in LIGHT_VERBS else None


def _by_object(rest: list[str]) -> Weight | None:
    singular = {w.rstrip("s") for w in rest} | set(rest)
    if singular & MONEY:
        return "money"
    return "message" if singular & MESSAGE else None
