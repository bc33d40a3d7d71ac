"""Pydantic's settings of a model, and whether something sees the keywords before its fields."""

from __future__ import annotations

from agentcheck.rule import AgentGraph, E, Klass, S, argument, last_name, string

_BEFORE = ("before", "wrap")
_MAKERS = ("ConfigDict", "dict", "SettingsConfigDict")


def looks_before(family: list[Klass]) -> bool:
    """Whether a validator sees the keywords before the fields do."""
    for klass in family:
        for method in klass.methods.values():
            for call in method.facts.decorators:
                if not isinstance(call, E.Call):
                    continue
                name, mode = last_name(call.func), string(argument(call, "mode"))
                if name == "model_validator" and mode in _BEFORE:
                    return True
                if name == "root_validator" and argument(call, "pre") is not None:
                    return True
    return False


def config_of(graph: AgentGraph, family: list[Klass]) -> dict[str, E.Expr] | None:
    """Pydantic's settings of a class and its bases, nearest first; None where one is hidden."""
    found: dict[str, E.Expr] = {}
    for klass in family:
        own = [_class_config(graph, klass), _model_config(graph, klass)]
        for settings in own:
            if settings is None:
                return None
            found = {**settings, **found}
        found = {**{b.name: b.value for b in klass.facts.bases if b.name}, **found}
    return found


def _class_config(graph: AgentGraph, klass: Klass) -> dict[str, E.Expr] | None:
    """`class Config:` in the body."""
    for stmt in klass.facts.body:
        if isinstance(stmt, S.Define) and stmt.kind == "class" and stmt.name == "Config":
            config = graph.program.classes[klass.file.path][stmt.index]
            if any(last_name(base.value) != "object" for base in config.facts.bases):
                return None
            return {
                last_name(target) or "": inner.value
                for inner in config.facts.body
                if isinstance(inner, S.Assign) and inner.value is not None
                for target in inner.targets
            }
    return {}


def _model_config(graph: AgentGraph, klass: Klass) -> dict[str, E.Expr] | None:
    """`model_config = ...` in the body."""
    for stmt in klass.facts.body:
        if isinstance(stmt, S.Assign) and any(
            last_name(target) == "model_config" for target in stmt.targets
        ):
            return _settings(graph, klass, stmt.value, 4) if stmt.value is not None else {}
    return {}


def _settings(
    graph: AgentGraph, klass: Klass, value: E.Expr, depth: int
) -> dict[str, E.Expr] | None:
    """The entries of a dict or of a call that makes one, names and spreads followed."""
    pairs: list[tuple[str | None, E.Expr]]
    match value:
        case E.Call(args=args) if last_name(value.func) in _MAKERS:
            pairs = [(a.name, a.value) for a in args]
        case E.Entries(entries=entries):
            pairs = [(string(e.key) if e.key is not None else None, e.value) for e in entries]
        case _:
            return _elsewhere(graph, klass, value, depth)
    found: dict[str, E.Expr] = {}
    for key, given in pairs:
        inner = {key: given} if key is not None else _settings(graph, klass, given, depth - 1)
        if inner is None:
            return None
        found |= inner
    return found


def _elsewhere(
    graph: AgentGraph, klass: Klass, value: E.Expr, depth: int
) -> dict[str, E.Expr] | None:
    host = graph.program.functions[klass.file.path][klass.facts.parent]
    origins = graph.tracer.local(value, host)
    made = [o.expr for o in origins if not o.steps and isinstance(o.expr, (E.Call, E.Entries))]
    if depth <= 0 or len(made) != 1 or made[0] is value:
        return None
    return _settings(graph, klass, made[0], depth - 1)
