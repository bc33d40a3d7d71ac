"""Which keywords the constructors made by pydantic, dataclasses, attrs and NamedTuple take."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Klass,
    S,
    argument,
    descend,
    has_spread,
    last_name,
    string,
)
from agentcheck_rules.handoffs._config import config_of, looks_before

DATACLASS = frozenset({"dataclasses.dataclass", "pydantic.dataclasses.dataclass"})
ATTRS = frozenset(
    f"{package}.{name}"
    for package in ("attr", "attrs")
    for name in ("s", "attrs", "define", "frozen", "mutable", "dataclass")
)
_BY_NAME = ("populate_by_name", "validate_by_name", "allow_population_by_field_name")


class Fields(Struct, frozen=True):
    """The keywords of a made constructor, and whether it drops others without a word."""

    names: frozenset[str]
    dropped: bool


def pydantic_fields(graph: AgentGraph, klass: Klass) -> Fields | None:
    """The keywords of a model; None where others are kept, renamed or looked at before."""
    family = graph.resolver.mro(klass)
    config = config_of(graph, family)
    if config is None or "alias_generator" in config or looks_before(family):
        return None
    extra = _word(config.get("extra")) if "extra" in config else "ignore"
    if extra not in ("ignore", "forbid"):
        return None
    by_name = any(key in config and not _is(config[key], value=False) for key in _BY_NAME)
    names = set[str]()
    for here in family:
        for name, stmt in _fields(here):
            aliases = _aliases(stmt)
            if aliases is None:
                return None
            names |= aliases if aliases and not by_name else {name, *aliases}
    return Fields(frozenset(names), dropped=extra == "ignore")


def dataclass_fields(graph: AgentGraph, klass: Klass) -> Fields | None:
    """The keywords of a dataclass or attrs class; None where it is neither, or makes no init."""
    names, known = set[str](), False
    for here in graph.resolver.mro(klass):
        kind = _decorated(graph, here)
        known = known or kind is not None
        if kind == "unknown":
            return None
        for name, stmt in _fields(here) if kind else ():
            if _in_init(stmt) and (stmt.annotation is not None or kind == "attrs"):
                names.add(_attrs_name(name, stmt) if kind == "attrs" else name)
    return Fields(frozenset(names), dropped=False) if known else None


def tuple_fields(graph: AgentGraph, klass: Klass) -> Fields:
    """The keywords of a NamedTuple."""
    return Fields(
        frozenset(n for k in graph.resolver.mro(klass) for n, s in _fields(k) if s.annotation),
        dropped=False,
    )


def _fields(klass: Klass) -> Iterator[tuple[str, S.Assign]]:
    """The assigned and annotated names of a class body, class variables left out."""
    for stmt in klass.facts.body:
        if isinstance(stmt, S.Assign) and not _is_class_variable(stmt.annotation):
            for target in stmt.targets:
                if isinstance(target, E.Name) and target.id != "model_config":
                    yield target.id, stmt


def _is_class_variable(annotation: E.Expr | None) -> bool:
    if annotation is None:
        return False
    text = string(annotation) or ""
    return last_name(annotation) in ("ClassVar", "KW_ONLY") or "ClassVar" in text


def _calls(stmt: S.Assign) -> list[E.Call]:
    """The calls that describe a field: its value, and those in `Annotated[...]`."""
    found = [stmt.value] if isinstance(stmt.value, E.Call) else []
    if stmt.annotation is not None:
        found += [e for e in descend(stmt.annotation) if isinstance(e, E.Call)]
    return found


def _aliases(stmt: S.Assign) -> set[str] | None:
    """The names a pydantic field takes instead of its own; None where they cannot be read."""
    found = set[str]()
    for call in _calls(stmt):
        given = argument(call, "validation_alias") or argument(call, "alias")
        words = set[str]() if given is None else _alias_words(given)
        if words is None or (has_spread(call) and given is None):
            return None
        found |= words
    return found


def _alias_words(given: E.Expr) -> set[str] | None:
    """A string, `AliasChoices(...)` of them, or `AliasPath`, of which the first step counts."""
    match given:
        case E.Const(value=str() as word):
            return {word}
        case E.Const(value=None):
            return set()
        case E.Call(args=args) if last_name(given.func) in ("AliasChoices", "AliasPath"):
            steps = args if last_name(given.func) == "AliasChoices" else args[:1]
            words = [_alias_words(step.value) for step in steps]
            return None if None in words else {w for group in words if group for w in group}
        case _:
            return None


def _in_init(stmt: S.Assign) -> bool:
    """Whether a field is a parameter: not one with `init=False`, and no plain class attribute."""
    call = stmt.value if isinstance(stmt.value, E.Call) else None
    if call is None:
        return stmt.annotation is not None
    if stmt.annotation is None and last_name(call.func) not in ("ib", "attrib", "field"):
        return False
    return not _is(argument(call, "init"), value=False)


def _attrs_name(name: str, stmt: S.Assign) -> str:
    """attrs takes a private attribute without its underscores, or under its alias."""
    alias = argument(stmt.value, "alias") if isinstance(stmt.value, E.Call) else None
    return string(alias) or name.lstrip("_")


def _decorated(graph: AgentGraph, klass: Klass) -> str | None:
    """ "dataclass" or "attrs" for a class so decorated; "unknown" where no plain init is made."""
    host = graph.program.functions[klass.file.path][klass.facts.parent]
    for decorator in klass.facts.decorators:
        call = decorator if isinstance(decorator, E.Call) else None
        names = graph.resolver.dotted(call.func if call else decorator, host)
        kind = "dataclass" if names & DATACLASS else "attrs" if names & ATTRS else None
        if kind is not None and call is not None and _odd(call):
            return "unknown"
        if kind is not None:
            return kind
    return None


def _odd(call: E.Call) -> bool:
    init = argument(call, "init")
    given = any(argument(call, k) is not None for k in ("config", "field_transformer", "these"))
    return has_spread(call) or given or (init is not None and not _is(init, value=True))


def _is(expr: E.Expr | None, *, value: bool) -> bool:
    return isinstance(expr, E.Const) and expr.value is value


def _word(expr: E.Expr | None) -> str | None:
    """`"forbid"` and `Extra.forbid` alike."""
    return string(expr) or (last_name(expr) if isinstance(expr, E.Attr) else None)
