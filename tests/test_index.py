"""The facts from CPython's tree are those from LibCST's, on real files and on awkward texts."""

from __future__ import annotations

import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.test_positions import AWKWARD, PIECES, STANDARD

from agentcheck.facts.index.indexing import indexed
from agentcheck.facts.index.lowering import Unindexed
from agentcheck.facts.read import read_facts
from agentcheck.facts.whole import lowered
from agentcheck.model.location import Span
from agentcheck.source.decode import decode, lines_of
from agentcheck.source.errors import Unreadable

PACKAGES = (
    "_pytest anthropic hypothesis jinja2 libcst msgspec mypy networkx openai packaging pathspec "
    "pydantic rich typer yaml"
).split()
LARGEST = 40_000  # characters: the large files say no more than many small ones
WHOLE = Span(1, 1, 1, 1)

STRINGS = r'''
a = f"a{ b }c{{d}}" f'{x!r:>{width}}' 'plain' rf"\d{y=}" F"{ z = }" R'\n'
b = f"""{
    many
} lines {(a, b)} and {a:%H:%M} of {x:{y}.{z}} or {w:=5}
"""
c = (f"{one['k']}"  # it's a comment
     "tail\x41\ud800"
     f'{f"{nested}"}' u"u")
d = f"{a!r}{(lambda: 1)}{a != b}{c <= d}{({1: 2})[a]}\{e}\N{EM DASH}"
e = f"é{x}中{y}" + f'{a,}{*b,}{[i for i in j]}{(i for i in j)}'
f = f"" "" f"{g:{'>'}{10}}"
async def h(): return [f"{await i}" for k in l]
def m(): x = f"{(yield)}{await_}"
'''
PARENTHESES = """
f((a), (b) , *(c), d=(e), **(g))
f( (  # one (
    (a)  # two )
) )
f(x for x in (y))
f((x for x in y))
f(((x) for x in y if (z)), )
class A((B), metaclass=(M)): pass
class C(*(D), E, **(F)): x = 1;
t = (1, 2 , ), ( ), ((1), (2)), ((1),), (1,), (((a), b), c)
u = 1, ; v = (1), (2)
w[1: , (2)], w[(a, b)], w[a, b , ], w[(a)], w[ : ], w[::], w[a:b:], w[*a], w[(a, ), b]
for x, in (y): pass
for (x), y in z, : pass
del (a, b), c
del (a, b)
with (open(a)) as b, (c): pass
with (a as b, c): pass
x = (yield)
(a).b, (a)[b], (a)(b), -(a), (not a), (a and b) and c, (a or (b or c)), (a) if (b) else (c)
lambda a=(1), *b, c=(2), **d: (e)
if a: b; c;
else: d;
def g(*  args : (int), a : (int) = (1), ** kw) -> (str) : return (a) ;
while (a) : break;
try: a;
except (B): c;
finally: d ;
"""

MATCHES = """
match p:
    case [1, *rest, None] if rest: pass
    case {"a": A.b(1, k=_), **other} | (B() as z): pass
    case -1 | "s" "t": x;
    case (1), 2 | (3): pass
    case ((1), 2,): pass
    case (a): pass
    case (a, b) | [c, d] | ((x, y)): pass
    case (): pass
    case []: pass
    case (  # case (
        a, *_
    ): pass
    case C((1), (2 ), k = ( 3 ), kk=(a|b)): pass
    case C( (a, b), ): pass
    case ((a | b) | c) as q, : pass
    case {**r}: pass
    case {1: (2), 'b': x.y, ** r, }: pass
    case {}: pass
    case 1 + 2j | True | (None): pass
    case str() | x.y.z: pass
    case *a, b: pass
    case _: pass
class A:
    def f(self):
        match self.x, y:
            case "é", f: return 1
            case ("é", f) if (g): return 1
match p:
    case [1, *rest , ]: pass
    case [1, *_ , 2]: pass
    case (1, *_ ,): pass
    case *_ , : pass
    case *a , if b: pass
    case *a , iff: pass
    case [*a,  # c
       b]: pass
"""


def tree_of(text: str) -> ast.Module | None:
    """CPython's tree; None where this Python does not know the syntax."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


def check(text: str) -> bool:
    """Compare the facts of a text; False where there is nothing to compare."""
    tree = tree_of(text)
    if tree is None:
        return False
    try:
        theirs = lowered(text, WHOLE)
    except Unreadable:
        return False
    try:
        ours = indexed(tree, text, lines_of(text), WHOLE)
    except Unindexed:
        return False
    assert ours.imports == theirs.imports
    assert ours.functions == theirs.functions
    assert ours.classes == theirs.classes
    return True


def modules() -> Iterator[Path]:
    """Real files: every seventh small one of the packages that are installed here."""
    for name in PACKAGES:
        folder = Path(sysconfig.get_paths()["purelib"], name)
        yield from sorted(folder.rglob("*.py"))[::7]


def test_real_files_have_the_same_facts() -> None:
    compared = 0
    for path in modules():
        try:
            text = decode(path.read_bytes())
        except Unreadable:
            continue
        if len(text) <= LARGEST and compared < 150:
            compared += check(text)
    assert compared >= 50


@pytest.mark.parametrize("name", STANDARD)
def test_a_standard_module_has_the_same_facts(name: str) -> None:
    path = Path(sysconfig.get_paths()["stdlib"], f"{name}.py")
    if not path.exists():
        pytest.skip("this Python has no such module")
    assert check(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_pattern_has_the_same_facts(end: str) -> None:
    assert check(MATCHES.replace("\n", end))
    cases = MATCHES.replace("match", "    match").split("    case ")[1:]
    for case in cases:
        check(f"match p:\n    case {case}")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", [STRINGS, PARENTHESES], ids=["strings", "parentheses"])
def test_every_line_of_awkward_code_has_the_same_facts(text: str, end: str) -> None:
    assert check(text.replace("\n", end))
    lines = [line for line in text.splitlines() if tree_of(line) is not None]
    assert len(lines) > 3
    assert all(check(f"{line}{end}") and check(line) for line in lines)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_awkward_syntax_has_the_same_facts(end: str) -> None:
    text = AWKWARD
    if sys.version_info < (3, 12):
        text = text.replace(" [T: int, *Ts, **P] ", " ").replace("type X[T] =", "X =")
    assert check(text.replace("\n", end))


NAMES = st.sampled_from(["a", "b", "self", "grüße", "None", "1", "0x_ff", "1e999", "'s'", "b'x'"])
BLANKS = st.sampled_from(["", " ", "  ", "\n ", " # (c\n", " \\\n "])


def around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions made of expressions, with odd blanks and needless parentheses."""
    two = st.tuples(inner, inner, BLANKS)
    return st.one_of(
        st.tuples(inner, BLANKS, BLANKS).map(lambda t: f"({t[1]}{t[0]}{t[2]})"),
        two.map(lambda t: f"({t[0]}{t[2]}+ {t[1]})"),
        two.map(lambda t: f"({t[0]} and{t[2]} {t[1]})"),
        two.map(lambda t: f"({t[0]} if {t[1]} else{t[2]} {t[0]})"),
        two.map(lambda t: f"(a)({t[2]}{t[0]}{t[2]}, {t[1]}{t[2]})"),
        two.map(lambda t: f"f({t[2]}{t[0]} for x in{t[2]} {t[1]}{t[2]})"),
        two.map(lambda t: f"g(*{t[0]}, k={t[1]}{t[2]},)"),
        two.map(lambda t: f"({t[0]}{t[2]},{t[2]}{t[1]}{t[2]},{t[2]})"),
        two.map(lambda t: f"({t[0]}{t[2]},)"),
        two.map(lambda t: f"a[{t[2]}{t[0]}:{t[2]},{t[1]}{t[2]}]"),
        two.map(lambda t: f"[{t[0]}{t[2]}for x in {t[1]}{t[2]} if {t[0]}]"),
        two.map(lambda t: f"{{{t[0]}:{t[2]}{t[1]}, **{t[0]}}}"),
        two.map(lambda t: f"(lambda x={t[0]}, *y:{t[2]} {t[1]})"),
        two.map(lambda t: f"(not{t[2]} {t[0]}).b"),
        two.map(lambda t: f"({t[0]} <{t[2]} {t[1]} is not {t[0]})"),
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(NAMES, around, max_leaves=12), BLANKS)
@example("f(((a), b))", "")
def test_any_expression_has_the_same_facts(expression: str, blank: str) -> None:
    check(f"x = ({blank}{expression}{blank})\n")
    check(f"if {expression}:\n    return_({expression})\n")
    check(f"class A({expression}): y = [{blank}{expression}]\n")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\n\n  \n", "  # bye"]),
)
def test_any_mixture_of_statements_has_the_same_facts(
    pieces: list[str], end: str, tail: str
) -> None:
    check(("\n".join(pieces) + tail).replace("\n", end))


def test_names_that_python_reads_in_another_form_keep_theirs() -> None:
    facts = read_facts("a.py", "ﬁle = １０\n".replace("１０", "10").encode())
    (assign,) = facts.functions[0].body
    assert "ﬁle" in str(assign)


ODD = "ﬁ \N{MICRO SIGN} \N{WARNING SIGN}\N{VARIATION SELECTOR-16} हिंदी"


@pytest.mark.parametrize(
    "text",
    ["# {}", "x = '{}'", '"""\n{}"""', "x = f'{} {{y}} {} {{{{z}}}}'", "f'{{y!r:>4}}{}'"],
)
def test_odd_characters_in_comments_and_strings_change_nothing(text: str) -> None:
    assert check(f"{text.format(ODD, ODD)}\ny = 1\n")


@pytest.mark.parametrize(
    "text", ["ﬁ = 1", "x.ﬁ", "f(ﬁ=1)", "f'{ﬁ}'", "f'{x:{ﬁ}}'", "f'{x[\"{\"]}{ﬁ}'", "import ﬁ"]
)
def test_odd_names_are_left_to_libcst(text: str) -> None:
    assert not check(f"{text}\n")
    assert "ﬁ" in str(read_facts("a.py", text.encode()))
