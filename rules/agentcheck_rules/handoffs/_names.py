"""Which names a module of the target has, star imports included."""

from __future__ import annotations

from agentcheck.rule import AgentGraph, E, Fn, S, last_name, string

# Modules that are made when the project is built, so a checkout does not hold them.
BUILT = ("_version", "version", "__version__", "__about__")
_MAKERS = frozenset({"globals", "setattr", "exec", "locals", "vars"})


def has_name(graph: AgentGraph, source: str, name: str) -> bool:
    """Whether a module binds a name, gets it by a star import, or has a module of that name."""
    if name in graph.program.scope(graph.program.module(source)):
        return True
    modules = graph.program.modules
    if name in _available(graph, source, set()) or modules.submodule(source, name):
        return True
    folder = source.rpartition("/")[0]
    inner = f"{folder}/{name}" if folder else name
    return source.endswith("__init__.py") and inner in modules.folders


def is_built(name: str) -> bool:
    """Whether a module of this name is usually made by a build, and kept out of the repository."""
    return name in BUILT or name.endswith(("_pb2", "_pb2_grpc"))


def is_closed(graph: AgentGraph, source: str, name: str) -> bool:
    """Whether the names of a module are all there to be read."""
    if is_built(name) or name.startswith("__"):
        return False
    # A name with a capital is that of no module.
    if name.islower() and graph.program.modules.unread(source, name):
        return False
    module = graph.program.module(source)
    if graph.program.scope(module).keys() & {"__getattr__", "__path__"}:
        return False
    return not _made_at_run_time(graph, module) and not _stars_outside(graph, source, set())


def _available(graph: AgentGraph, source: str, seen: set[str]) -> set[str]:
    if source in seen:
        return set()
    seen.add(source)
    names = _bound(graph, source)
    for inner in _starred(graph, source):
        if inner is not None:
            names |= _exported(graph, inner, seen)
    return names


def _exported(graph: AgentGraph, source: str, seen: set[str]) -> set[str]:
    """What a star import of a module brings: `__all__`, else every name that is not private."""
    listed = _listed(graph, source)
    names = _available(graph, source, seen)
    if listed is None:
        return names
    return listed or {n for n in names if not n.startswith("_")}


def _listed(graph: AgentGraph, source: str) -> set[str] | None:
    """The strings of `__all__`; empty without one, None where it is not a plain list."""
    module, found = graph.program.module(source), set[str]()
    for binding in graph.program.scope(module).get("__all__", ()):
        if not isinstance(binding.expr, E.Items):
            return None
        words = [string(item) for item in binding.expr.items]
        if None in words:
            return None
        found |= {word for word in words if word is not None}
    return None if found and _all_grows(graph, module) else found


def _all_grows(graph: AgentGraph, module: Fn) -> bool:
    """`__all__.append(...)` and the like."""
    return any(
        isinstance(at.stmt, S.Do)
        and isinstance(at.stmt.value, E.Call)
        and isinstance(at.stmt.value.func, E.Attr)
        and last_name(at.stmt.value.func.value) == "__all__"
        for at in graph.program.statements(module)
    )


def _bound(graph: AgentGraph, source: str) -> set[str]:
    """Names bound in a module in any way, `global` statements in its functions included."""
    names = set(graph.program.scope(graph.program.module(source)))
    for fn in graph.program.functions[source]:
        for at in graph.program.statements(fn):
            if isinstance(at.stmt, S.Scope):
                names |= set(at.stmt.names)
    return names


def _starred(graph: AgentGraph, source: str) -> list[str | None]:
    """The modules that a module stars in; None for one that cannot be read."""
    return [
        graph.program.modules.of_import(imported, source)
        for imported in graph.program.files[source].imports
        if imported.name == "*"
    ]


def _made_at_run_time(graph: AgentGraph, module: Fn) -> bool:
    for _, call in graph.program.calls(module):
        if last_name(call.func) in _MAKERS:
            return True
    attributes = (last_name(s.expr) for s in graph.program.shaped(module, E.Attr))
    return any(name in ("modules", "__path__") for name in attributes)


def _stars_outside(graph: AgentGraph, source: str, seen: set[str]) -> bool:
    """Whether a star import of the module leads to something that cannot be read."""
    if source in seen:
        return False
    seen.add(source)
    for inner in _starred(graph, source):
        if inner is None or _stars_outside(graph, inner, seen):
            return True
        if _made_at_run_time(graph, graph.program.module(inner)):
            return True
    return False
