"""Functions with side effects, replaced by recorders in every place that holds them.

A tool is a function that lists, decorators and other modules have taken hold of before a test
starts, so that a new value for its name in its module would reach none of them. What is replaced is
the body (`__code__`) of the function itself: its name, signature and annotations, from which SDKs
make the tool that the model sees, stay as they are.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

ABSENT = object()
_hooks: dict[int, Callable[[Mapping[str, Any]], Any]] = {}
_numbers = itertools.count(1)


class Recorded(NamedTuple):
    """A call that a recorder took in place of the effect; arguments by the names of parameters."""

    arguments: Mapping[str, Any]


class Recorder:
    """Stands in for one function: `calls` are the calls it got, `name` is `module:function`.

    It returns `returns`; where that is callable, what it returns for the arguments of the call;
    where it is an exception, that is raised. By default a value that fits the return annotation.
    """

    def __init__(self, name: str, returns: Any = ABSENT) -> None:
        self.name = name
        self.returns = returns
        self.allowed = False  # whether the user lets the function run
        self.calls: list[Recorded] = []

    def __repr__(self) -> str:
        return f"Recorder({self.name!r}, calls={self.calls!r})"

    def take(self, arguments: Mapping[str, Any], function: Any) -> Any:
        """Note a call; the value to return in its place."""
        self.calls.append(Recorded(dict(arguments)))
        if isinstance(self.returns, BaseException):
            raise self.returns
        if callable(self.returns):
            return self.returns(**arguments)
        return _fitting(function) if self.returns is ABSENT else self.returns


def replace(
    name: str,
    stack: ExitStack,
    returns: Any = ABSENT,
    among: Sequence[types.FunctionType] | None = None,
) -> Recorder:
    """Record the calls of `module:function` (or `module:Class.method`) until the stack is closed.

    `among` is `every_function()`, for whoever replaces several at a time: it takes a while.
    Raises LookupError where there is no such function: one that is made only when other code runs
    cannot be replaced before that.
    """
    recorder = Recorder(name, returns)
    for function in functions_named(name, among):
        _hook(function, recorder, stack)
    return recorder


def called(number: int, arguments: Mapping[str, Any]) -> Any:
    """What a replaced body calls; `number` is its hook's."""
    return _hooks[number](arguments)


def every_function() -> list[types.FunctionType]:
    """All functions that are now held anywhere in this process."""
    kind = types.FunctionType  # most objects are none, and there are hundreds of thousands
    return [one for one in gc.get_objects() if type(one) is kind]


def functions_named(
    name: str, among: Sequence[types.FunctionType] | None = None
) -> list[types.FunctionType]:
    """The functions that bear a name, `module:function`. Raises LookupError where there is none."""
    module, colon, path = name.partition(":")
    if not colon:
        raise LookupError(f"{name!r} is not of the form module:function")
    importlib.import_module(module)
    held = every_function() if among is None else among
    found = [one for one in held if _is(one, module, path)]
    if not found:
        raise LookupError(f"there is no function {path!r} in {module!r}, or it is not made yet")
    return found


def _is(one: Any, module: str, path: str) -> bool:
    return one.__qualname__ == path and one.__module__ == module and not _wraps_another(one)


def _wraps_another(function: types.FunctionType) -> bool:
    """Whether it only took the name of another, as decorators do."""
    return function.__code__.co_name != function.__name__ and hasattr(function, "__wrapped__")


def _hook(function: types.FunctionType, recorder: Recorder, stack: ExitStack) -> None:
    number, old = next(_numbers), function.__code__
    _hooks[number] = lambda arguments: recorder.take(arguments, function)
    function.__code__ = _body(function, number)
    stack.callback(_hooks.pop, number)
    stack.callback(setattr, function, "__code__", old)


ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
TEMPLATE = """
def outer({free}):
    {kind} {name}({parameters}):
        ({free})
        {gives} __import__({here!r}, fromlist=["called"]).called({number}, {{{arguments}}})
"""


def _body(function: types.FunctionType, number: int) -> types.CodeType:
    """Code with the parameters and free variables of the function, that calls its hook."""
    code = function.__code__
    free = [f"free_{i}" for i in range(len(code.co_freevars))]
    names = code.co_varnames[: _count(code)]
    source = TEMPLATE.format(
        free="".join(f"{name}, " for name in free),
        kind="async def" if code.co_flags & ASYNC else "def",
        gives="yield" if code.co_flags & GENERATOR else "return",
        name="recorded",
        parameters=_parameters(code),
        here=__name__,
        number=number,
        arguments=", ".join(f"{name!r}: {name}" for name in names),
    )
    outer = compile(source, code.co_filename, "exec").co_consts[0]
    inner = next(c for c in outer.co_consts if isinstance(c, types.CodeType))
    return inner.replace(co_name=code.co_name, co_firstlineno=code.co_firstlineno)


def _count(code: types.CodeType) -> int:
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(
        code.co_flags & inspect.CO_VARKEYWORDS
    )
    return code.co_argcount + code.co_kwonlyargcount + starred


def _parameters(code: types.CodeType) -> str:
    """The parameters as source; their defaults stay with the function."""
    names = code.co_varnames
    args, kwonly = code.co_argcount, code.co_kwonlyargcount
    parts = list(names[:args])
    if code.co_posonlyargcount:
        parts.insert(code.co_posonlyargcount, "/")
    place = args + kwonly
    if code.co_flags & inspect.CO_VARARGS:
        parts.append(f"*{names[place]}")
        place += 1
    elif kwonly:
        parts.append("*")
    parts += names[args : args + kwonly]
    return ", ".join(
        parts + ([f"**{names[place]}"] if code.co_flags & inspect.CO_VARKEYWORDS else [])
    )


# What a recorder returns by default, by the name of the type that the function says it returns.
FITTING: Mapping[str, Any] = {
    "str": "ok",
    "bool": True,
    "int": 0,
    "float": 0.0,
    "dict": {},
    "list": [],
}


def _fitting(function: types.FunctionType) -> Any:
    told = function.__annotations__.get("return")
    name = told if isinstance(told, str) else getattr(told, "__name__", "")
    value = FITTING.get(str(name).partition("[")[0], "ok" if told is None else None)
    return type(value)(value) if isinstance(value, (dict, list)) else value
