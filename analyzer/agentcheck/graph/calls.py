"""Who calls whom, and which argument reaches which parameter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.program import Program
from agentcheck.graph.resolve import ClassRef, External, Function, Instance, Resolver
from agentcheck.graph.text import last_name
from agentcheck.model import expr as E

# Names that so many kinds of object answer to that one definition in the target proves nothing.
COMMON = frozenset(
    (
        "get set add append extend pop remove update run start stop close open read write "
        "send call execute invoke ainvoke stream items keys values copy join format split "
        "create load save print result step next process handle init build main put list "
        "delete submit wait clear insert index count sort encode decode connect commit "
        "info debug warning error exception "
    ).split()
)

# Calls that take a function, at this position, and call it with the arguments behind it.
HANDERS = {"to_thread": 0, "submit": 0, "run_in_executor": 1, "call_soon": 0, "partial": 0}


class Calls:
    """Callees of a call and callers of a function, resolved when asked."""

    def __init__(self, program: Program, resolver: Resolver) -> None:
        self.program = program
        self.resolver = resolver
        self._callers: dict[Fn, list[Site]] = {}
        self._callees: dict[int, Sequence[Fn]] = {}
        self._bound: dict[tuple[int, Fn], dict[str, E.Expr]] = {}
        # Who asks a person within so many calls, the fewest known, and who does not, the most.
        self.asking: dict[Fn, int] = {}
        self.silent: dict[Fn, int] = {}
        resolver.passed = self.passed

    def passed(self, fn: Fn, param: E.Param) -> list[tuple[E.Expr, Fn]]:
        """What callers in the target pass for a parameter, with the function that passes it."""
        found = []
        for site in self.callers(fn)[:8]:
            given = self.argument(site, fn, param)
            if given is not None:
                found.append((given, site.fn))
        return found

    def callees(self, site: Site) -> Sequence[Fn]:
        """The functions of the target that a call may enter; a class means its `__init__`."""
        key = id(site.expr)
        known = self._callees.get(key)
        if known is None:
            self._callees[key] = ()
            known = self._callees[key] = self._find(site) or ()
        return known

    def _find(self, site: Site) -> list[Fn]:
        func, found = site.call.func, list[Fn]()
        symbols = self.resolver.of(func, site.fn)
        for symbol in symbols:
            if type(symbol) is Function:
                found.append(symbol.fn)
            elif type(symbol) is ClassRef or type(symbol) is Instance:
                name = "__init__" if type(symbol) is ClassRef else "__call__"
                method = self.resolver.method(symbol.klass, name)
                found += [method] if method is not None else []
        if not symbols and isinstance(func, E.Attr):
            found.extend(self._only_method(func.attr, site.fn))
        return found + self._wrapped(site)

    def _handed(self, site: Site) -> int | None:
        """The position of the function that a call takes to call it itself, arguments behind it."""
        position = HANDERS.get(last_name(site.call.func) or "")
        return position if position is not None and len(site.call.args) > position else None

    def _only_method(self, name: str, near: Fn) -> list[Fn]:
        """The one method of a program with a telling name, for a receiver nobody could resolve."""
        if name in COMMON:
            return []
        named = self.program.methods_named.get(name, [])
        methods = [method for method in named if self.program.together(method, near)]
        return methods if len(methods) == 1 else []

    def _wrapped(self, site: Site) -> list[Fn]:
        """Functions given to something that calls them: `to_thread(f, x)`, `partial(f, x)`."""
        position = self._handed(site)
        if position is None:
            return []
        symbols = self.resolver.of(site.call.args[position].value, site.fn)
        return [s.fn for s in symbols if isinstance(s, Function)]

    def callers(self, fn: Fn) -> list[Site]:
        """The calls in the target that may enter a function."""
        if fn not in self._callers:
            self._callers[fn] = []  # while being found: a caller may ask through a parameter
            name = fn.name
            if name in ("__init__", "__call__"):
                candidates = self._constructions(fn)
            else:
                candidates = self.program.call_index.get(name, [])
            self._callers[fn] = [s for s in (*candidates, *self._handing) if fn in self.callees(s)]
        return self._callers[fn]

    @cached_property
    def _handing(self) -> list[Site]:
        """The calls that take a function to call it."""
        return [s for name in HANDERS for s in self.program.call_index.get(name, [])]

    def _constructions(self, fn: Fn) -> list[Site]:
        owner = self.program.owner(fn)
        if owner is None:
            return []
        family = [k.name for k in self.program.every_class() if owner in self.resolver.mro(k)]
        names = dict.fromkeys((*family, "cls", "super"))
        return [site for name in names for site in self.program.call_index.get(name, [])]

    def argument(self, site: Site, fn: Fn, param: E.Param) -> E.Expr | None:
        """What a call passes for a parameter; None when it passes nothing or it cannot be told."""
        return self.bound(site, fn).get(param.name)

    def bound(self, site: Site, fn: Fn) -> dict[str, E.Expr]:
        """The arguments of a call by the name of the parameter each reaches."""
        key = (id(site.expr), fn)
        if key not in self._bound:
            self._bound[key] = self._bind(site, fn)
        return self._bound[key]

    def _bind(self, site: Site, fn: Fn) -> dict[str, E.Expr]:
        positional = [p for p in fn.facts.params if p.kind in ("positional", "positional_only")]
        handed = self._handed(site) if fn in self._wrapped(site) else None
        if self._drops_first(site, fn):
            positional = positional[1:]
        found: dict[str, E.Expr] = {}
        plain = [a for a in site.call.args if a.name is None]
        plain = plain if handed is None else plain[handed + 1 :]
        for param, arg in zip(positional, plain, strict=False):
            if arg.star:
                break
            found[param.name] = arg.value
        found |= {a.name: a.value for a in site.call.args if a.name is not None}
        return found

    def _drops_first(self, site: Site, fn: Fn) -> bool:
        """Whether `self` or `cls` is given by the receiver and not among the arguments."""
        if fn.facts.owner is None:
            return False
        kinds = {d.id for d in fn.facts.decorators if isinstance(d, E.Name)}
        if kinds & {"staticmethod", "classmethod"}:
            return "classmethod" in kinds
        position = self._handed(site)
        func = site.call.func if position is None else site.call.args[position].value
        if not isinstance(func, E.Attr):
            return True
        return not any(isinstance(s, ClassRef) for s in self.resolver.of(func.value, site.fn))

    def leaves_out(self, site: Site, fn: Fn, param: E.Param) -> bool:
        """Whether a call surely passes nothing for a parameter: no `*` or `**` could hold it."""
        return self.argument(site, fn, param) is None and not self.spreads(site)

    def spreads(self, site: Site) -> bool:
        """Whether the call passes `*args` or `**kwargs`, so that any parameter may be given."""
        return any(a.star for a in site.call.args)

    def external(self, site: Site) -> frozenset[str]:
        """The dotted names of what a call enters outside the target."""
        symbols = self.resolver.of(site.call.func, site.fn)
        return frozenset(s.dotted for s in symbols if isinstance(s, External))
