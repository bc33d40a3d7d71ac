"""Imports that lead into the target and find nothing there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from agentcheck.rule import AgentGraph, E, Fn, Import, Place, Span, last_name

# Modules that are made when the project is built, so a checkout does not hold them.
BUILT = ("_version", "version", "__version__", "__about__")


@dataclass(frozen=True, slots=True)
class Missing:
    """An import that finds nothing: what was wanted, and what is there instead."""

    file: str
    place: Place
    wanted: str
    says: str
    module_place: Place | None = None


def missing_imports(graph: AgentGraph) -> Iterator[Missing]:
    """Every import into the target that cannot succeed."""
    for path, facts in graph.program.files.items():
        for imported in facts.imports:
            if imported.guarded:
                continue
            found = _missing(graph, path, imported)
            if found is not None:
                yield found


def _missing(graph: AgentGraph, path: str, imported: Import) -> Missing | None:
    modules = graph.program.modules
    source = modules.of_import(imported, path)
    place = graph.program.files[path].place(imported.span)
    if source is not None:
        return _missing_name(graph, source, path, imported, place)
    if imported.level or not imported.module:
        return None
    return _missing_module(graph, path, imported, place)


def _missing_module(graph: AgentGraph, path: str, imported: Import, place: Place) -> Missing | None:
    """The longest part of a dotted module that is a package of the target, with the next missing."""
    modules = graph.program.modules
    parts = imported.module.split(".")
    if len(parts) < 2 or not _is_own(graph, parts[0], path):
        return None
    for size in range(len(parts) - 1, 0, -1):
        package = modules.find(".".join(parts[:size]), path)
        if package is None:
            continue
        following = parts[size]
        if not package.endswith("__init__.py") or not _closed(graph, package, following):
            return None
        wanted = imported.module if imported.name is None else f"{imported.module}.{imported.name}"
        says = f"`{'.'.join(parts[:size])}` has no module `{following}`"
        return Missing(path, place, wanted, says, _top(graph, package))
    return None


def _missing_name(
    graph: AgentGraph, source: str, path: str, imported: Import, place: Place
) -> Missing | None:
    name = imported.name
    if name in (None, "*") or name is None or not _closed(graph, source, name):
        return None
    if not imported.level and not _is_own(graph, imported.module.partition(".")[0], path):
        return None
    if graph.resolver.module_member(source, name) or name in _bound(graph, source):
        return None
    if graph.program.modules.submodule(source, name) or _folder_of(graph, source, name):
        return None
    wanted = f"{'.' * imported.level}{imported.module}.{name}"
    return Missing(path, place, wanted, f"`{source}` has no `{name}`", _top(graph, source))


def _is_own(graph: AgentGraph, package: str, path: str) -> bool:
    """Whether a top-level name means the target's own package and nothing installed.

    A package that stands at the root of the scanned folder, or in `src`, is the target's own.
    One found in a folder on the way may just bear the name of something installed; it counts
    only in a folder that is no package itself.
    """
    own = graph.program.modules
    if any(f"{base}{package}/__init__.py" in own.files for base in ("", "src/")):
        return True
    installed = {m for f in graph.frameworks for m in f.modules} | set(sys.stdlib_module_names)
    return package not in installed and own.from_top(package, path)


def _closed(graph: AgentGraph, source: str, name: str) -> bool:
    """Whether the names of a module are all there to be read."""
    if name in BUILT or name.startswith("__") or name.endswith(("_pb2", "_pb2_grpc")):
        return False
    if graph.program.modules.unread(source, name):
        return False
    module = graph.program.module(source)
    if "__getattr__" in graph.program.scope(module):
        return False
    return not _made_at_run_time(graph, module) and not _stars_outside(graph, source, set())


def _made_at_run_time(graph: AgentGraph, module: Fn) -> bool:
    makers = ("globals", "setattr", "exec", "locals", "vars")
    for site in graph.program.sites(module):
        if isinstance(site.expr, E.Call) and last_name(site.expr.func) in makers:
            return True
        if isinstance(site.expr, E.Attr) and site.expr.attr in ("modules", "__path__"):
            return True
    return False


def _stars_outside(graph: AgentGraph, source: str, seen: set[str]) -> bool:
    """Whether a star import of the module leads to something that cannot be read."""
    if source in seen:
        return False
    seen.add(source)
    for imported in graph.program.files[source].imports:
        if imported.name == "*":
            inner = graph.program.modules.of_import(imported, source)
            if inner is None or _stars_outside(graph, inner, seen):
                return True
            if _made_at_run_time(graph, graph.program.module(inner)):
                return True
    return False


def _bound(graph: AgentGraph, source: str) -> set[str]:
    """Names bound in a module in any way, `global` statements in its functions included."""
    names = set(graph.program.scope(graph.program.module(source)))
    for fn in graph.program.functions[source]:
        for at in graph.program.statements(fn):
            names |= set(getattr(at.stmt, "names", ()))
    return names


def _folder_of(graph: AgentGraph, source: str, name: str) -> bool:
    folder = source.rpartition("/")[0]
    inner = f"{folder}/{name}" if folder else name
    return source.endswith("__init__.py") and inner in graph.program.modules.folders


def _top(graph: AgentGraph, source: str) -> Place:
    return graph.program.files[source].place(Span(1, 1, 1, 1))
