"""Which calls ask a model, and which functions lead to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.text import dotted
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework, RunEntry
    from agentcheck.frameworks.schema import ModelCall as ModelCallData


@dataclass(frozen=True, slots=True, eq=False)
class ModelCall:
    """A call of the target that asks a model, with what its SDK's data say of it."""

    site: Site
    data: ModelCallData
    framework: str

    @property
    def call(self) -> E.Call:
        """The call expression."""
        assert isinstance(self.site.expr, E.Call)
        return self.site.expr


@dataclass(frozen=True, slots=True, eq=False)
class RunCall:
    """A call of the target that hands control to a framework's own agent loop."""

    site: Site
    data: RunEntry
    framework: str

    @property
    def call(self) -> E.Call:
        """The call expression."""
        assert isinstance(self.site.expr, E.Call)
        return self.site.expr


@dataclass(slots=True)
class Drives:
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
        ModelCall(site, data, framework.name)
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
    assert isinstance(site.expr, E.Call)
    names = calls.resolver.dotted(site.expr.func, site.fn)
    if calls.callees(site):
        return False
    known = {*data.functions, *(f"{c}.{m}" for c in data.client for m in data.methods)}
    if names & known:
        return True
    written = dotted(site.expr.func) or ""
    plain = written.replace("()", "").replace("[]", "")
    if any(_ends(plain, suffix) for suffix in data.excludes):
        return False
    if not any(_ends(plain, suffix) for suffix in data.suffixes):
        return False
    return not data.needs_import or imports_any(site.fn, framework.modules)


def _ends(name: str, suffix: str) -> bool:
    return name == suffix or name.endswith(f".{suffix}")


def imports_any(fn: Fn, modules: Sequence[str]) -> bool:
    """Whether the file imports one of the packages."""
    return any(i.module.partition(".")[0] in modules and not i.level for i in fn.file.imports)


def find_runs(calls: Calls, frameworks: Sequence[Framework]) -> list[RunCall]:
    """Every call of a framework's run entry whose loop is not in the target itself."""
    found = []
    for framework in frameworks:
        for data in framework.run:
            for last in {name.rpartition(".")[2] for name in data.names}:
                for site in calls.program.call_index.get(last, []):
                    if _is_run(calls, site, data):
                        found.append(RunCall(site, data, framework.name))
    return sorted({id(r.site.expr): r for r in found}.values(), key=lambda r: r.site.place)


def _is_run(calls: Calls, site: Site, data: RunEntry) -> bool:
    assert isinstance(site.expr, E.Call)
    if calls.callees(site):
        return False
    return bool(calls.resolver.dotted(site.expr.func, site.fn) & set(data.names))


def find_drives(calls: Calls, ends: Sequence[ModelCall | RunCall]) -> Drives:
    """Follow callers from each model call upwards, each function once."""
    drives = Drives()
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
    return drives
