"""How every rule module is found and read."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from agentcheck.cache.version import rule_packages
from agentcheck.model.assessment import Assessment
from agentcheck.model.card import Card
from agentcheck.rule.options import RuleOptions
from agentcheck.trace.outline import Outline, Usual
from agentcheck.trace.settings import TraceSettings

CodeCheck = Callable[..., Iterable[Assessment]]
"""`check(graph)`, or `check(graph, options)` of a rule that has options."""
RunCheck = Callable[..., Iterable[Assessment]]
"""`check_run(run, settings)`, or with the rule's options as a third argument."""
Gather = Callable[..., Struct]
"""`gather(graph)`, or `gather(graph, options)`: what a rule takes from a part of the target."""
Conclude = Callable[[Sequence[Any]], Iterable[Assessment]]
"""`conclude(parts)`: what it says of the whole, by what it took from each part."""
UsualRun = Callable[[Outline, TraceSettings], Usual]
"""`usual_run(outline, settings)`: what `check_run` answers, if that can be told from an outline.

Not None only where `check_run` gives exactly one answer, with that subject and verdict; and, where
that is a hit, with the severity of the rule's card.
"""


class RuleError(Exception):
    """A rule module is not one; the message names the module and what it lacks."""


class Rule(Struct, frozen=True):
    """A rule module, read. `module` is its dotted name, `options` the type of its options.

    `gather` gives a `gathered` of each part of the target, and `conclude` what these come to.
    """

    name: str
    family: str
    module: str
    card: Card
    doc: str
    check: CodeCheck | None
    check_run: RunCheck | None
    options: type[RuleOptions] | None = None
    usual_run: UsualRun | None = None
    gather: Gather | None = None
    gathered: type[Struct] | None = None
    conclude: Conclude | None = None


def load_rules() -> tuple[Rule, ...]:
    """Every rule of every installed package in the entry point group, sorted by code.

    Raises RuleError for a module without card, docstring or witness, and for a name or code
    that two rules share.
    """
    rules = [read_rule(module) for package in rule_packages() for module in rule_modules(package)]
    _refuse_doubles(rules)
    return tuple(sorted(rules, key=lambda rule: rule.card.code))


def rule_modules(package: str) -> list[ModuleType]:
    """The modules below a package that are rules: no packages, no leading underscore."""
    root = importlib.import_module(package)
    found = pkgutil.walk_packages(root.__path__, f"{package}.")
    names = [m.name for m in found if not m.ispkg and not m.name.rpartition(".")[2].startswith("_")]
    return [importlib.import_module(name) for name in names]


def read_rule(module: ModuleType) -> Rule:
    """The rule that a module defines. Raises RuleError where it is none."""
    path = module.__name__.split(".")
    card, doc = getattr(module, "CARD", None), module.__doc__
    check, check_run = getattr(module, "check", None), getattr(module, "check_run", None)
    if not isinstance(card, Card):
        raise RuleError(f"{module.__name__}: no CARD of type Card")
    if not doc or (check is None and check_run is None):
        raise RuleError(f"{module.__name__}: needs a docstring and check or check_run")
    options = getattr(module, "Options", None)
    if options is not None and not _is_options(options):
        raise RuleError(f"{module.__name__}: Options is no RuleOptions with a default for each")
    name = path[-1].replace("_", "-")
    usual = getattr(module, "usual_run", None)
    whole = tuple(getattr(module, word, None) for word in ("gather", "Gathered", "conclude"))
    if any(whole) and not all((check, *whole)):
        raise RuleError(f"{module.__name__}: gather, Gathered and conclude go with each other")
    witnesses = (check, check_run, options, usual)
    return Rule(name, path[-2], module.__name__, card, doc, *witnesses, *whole)


def _is_options(made: object) -> bool:
    if not isinstance(made, type) or not issubclass(made, RuleOptions):
        return False
    return not any(field.required for field in fields(made))


def _refuse_doubles(rules: list[Rule]) -> None:
    seen: dict[str, str] = {}
    for rule in rules:
        for key in (rule.name, rule.card.code):
            if key in seen:
                raise RuleError(f"{rule.module} and {seen[key]} are both called {key}")
            seen[key] = rule.module
