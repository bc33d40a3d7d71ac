"""What a text is put together from: literals, and the expressions whose values go into it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.reaching import reaching
from agentcheck.graph.scope import Binding
from agentcheck.graph.text import last_name, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

DEPTH = 12
MANY = 240
# Calls that hand on the text of what they are called on, or of their first argument.
_SAME = frozenset("strip lstrip rstrip lower upper title replace encode removeprefix".split())
_AROUND = frozenset("dedent str cleandoc repr dumps indent Template PromptTemplate".split())
_FILLED = frozenset("format format_map substitute safe_substitute partial from_template".split())


class Piece(Struct, frozen=True, eq=False):
    """A literal, or an expression whose value goes into the text, in the function it stands in.

    `via` are the expressions, outermost first, that led to it from the text itself. `file` is the
    file beside the code that the text is read from; where that could not be read, `text` is None.
    """

    expr: E.Expr
    fn: Fn
    via: tuple[tuple[E.Expr, Fn], ...] = ()
    file: str | None = None

    @property
    def text(self) -> str | None:
        """The literal's text, else None."""
        return string(self.expr)


class Pieces:
    """Takes texts apart. Parameters are followed `up` levels to what callers pass."""

    def __init__(self, tracer: Tracer, up: int = 2) -> None:
        self.tracer = tracer
        self.up = up
        self._memo: dict[int, tuple[Piece, ...]] = {}

    def of(self, expr: E.Expr, fn: Fn) -> tuple[Piece, ...]:
        """The pieces of a text, in order."""
        if id(expr) not in self._memo:
            found = []
            for piece in self._of(expr, fn, (), self.up):
                found.append(piece)
                if len(found) >= MANY:
                    break
            self._memo[id(expr)] = tuple(found)
        return self._memo[id(expr)]

    def _of(
        self, expr: E.Expr, fn: Fn, via: tuple[tuple[E.Expr, Fn], ...], up: int
    ) -> Iterator[Piece]:
        if len(via) > DEPTH or any(seen is expr for seen, _ in via):
            return
        within = (*via, (expr, fn))
        for read in self.tracer.files.of(expr, fn) if self.tracer.files is not None else ():
            yield Piece(read.value or expr, fn, within if read.value else via, read.path)
            return
        below = self._below(expr, fn, up)
        if below is None:
            yield Piece(expr, fn, via)
            return
        for inner, host, level in below:
            yield from self._of(inner, host, within, level)

    def _below(self, expr: E.Expr, fn: Fn, up: int) -> list[tuple[E.Expr, Fn, int]] | None:
        """What an expression is put together from; None for one that is a piece itself."""
        match expr:
            case E.Template(parts=parts):
                return [(p, fn, up) for p in parts]
            case E.Binary(op="+" | "%", left=left, right=right):
                return [(left, fn, up), (right, fn, up)]
            case E.Choice(then=then, otherwise=otherwise):
                return [(then, fn, up), (otherwise, fn, up)]
            case E.Logic(values=values):
                return [(v, fn, up) for v in values]
            case E.Await() | E.Walrus() | E.Star():
                return [(expr.value, fn, up)]
            case E.Items(items=items):
                return [(i, fn, up) for i in items]
            case E.Comp(element=element, value=None):
                return [(element, fn, up)]
            case E.Entries(entries=entries):
                return [(e.value, fn, up) for e in entries if _is_text_key(e)]
            case E.Call():
                return self._call(expr, fn, up)
            case E.Name():
                return self._name(expr, fn, up)
            case E.Attr():
                return self._attr(expr, fn, up)
            case E.Lambda(body=body):
                return [(body, fn, up)]
            case _:
                return None

    def _call(self, call: E.Call, fn: Fn, up: int) -> list[tuple[E.Expr, Fn, int]] | None:
        name, func = last_name(call.func), call.func
        values = [(a.value, fn, up) for a in call.args]
        if isinstance(func, E.Attr) and name in _SAME:
            return [(func.value, fn, up)]
        if isinstance(func, E.Attr) and name in _FILLED | {"join"}:
            return [(func.value, fn, up), *values]
        callees = self.tracer.calls.callees(Site(call, Located(S.Do(call.where, call), fn, None)))
        plain = [c for c in callees if c.name != "__init__"]
        if plain:
            found = [(r, c, up) for c in plain[:4] for r in self.tracer.results(c)]
            return found or None
        return values[:1] if name in _AROUND and values else None

    def _name(self, name: E.Name, fn: Fn, up: int) -> list[tuple[E.Expr, Fn, int]] | None:
        here: Fn | None = fn
        while here is not None:
            bindings = self.tracer.program.scope(here).get(name.id)
            if bindings:
                able = reaching(bindings, name.where) if here is fn else bindings
                added = [b for b in bindings if b.how == "augmented" and b not in able]
                return self._bound([*able, *added], here, up)
            here = self.tracer.program.parent(here)
        return self._starred(name.id, fn, up)

    def _bound(
        self, bindings: list[Binding], fn: Fn, up: int
    ) -> list[tuple[E.Expr, Fn, int]] | None:
        found = list[tuple[E.Expr, Fn, int]]()
        for binding in bindings[:8]:
            if binding.how in ("value", "augmented") and binding.expr is not None:
                found.append((binding.expr, fn, up))
            elif binding.how == "param" and binding.param is not None and up > 0:
                passed = self.tracer.calls.passed(fn, binding.param)
                found += [(given, host, up - 1) for given, host in passed]
            elif binding.how == "import" and binding.imported is not None:
                imported = binding.imported
                source = self.tracer.program.modules.of_import(imported, fn.file.path)
                if source is not None and imported.name not in (None, "*"):
                    found += self._exported(source, imported.name or "", up) or []
        return found or None

    def _exported(
        self, source: str, name: str, up: int, seen: frozenset[str] = frozenset()
    ) -> list[tuple[E.Expr, Fn, int]] | None:
        module = self.tracer.program.module(source)
        if source in seen:
            return None
        bindings = self.tracer.program.scope(module).get(name)
        if not bindings:
            return self._starred(name, module, up, seen | {source})
        found = [(b.expr, module, up) for b in bindings if b.how == "value" and b.expr is not None]
        for binding in bindings:
            if binding.how == "import" and binding.imported is not None:
                inner = self.tracer.program.modules.of_import(binding.imported, source)
                if inner is not None and binding.imported.name:
                    got = self._exported(inner, binding.imported.name, up, seen | {source})
                    found += got or []
        return found or None

    def _starred(
        self, name: str, fn: Fn, up: int, seen: frozenset[str] = frozenset()
    ) -> list[tuple[E.Expr, Fn, int]] | None:
        """A name that star imports bring in; the last of them that has it wins."""
        for imported in reversed(fn.file.imports):
            if imported.name == "*":
                source = self.tracer.program.modules.of_import(imported, fn.file.path)
                found = self._exported(source, name, up, seen) if source is not None else None
                if found:
                    return found
        return None

    def _attr(self, attr: E.Attr, fn: Fn, up: int) -> list[tuple[E.Expr, Fn, int]] | None:
        klass = self.tracer.program.self_class(fn)
        if klass is not None and isinstance(attr.value, E.Name) and attr.value.id == "self":
            values = self.tracer.resolver.attribute_values(klass, attr.attr)
            return [(v, method, up) for v, method in values[:4]] or None
        for origin in self.tracer.local(attr, fn):
            if origin.kind in ("const", "display") and origin.expr is not None:
                return [] if origin.steps else [(origin.expr, origin.fn, up)]
        return None


def _is_text_key(entry: E.Entry) -> bool:
    return string(entry.key) in ("text", "content") if entry.key is not None else False
