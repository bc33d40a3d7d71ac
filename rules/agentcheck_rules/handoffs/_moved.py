"""Imports of what a framework no longer has in the release that a file gets."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, Import
from agentcheck_rules.handoffs._imports import Missing, asked_first


def moved_imports(graph: AgentGraph) -> Iterator[Missing]:
    """Every import of a module or name that is gone, by the pins nearest to the file."""
    roots = {f.modules[0].partition(".")[0] for f in graph.frameworks if f.modules}
    for path, facts in graph.program.files.items():
        used = [i for i in facts.imports if not i.level and i.module.partition(".")[0] in roots]
        if not used:
            continue
        gone = _gone(graph, path)
        for index, imported in enumerate(facts.imports):
            found = None
            if not imported.guarded and not imported.level:
                found = _match(imported, gone) or _unlisted(graph, path, imported)
            if found is None or graph.program.modules.of_import(imported, path) is not None:
                continue
            if not asked_first(graph, path, index):
                place = facts.place(imported.span)
                wanted, (says, change, cause) = _dotted(imported), found
                yield Missing(path, place, wanted, says, change=change, cause=cause)


_Gone = dict[str, tuple[str, str, str]]


def _gone(graph: AgentGraph, path: str) -> _Gone:
    """What is gone in a file's releases: what to say of it, and what to do."""
    found: _Gone = {}
    for framework in graph.frameworks_for(path):
        for moved in framework.moved:
            says = f"`{moved.module}` is gone from {framework.name} since {moved.since}"
            change = f"Import from `{moved.instead}`" if moved.instead else "Do without it"
            pin = f"or pin {framework.distributions[0]} below {moved.since}"
            found[moved.module] = says, f"{change}, {pin}.", framework.name
    return found


def _unlisted(graph: AgentGraph, path: str, imported: Import) -> tuple[str, str, str] | None:
    """A module below an SDK whose modules are all listed, and which is not among them.

    Where the target is that SDK, what it holds itself is what counts.
    """
    if graph.program.modules.find(imported.module.partition(".")[0], path) is not None:
        return None
    for framework in graph.frameworks_for(path):
        listed = framework.submodules
        if listed and imported.module.startswith(f"{listed[0]}.") and imported.module not in listed:
            says = f"{framework.title} {framework.latest} has no module `{imported.module}`"
            return says, "Import what the package has.", framework.name
    return None


def _match(imported: Import, gone: _Gone) -> tuple[str, str, str] | None:
    """The longest dotted start of what is imported that is gone."""
    parts = _dotted(imported).split(".")
    for size in range(len(parts), 0, -1):
        found = gone.get(".".join(parts[:size]))
        if found is not None:
            return found
    return None


def _dotted(imported: Import) -> str:
    if imported.name in (None, "*"):
        return imported.module
    return f"{imported.module}.{imported.name}"
