"""Which calls ask a model, and which functions lead to one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.text import argument, dotted, has_spread
from agentcheck.graph.tracing import WATCHERS
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework, RunEntry
    from agentcheck.frameworks.schema import ModelCall as ModelCallData


# Packages and methods whose calls ask a model but give an object of the target's own class.
REMODELLERS = frozenset({"instructor"})
REMODELLING = frozenset({"with_structured_output"})
REMODEL_KEYWORDS = ("response_model",)


class ModelCall(Struct, frozen=True, eq=False):
    """A call of the target that asks a model, with what its SDK's data say of it.

    `remodelled` where something around the client gives another object than the SDK's reply, so
    that the data's paths do not hold for it.
    """

    site: Site
    data: ModelCallData
    framework: str
    remodelled: bool = False

    @property
    def call(self) -> E.Call:
        """The call expression."""
        return self.site.call


class RunCall(Struct, frozen=True, eq=False):
    """A call of the target that hands control to a framework's own agent loop.

    `inside` when the framework is the target itself, so that its loop can be read; `called` when
    the object itself is called, as `agent("...")` is.
    """

    site: Site
    data: RunEntry
    framework: str
    inside: bool = False
    called: bool = False

    @property
    def call(self) -> E.Call:
        """The call expression."""
        return self.site.call

    @property
    def receiver(self) -> E.Expr | None:
        """The object whose method the entry is; None for a plain function."""
        func = self.site.call.func
        if self.called:
            return func
        return func.value if isinstance(func, E.Attr) else None


class Drives(Struct):
    """The functions that reach a model: each with its sites that do, nearest model call first."""

    sites: dict[Fn, list[Site]] = field(default_factory=dict)
    ends: dict[int, list[ModelCall | RunCall]] = field(default_factory=dict)

    def reaches(self, fn: Fn) -> bool:
        """Whether calling the function may ask a model."""
        return fn in self.sites

    def ends_of(self, site: Site) -> list[ModelCall | RunCall]:
        """The model calls and run entries that a site leads to."""
        return self.ends.get(id(site.expr), [])


def find_model_calls(calls: Calls, frameworks: Sequence[Framework]) -> list[ModelCall]:
    """Every call that the frameworks' data know as one to a model."""
    found = [
        ModelCall(site, data, framework.name, is_remodelled(calls, site, data, framework))
        for framework in frameworks
        for data in framework.model_call
        for site in _candidates(calls, data)
        if is_model_call(calls, site, data, framework)
    ]
    once: dict[int, ModelCall] = {}
    for call in found:
        once.setdefault(id(call.site.expr), call)
    return sorted(once.values(), key=lambda c: c.site.place)


def _candidates(calls: Calls, data: ModelCallData) -> Iterator[Site]:
    names = {*data.methods, *data.functions, *data.suffixes}
    for last in {name.rpartition(".")[2] for name in names}:
        yield from calls.program.call_index.get(last, [])


def is_model_call(calls: Calls, site: Site, data: ModelCallData, framework: Framework) -> bool:
    """By what the callee resolves to, else by how it is written where nobody can tell."""
    call = site.call
    names = calls.resolver.dotted(call.func, site.fn)
    if calls.callees(site):
        return data.inside and _is_inside(names, data)
    if any(_is_known(name, data) for name in names):
        return True
    written = dotted(call.func) or ""
    plain = written.replace("()", "").replace("[]", "")
    if any(_ends(plain, suffix) for suffix in data.excludes):
        return False
    if not any(_ends(plain, suffix) for suffix in data.suffixes) or not _tells(call, data):
        return False
    return not data.needs_import or imports_any(site.fn, framework.modules)


def _is_known(name: str, data: ModelCallData) -> bool:
    """One of the functions, or a method of a client, however many derived clients lie between."""
    if name in data.functions:
        return True
    for method in data.methods:
        owner = name.removesuffix(f".{method}")
        while owner != name and owner not in data.client:
            owner, _, last = owner.rpartition(".")
            if last not in data.derived:
                break
        else:
            if owner != name:
                return True
    return False


def _is_inside(names: Iterable[str], data: ModelCallData) -> bool:
    """Whether the target defines it, also where the folders of its module are no packages."""
    wanted = {*data.functions, *(f"{c}.{m}" for c in data.client for m in data.methods)}
    return any(w == name or w.endswith(f".{name}") for w in wanted for name in names)


def _tells(call: E.Call, data: ModelCallData) -> bool:
    """Whether an argument shows that a call of such a name is this one."""
    wanted = data.telling_keywords
    return not wanted or has_spread(call) or any(a.name in wanted for a in call.args)


def is_remodelled(calls: Calls, site: Site, data: ModelCallData, framework: Framework) -> bool:
    """Whether a wrapper around the client gives an object of another class than the SDK's.

    A client of a package that nobody knows is taken at its word when its replies are read in
    several steps, as `.choices[0].message` is; a bare `.content` may be that of any class.
    """
    for keyword in REMODEL_KEYWORDS:
        given = argument(site.call, keyword)
        if given is not None and not (isinstance(given, E.Const) and given.value is None):
            return True
    named = [n.split(".") for n in calls.external(site)]
    if any(n[0] in REMODELLERS or REMODELLING.intersection(n) for n in named):
        return True
    bare = any("." not in path for path in data.content)
    known = {*WATCHERS, *(m.partition(".")[0] for m in framework.modules)}
    return bare and any(n[0] not in known and n[0] in _roots(site.fn) for n in named)


def _roots(fn: Fn) -> set[str]:
    """The packages that a file imports by an absolute name."""
    return {i.module.partition(".")[0] for i in fn.file.imports if not i.level}


def _ends(name: str, suffix: str) -> bool:
    return name == suffix or name.endswith(f".{suffix}")


def imports_any(fn: Fn, modules: Sequence[str]) -> bool:
    """Whether the file imports one of the packages."""
    written = {f"{i.module}.{i.name or ''}." for i in fn.file.imports if not i.level}
    return any(name.startswith(f"{module}.") for name in written for module in modules)


def find_runs(calls: Calls, frameworks: Sequence[Framework]) -> list[RunCall]:
    """Every call of a framework's run entry, also where the target is that framework."""
    found = [
        RunCall(site, data, framework.name, inside=bool(calls.callees(site)))
        for framework in frameworks
        for data in framework.run
        for last in {name.rpartition(".")[2] for name in (*data.names, *data.suffixes)}
        for site in calls.program.call_index.get(last, [])
        if _is_run(calls, site, data, framework)
    ]
    return sorted({id(r.site.expr): r for r in found}.values(), key=lambda r: r.site.place)


def _is_run(calls: Calls, site: Site, data: RunEntry, framework: Framework) -> bool:
    """By what the callee resolves to, else by how it is written where nobody can tell."""
    if calls.resolver.dotted(site.call.func, site.fn) & set(data.names):
        return True
    plain = (dotted(site.call.func) or "").replace("()", "").replace("[]", "")
    written = any(_ends(plain, suffix) for suffix in data.suffixes)
    return written and not calls.callees(site) and imports_any(site.fn, framework.modules)


def find_drives(calls: Calls, ends: Sequence[ModelCall | RunCall]) -> Drives:
    """Follow callers from each model call upwards, each function once.

    Calls of a run entry inside the target come last: most are reached from a model call already.
    """
    drives = Drives()
    inside = [e for e in ends if isinstance(e, RunCall) and e.inside]
    _follow(calls, drives, [e for e in ends if not (isinstance(e, RunCall) and e.inside)])
    _follow(calls, drives, [e for e in inside if id(e.site.expr) not in drives.ends])
    return drives


def _follow(calls: Calls, drives: Drives, ends: Sequence[ModelCall | RunCall]) -> None:
    queue: list[tuple[Site, list[ModelCall | RunCall]]] = [(e.site, [e]) for e in ends]
    while queue:
        site, leads = queue.pop(0)
        known = drives.ends.setdefault(id(site.expr), [])
        if known:
            continue
        known.extend(leads)
        first = site.fn not in drives.sites
        drives.sites.setdefault(site.fn, []).append(site)
        if first:
            queue.extend((caller, leads) for caller in calls.callers(site.fn))
