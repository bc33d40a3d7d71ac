"""A model's id is fixed inside a function, where nobody can change it without editing code.

Providers retire models; on that day every call answers that the model does not exist, and each
place that names it has to be found. Trying another model, or a cheaper one in tests, means the
same hunt.

Reported is a literal id that is given to a model call, a client, an agent or anything else under
a keyword for models, in the body of a function, also through a local variable. The default of a
parameter, a constant or an agent of a module, a field of a class, a configuration and an
environment variable's default are places to change it, and fine. One finding a file, with the
number of places. Ids that are known to be retired weigh more.

The option `allowed` lists ids that may be fixed where they are used, retired or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Annotated

from msgspec import Meta, Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Fn,
    Hit,
    Place,
    RuleOptions,
    Site,
    code_kind,
    fine,
    primary,
    related,
    string,
)
from agentcheck_rules.context._model_ids import is_model_id, is_retired

__all__ = ["CARD", "Options", "check"]

CARD = Card(
    code="AC605",
    topic="hardcoded-model",
    title="The model's id is fixed inside a function",
    question="Can the model be changed without editing the code that calls it?",
    severity="low",
    confidence="medium",
    at_stake="A model that is retired or replaced must be changed in one place.",
    consequence="On the day the provider retires the model these calls fail, and each place has to "
    "be found and edited.",
    owner="whoever configures the models",
    smallest_change="Name the model once, in a constant, a setting or a parameter's default, and "
    "use that here.",
    could_break="Nothing, if the constant starts with the same id.",
    acceptance="Another model id in the configuration reaches every model call of {owner}.",
    persona="pedantic",
    remedy_confidence="high",
    tags=("upkeep",),
)
KEYWORDS = ("model", "model_name", "model_id", "llm", "deployment_name", "engine")
LOOKED = (
    "a parameter's default, a constant of the module, a field or a setting",
    "an environment variable that overrides it",
)


class Options(RuleOptions, frozen=True, kw_only=True):
    """`[rules.hardcoded-model]`."""

    allowed: Annotated[
        tuple[str, ...],
        Meta(description="Model ids that may be fixed anywhere; * as in file names."),
    ] = ()


class _Fixed(Struct, frozen=True):
    label: str
    place: Place
    fn: Fn


def check(graph: AgentGraph, options: Options) -> Iterator[Assessment]:
    """One assessment a file that names models in calls."""
    asking = {id(c.call) for c in graph.model_calls if c.data.model_keyword}
    for path in graph.program.files:
        fixed, elsewhere = list[_Fixed](), list[_Fixed]()
        for one in _given(graph, path, asking):
            inside = one.fn.index != 0 and code_kind(path) != "test"
            inside = inside and not any(fnmatchcase(one.label, p) for p in options.allowed)
            (fixed if inside else elsewhere).append(one)
        distinct = list({(f.place.span.line, f.label): f for f in fixed}.values())
        if distinct:
            yield _hit(path, sorted(distinct, key=lambda f: f.place))
        elif elsewhere:
            one = elsewhere[0]
            here = related(one.place, "the model is named here, in a place to change it")
            yield fine(path, "met", "the model is named at the top of the module", here)


def _given(graph: AgentGraph, path: str, asking: set[int]) -> Iterator[_Fixed]:
    for fn in graph.program.functions[path]:
        for site, call in graph.program.calls(fn):
            for arg in call.args:
                if arg.name in KEYWORDS:
                    yield from _literals(graph, arg.value, site)
            if call.args and id(call) in asking and call.args[0].name is None:
                yield from _literals(graph, call.args[0].value, site)


def _literals(graph: AgentGraph, given: E.Expr, site: Site) -> Iterator[_Fixed]:
    """The literal itself, or one that a local variable was assigned."""
    label = string(given)
    if label is not None:
        if is_model_id(label):
            yield _Fixed(label, site.fn.place(given.span), site.fn)
        return
    if not isinstance(given, E.Name):
        return
    bindings = graph.program.scope(site.fn).get(given.id, [])
    if len(bindings) == 1 and bindings[0].how == "value":
        text = string(bindings[0].expr)
        if text is not None and bindings[0].expr is not None and is_model_id(text):
            yield _Fixed(text, site.fn.place(bindings[0].expr.span), site.fn)


def _hit(path: str, fixed: list[_Fixed]) -> Assessment:
    gone = [f for f in fixed if is_retired(f.label)]
    first = (gone or fixed)[0]
    count = f" in {len(fixed)} places" if len(fixed) > 1 else ""
    owner = first.fn.qualname
    said = "is retired, and fixed" if gone else "is fixed"
    hit = Hit(
        title="A retired model's id is fixed inside a function" if gone else None,
        message=f"`{first.label}` {said} in `{owner}`; this file names models in functions{count}."
        if count
        else f"`{first.label}` {said} in the body of `{owner}`.",
        owner=owner,
        severity="medium" if gone else None,
        failure_path=(
            f"the provider shuts `{first.label}` down",
            f"`{owner}` asks for it and is told that there is no such model",
            "each place that names it has to be found and edited",
        ),
        challenge=Challenge("upheld", LOOKED),
    )
    evidence = [primary(first.place, f"`{first.label}` is fixed here")]
    evidence += [related(f.place, f"`{f.label}` is fixed here") for f in fixed if f is not first][
        :9
    ]
    return Assessment(
        subject=path, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
