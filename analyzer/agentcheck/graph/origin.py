"""Where a value comes from: the roots it is read from and the keys read on the way.

`call.function.arguments` inside `for call in reply.choices[0].message.tool_calls`, with `reply`
assigned from a helper that returns a model call, has the origin (that model call, ("choices",
"[]", "message", "tool_calls", "[]", "function", "arguments")). Attributes, string keys, `.get`
and `getattr` are one kind of step; any other index, and iteration, is "[]".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from agentcheck.graph.handles import Fn
from agentcheck.graph.symbols import ClassRef, External, ModuleRef
from agentcheck.graph.text import string
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.containers import Element
    from agentcheck.graph.resolve import Resolver

Kind = Literal["call", "param", "const", "display", "define", "global", "other"]
MANY = 24
STEPS = 14
DEPTH = 24


class Origin(Struct, frozen=True, eq=False, gc=False):
    """A root and the steps from it. `param` names the parameter when the root is one."""

    kind: Kind
    expr: E.Expr | None
    fn: Fn
    param: str | None = None
    steps: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two origins the same."""
        return (self.kind, id(self.expr) if self.param is None else self.param, self.fn, self.steps)

    @property
    def names(self) -> tuple[str, ...]:
        """The steps without indexing and iteration."""
        steps = self.steps
        return tuple([s for s in steps if s != "[]"]) if "[]" in steps else steps

    def step(self, *more: str) -> Origin:
        """The origin one or more steps further on."""
        if not more:
            return self
        steps = self.steps + more
        steps = steps if len(steps) <= STEPS else steps[:STEPS]
        return Origin(self.kind, self.expr, self.fn, self.param, steps)


Origins = tuple[Origin, ...]
# What is stored elsewhere in a container, under a key if one is named.
Registered = Callable[[E.Name | E.Attr, Fn, str | None], "Iterator[Element]"]

# Methods that hand on the same information in another shape.
SAME_METHOD = frozenset(
    (
        "model_dump dict json model_dump_json to_dict to_json copy model_copy values "
        "items strip parse get_final_message get_final_response get_final_completion "
        "lower encode decode "
    ).split()
)
SAME_FUNCTION = frozenset(
    (
        "list tuple set iter next sorted reversed enumerate filter str dict vars "
        "copy.copy copy.deepcopy typing.cast asyncio.wait_for asyncio.run "
        "asyncio.create_task asyncio.gather "
    ).split()
)
PARSERS = frozenset(
    (
        "json.loads orjson.loads ujson.loads simplejson.loads json5.loads "
        "ast.literal_eval msgspec.json.decode pydantic_core.from_json demjson3.decode "
    ).split()
)


def field_of(origin: Origin, key: str) -> E.Expr | None:
    """What a constructor was given under a keyword: `Function(arguments=x).arguments` is x."""
    args = origin.expr.args if isinstance(origin.expr, E.Call) else ()
    return next((a.value for a in args if a.name == key), None)


def makes_object(resolver: Resolver, origin: Origin) -> bool:
    """Whether an origin is the construction of an object: a class, or named like one."""
    if origin.kind != "call" or origin.steps or not isinstance(origin.expr, E.Call):
        return False
    return any(
        isinstance(s, ClassRef)
        or (isinstance(s, External) and s.dotted.rpartition(".")[2][:1].isupper())
        for s in resolver.of(origin.expr.func, origin.fn)
    )


def modules_of(resolver: Resolver, expr: E.Attr, fn: Fn) -> list[str]:
    """The modules of the target that an attribute is read from: `prompts.SYSTEM`."""
    if not isinstance(expr.value, (E.Name, E.Attr)):
        return []
    return [s.path for s in resolver.of(expr.value, fn) if isinstance(s, ModuleRef)]


def same_method(method: str, call: E.Call) -> bool:
    """Whether a method hands on its object; a `parse` that is given more than a class asks anew."""
    if method == "parse" and any(arg.name != "to" for arg in call.args):
        return False
    return method in SAME_METHOD


def entry_of(origin: Origin, key: str) -> E.Expr | None:
    if origin.kind != "display" or origin.steps or not isinstance(origin.expr, E.Entries):
        return None
    return next((e.value for e in origin.expr.entries if e.key and string(e.key) == key), None)


def distinct(origins: Iterable[Origin]) -> Origins:
    """The origins once each, at most MANY."""
    seen: dict[tuple[object, ...], Origin] = {}
    for origin in origins:
        seen.setdefault(origin.key, origin)
        if len(seen) >= MANY:
            break
    return tuple(seen.values())
