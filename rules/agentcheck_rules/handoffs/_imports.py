"""Imports that lead into the target and find nothing there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Import,
    Located,
    Place,
    S,
    Span,
    descend,
    last_name,
    lazy_re,
)
from agentcheck_rules.handoffs._names import has_name, is_built, is_closed
from agentcheck_rules.handoffs._one_wins import leaves

# Tests of whether something can be imported, or is there at all.
_ASKS = lazy_re(
    r"find_spec|find_loader|available|installed|importable|^has_|^have_|exists|is_?file|is_?dir",
    re.IGNORECASE,
)


class Missing(Struct, frozen=True):
    """An import that finds nothing: what was wanted, and what is there instead.

    Imports of one file that share a `cause` are one fault.
    """

    file: str
    place: Place
    wanted: str
    says: str
    module_place: Place | None = None
    change: str | None = None
    cause: str = ""


def missing_imports(graph: AgentGraph) -> Iterator[Missing]:
    """Every import into the target that cannot succeed."""
    for path, facts in graph.program.files.items():
        for index, imported in enumerate(facts.imports):
            if imported.guarded:
                continue
            found = _missing(graph, path, imported)
            if found is not None and not asked_first(graph, path, index):
                yield found


def asked_first(graph: AgentGraph, path: str, index: int) -> bool:
    """Whether an import runs only after a test that what it names is there."""
    fn = graph.program.functions[path][graph.program.files[path].imports[index].function]
    here = next((at for at in graph.program.statements(fn) if _brings(at, index)), None)
    if here is None:
        return False
    around = [c.stmt for c in here.around()]
    before = [
        at.stmt
        for at in graph.program.statements(fn)
        if isinstance(at.stmt, S.If) and at.stmt.span < here.stmt.span and leaves(at.stmt.body)
    ]
    return any(isinstance(stmt, S.If) and _asks(stmt.test) for stmt in (*around, *before))


def _brings(at: Located, index: int) -> bool:
    return isinstance(at.stmt, S.Bring) and index in at.stmt.indices


def _asks(test: E.Expr) -> bool:
    return any(
        isinstance(e, (E.Name, E.Attr)) and _ASKS.search(last_name(e) or "") for e in descend(test)
    )


def _missing(graph: AgentGraph, path: str, imported: Import) -> Missing | None:
    source = graph.program.modules.of_import(imported, path)
    place = graph.program.files[path].place(imported.span)
    if source is not None:
        return _missing_name(graph, source, path, imported, place)
    if imported.level:
        return _missing_beside(graph, path, imported, place)
    return _missing_module(graph, path, imported, place) if imported.module else None


def _missing_module(graph: AgentGraph, path: str, imported: Import, place: Place) -> Missing | None:
    """The longest part of a dotted module that is a package of the target, the next missing."""
    modules = graph.program.modules
    parts = imported.module.split(".")
    for size in range(len(parts) - 1, 0, -1):
        package = modules.find(".".join(parts[:size]), path)
        if package is None:
            continue
        if not _is_own(graph, parts[0], path, package):
            return None
        following = parts[size]
        folder = modules.is_folder(".".join(parts[: size + 1]), path)
        if folder or not package.endswith("__init__.py"):
            return None
        if not is_closed(graph, package, following):
            return None
        says = f"`{'.'.join(parts[:size])}` has no module `{following}`"
        return Missing(path, place, _written(imported), says, _top(graph, package))
    return None


def _missing_beside(graph: AgentGraph, path: str, imported: Import, place: Place) -> Missing | None:
    """A relative import of a module that is not there; a folder counts as one."""
    modules = graph.program.modules
    base = modules.relative_base(imported, path)
    if base is None or not imported.module or path.endswith(".ipynb"):
        return None
    above, depth = base, imported.module.count(".") + 1
    for _ in range(depth):
        above = above.rpartition("/")[0]
    for part in imported.module.split("."):
        following = f"{above}/{part}" if above else part
        if following in modules.folders:
            above = following
            continue
        package = f"{above}/__init__.py" if above else "__init__.py"
        if f"{following}.py" in modules.paths or modules.unread(package, part) or is_built(part):
            return None
        if package in modules.paths and not is_closed(graph, package, part):
            return None
        says = f"`{above or '.'}` has no module `{part}`"
        return Missing(path, place, _written(imported), says)
    return None


def _missing_name(
    graph: AgentGraph, source: str, path: str, imported: Import, place: Place
) -> Missing | None:
    name = imported.name
    if name in (None, "*") or name is None or has_name(graph, source, name):
        return None
    if not is_closed(graph, source, name):
        return None
    if not imported.level and not _leads_home(graph, source, path, imported):
        return None
    return Missing(
        path, place, _written(imported), f"`{source}` has no `{name}`", _top(graph, source)
    )


def _leads_home(graph: AgentGraph, source: str, path: str, imported: Import) -> bool:
    """Whether an absolute import means the file that was found for it.

    One in a folder that is no package may bear an installed package's name; it counts where
    another name is taken from the same module and is there.
    """
    package, _, inner = imported.module.partition(".")
    if _is_own(graph, package, path, source):
        return True
    modules = graph.program.modules
    if not inner or package in _installed(graph) or not modules.is_folder(package, path):
        return False
    return any(
        other.module == imported.module
        and other.level == 0
        and other.name is not None
        and has_name(graph, source, other.name)
        for other in graph.program.files[path].imports
    )


def _is_own(graph: AgentGraph, package: str, path: str, found: str) -> bool:
    """Whether a top-level name means the target's own package, and that is where `found` is.

    A package that stands at the root of the scanned folder, or in `src`, is the target's own, and
    a folder of that name elsewhere is another; unless the scanned folder is a package itself. One
    found in a folder on the way may just bear the name of something installed; it counts only in a
    folder that is no package itself.
    """
    own = graph.program.modules
    for base in () if "__init__.py" in own.paths else ("", "src/"):
        if f"{base}{package}/__init__.py" in own.paths:
            return found.startswith(f"{base}{package}/")
    top = own.find(package, path)
    if top is not None and path.startswith(top.removesuffix("__init__.py")):
        return False  # `azure/client.py` that imports azure means the installed one
    return package not in _installed(graph) and own.from_top(package, path)


def _installed(graph: AgentGraph) -> set[str]:
    return {m for f in graph.frameworks for m in f.modules} | set(sys.stdlib_module_names)


def _written(imported: Import) -> str:
    module = "." * imported.level + imported.module
    return module if imported.name is None else f"{module}.{imported.name}"


def _top(graph: AgentGraph, source: str) -> Place:
    return graph.program.files[source].place(Span(1, 1, 1, 1))
