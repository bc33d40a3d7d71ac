"""Spans equal LibCST's own positions, on real modules and on awkward texts."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

import agentcheck.facts
from agentcheck.model.location import Span
from agentcheck.source.positions import Positions

STANDARD = [
    "abc",
    "asyncio/taskgroups",
    "bisect",
    "codeop",
    "colorsys",
    "contextlib",
    "copy",
    "csv",
    "fnmatch",
    "getpass",
    "graphlib",
    "html/parser",
    "json/decoder",
    "linecache",
    "nturl2path",
    "queue",
    "reprlib",
    "sched",
    "shlex",
    "stat",
    "string",
    "textwrap",
    "tomllib/_parser",
    "types",
    "unittest/async_case",
]

OWN = sorted(Path(agentcheck.facts.__file__).parent.glob("*.py"))

AWKWARD = '''#!/usr/bin/env python
# comment \u00e9\u4e2d before anything


"""Doc\u2028string
over lines."""
\x0c
import a.b as c, d
from .. import (  # why
    e as f,
    g,
)
from h import *
gr\u00fc\u00dfe = "\U0001f600"; na\u00efve: int = (1 + 2) * -3 ** ~4 // 5 ; x = y = not z
if (n := len(a)) > 10 and not (b or c is not None) : pass
elif n in {*a, 1} or n not in [x for x in y if x if not z for w in x]:
\tt = a if b else (c)
\tdel t, u [0]
else :
\tglobal q, r
assert x , "why"
async def f [T: int, *Ts, **P] (a, /, b: int = 1, *args: str, c, d = 2, ** kwargs) -> "x" :
    """Inner."""
    async with a as b, c as (d, e):
        async for i in g ( *a , ** b , k = 1 , ) :
            await i
            yield
        else: return
    @ deco . rate ( 1 )

    # between
    @other
    class C (Base, metaclass = M):
        x: int
        def m(self): return lambda *a, b=1, **k: (yield from a)
    try:
        raise X from Y
    except (A, B) as e:
        continue
    except: ...
    else:
        break
    finally:
        nonlocal zz
try: pass
except* E as e : pass
with (open(p) as fh, open(q)): pass
match p:
    case [1, *rest, None] if rest: pass
    case {"a": A.b(1, k=_), **other} | (B() as z): pass
    case -1 | "s" "t": pass
type X[T] = dict[str, T]
s = f"a{b!r:>{w}}c{d=}{{}}" 'plain' rf"\\{e}"
v = a[1:2, ..., ::3, :] \\
    .attr . other (
        # inside
        1 ,
    )
w = {1: 2, **z, 'k' : [ ] , } ; u = ( ) ; t = 1 ,
while True: x += 1 ; y @= 2
print(*a, sep="")
d = {k: v for k, v in z}; s = {i async for i in z}; g = (i for i in z)
'''

PIECES = [
    "x = 1",
    "if a :\n\tpass\nelif b: c ; d\nelse:\n\tpass  # end",
    "def f(a, *, b = 2) :\n    return (a ,\n        b)",
    "@d\nclass C ( B ) :\n  # first\n\n  x : int = 1\n  # last",
    "s = 'a' \"b\" f'{x}' '''\u00fc\n  m'''",
    "# comment",
    "",
    "\x0c",
    "t = (\n  # c\n  (1)\n)",
    "for i in x: break\nelse :\n  continue",
    "try:\n  x\nexcept A as b :\n  pass\nfinally:\n  y",
    "with a as b , c : pass",
    "\u00e4\u4e2d = \u00e4 [ 1 ] . b \\\n  ( 2 )",
]


def check_every_node(text: str) -> int:
    """Compare all nodes but the module and its footer; the number of nodes compared."""
    module = cst.parse_module(text)
    positions = Positions(module, text)
    theirs = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    nodes = [node for node in theirs if node is not module and node not in footer_of(module)]
    wrong = [
        (type(node).__name__, positions.span(node), as_span(theirs[node]))
        for node in nodes
        if positions.span(node) != as_span(theirs[node])
    ]
    assert wrong == []
    return len(nodes)


def footer_of(module: cst.Module) -> set[cst.CSTNode | None]:
    return {
        part
        for line in module.footer
        for part in (line, line.whitespace, line.comment, line.newline)
    }


def as_span(place: CodeRange) -> Span:
    start, end = place.start, place.end
    return Span(start.line, start.column + 1, end.line, end.column + 1)


@pytest.mark.parametrize("name", STANDARD)
def test_spans_of_a_standard_module_equal_those_of_libcst(name: str) -> None:
    path = Path(sysconfig.get_paths()["stdlib"], f"{name}.py")
    if not path.exists():
        pytest.skip("this Python has no such module")
    text = path.read_text(encoding="utf-8")
    assert check_every_node(text) > 0


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_spans_of_our_own_modules_equal_those_of_libcst(path: Path) -> None:
    assert check_every_node(path.read_text(encoding="utf-8")) > 0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False], ids=["newline-at-end", "no-newline-at-end"])
def test_spans_of_awkward_syntax_equal_those_of_libcst(end: str, last: bool) -> None:
    text = AWKWARD if last else AWKWARD.rstrip()
    assert check_every_node(text.replace("\n", end)) > 1000


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\n\n  \n", "  # bye", "\\\n"]),
)
def test_spans_of_any_mixture_equal_those_of_libcst(pieces: list[str], end: str, tail: str) -> None:
    text = ("\n".join(pieces) + tail).replace("\n", end)
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError:
        return
    check_every_node(text)


def test_columns_count_characters_and_start_at_one() -> None:
    text = "\u4e2d = gr\u00fc\u00dfe(\U0001f600)\n".replace("\U0001f600", "'\U0001f600'")
    module = cst.parse_module(text)
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    assign = line.body[0]
    assert isinstance(assign, cst.Assign)
    assert Positions(module, text).span(assign.value) == Span(1, 5, 1, 15)


def test_the_source_of_a_node_is_its_own_text() -> None:
    text = "x = ( a + b )  # sum\n"
    module = cst.parse_module(text)
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    assign = line.body[0]
    assert isinstance(assign, cst.Assign)
    assert Positions(module, text).text(assign.value) == "a + b"


def test_a_tree_of_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="does not generate"):
        Positions(cst.parse_module("x = 1\n"), "x = 1000\n")
