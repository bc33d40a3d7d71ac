"""Statements, definitions and imports of whole files."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct, structs
from tests.facts_samples import NESTED

from agentcheck.facts.read import read_facts
from agentcheck.model.facts import FileFacts, Function, Import
from agentcheck.model.location import Span, packed


def read(text: str) -> FileFacts:
    return read_facts("a.py", text.encode())


def bare(value: Any) -> Any:
    """A struct as a tuple of its name and fields, spans left out."""
    if isinstance(value, Struct):
        fields = (getattr(value, f.name) for f in structs.fields(value) if f.name != "where")
        return (type(value).__name__, *map(bare, fields))
    return tuple(map(bare, value)) if isinstance(value, tuple) else value


def statements(text: str) -> Any:
    return bare(read(text).functions[0].body)


A, B, C, D = ("Name", "a"), ("Name", "b"), ("Name", "c"), ("Name", "d")
DO_A, DO_B, DO_C, DO_D = (("Do", name) for name in (A, B, C, D))
PASS = ("Jump", "pass")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("a = b = c", ("Assign", (A, B), C, None)),
        ("a: b", ("Assign", (A,), None, B)),
        ("a: b = c", ("Assign", (A,), C, B)),
        ("a, b = c", ("Assign", (("Items", "tuple", (A, B)),), C, None)),
        ("a //= b", ("AugAssign", A, "//=", B)),
        ("a @= b", ("AugAssign", A, "@=", B)),
        ("a", DO_A),
        ("return", ("Return", None)),
        ("return a", ("Return", A)),
        ("raise", ("Raise", None, None)),
        ("raise a from b", ("Raise", A, B)),
        ("assert a, b", ("Assert", A, B)),
        ("del a, b", ("Delete", (A, B))),
        ("del (a, b)", ("Delete", (A, B))),
        ("del a", ("Delete", (A,))),
        ("global a, b", ("Scope", "global", ("a", "b"))),
        ("nonlocal a", ("Scope", "nonlocal", ("a",))),
        ("pass", PASS),
        ("break", ("Jump", "break")),
        ("continue", ("Jump", "continue")),
        ("if a: b", ("If", A, (DO_B,), ())),
        ("while a: b\nelse: c", ("While", A, (DO_B,), (DO_C,))),
        ("for a in b: c\nelse: d", ("For", A, B, (DO_C,), (DO_D,), False)),
        ("async for a in b: c", ("For", A, B, (DO_C,), (), True)),
        (
            "with a as b, c: d",
            ("With", (("WithItem", A, B), ("WithItem", C, None)), (DO_D,), False),
        ),
        ("async with a: d", ("With", (("WithItem", A, None),), (DO_D,), True)),
        (
            "try: a\nexcept b as e: c\nexcept: d\nelse: a\nfinally: b",
            (
                "Try",
                (DO_A,),
                (("Handler", B, "e", (DO_C,)), ("Handler", None, None, (DO_D,))),
                (DO_A,),
                (DO_B,),
            ),
        ),
        ("try: a\nexcept* b: c", ("Try", (DO_A,), (("Handler", B, None, (DO_C,)),), (), ())),
    ],
)
def test_statements_have_their_parts(text: str, shape: Any) -> None:
    assert statements(f"{text}\n") == (shape,)


def test_elif_is_an_if_alone_in_orelse() -> None:
    (found,) = statements("if a: b\nelif c: d\nelse: a\n")
    assert found == ("If", A, (DO_B,), (("If", C, (DO_D,), (DO_A,)),))


def test_statements_on_one_line_stay_apart() -> None:
    assert statements("a; b ;\nif c: d; a\n") == (DO_A, DO_B, ("If", C, (DO_D, DO_A), ()))


def test_newer_syntax_than_some_interpreters_know_is_read() -> None:
    assert statements("type a = b\n") == (("Assign", (A,), B, None),)
    function = read("def f[T](a: T) -> T: pass\n").functions[1]
    assert bare(function.returns) == ("Name", "T")
    cls = read("class K[T]: pass\n").classes[0]
    assert cls.name == "K"
    assert statements("x = f'{a['k']}'\n")[0][2] == (
        "Template",
        (("Index", A, ("Const", "k")),),
    )


PATTERNS = [
    ("1", ("Const", 1), ()),
    ("None", ("Const", None), ()),
    ("-1", ("Unary", "-", ("Const", 1)), ()),
    ("a.b", ("Attr", A, "b"), ()),
    ("a", A, ("a",)),
    ("_", ("Name", "_"), ()),
    ("[a, *b]", ("Items", "list", (A, ("Star", B))), ("a", "b")),
    ("(a, *_)", ("Items", "tuple", (A, ("Star", ("Name", "_")))), ("a",)),
    ("a, b", ("Items", "tuple", (A, B)), ("a", "b")),
    (
        "{'k': a, **b}",
        ("Entries", (("Entry", ("Const", "k"), A), ("Entry", None, B))),
        ("a", "b"),
    ),
    (
        "C(a, k=b)",
        ("Call", ("Name", "C"), (("Arg", A, None, ""), ("Arg", B, "k", ""))),
        ("a", "b"),
    ),
    ("1 as a", ("Walrus", "a", ("Const", 1)), ("a",)),
    (
        "1 | 2 | a.b",
        ("Binary", "|", ("Binary", "|", ("Const", 1), ("Const", 2)), ("Attr", A, "b")),
        (),
    ),
]


@pytest.mark.parametrize(("pattern", "shape", "binds"), PATTERNS, ids=[p[0] for p in PATTERNS])
def test_patterns_are_the_nearest_expression(
    pattern: str, shape: Any, binds: tuple[str, ...]
) -> None:
    (found,) = statements(f"match c:\n  case {pattern} if d: pass\n")
    assert found == ("Match", C, (("Case", shape, binds, D, (PASS,)),))


def by_name(facts: FileFacts) -> dict[str, tuple[int, Function]]:
    return {f.qualname: (i, f) for i, f in enumerate(facts.functions)}


def test_definitions_know_where_they_are() -> None:
    facts = read(NESTED)
    functions = by_name(facts)
    classes = {c.qualname: (i, c) for i, c in enumerate(facts.classes)}
    assert list(functions) == [
        "<module>",
        "outer",
        "outer.inner",
        "outer.Local.method",
        "Top.prop",
        "Top.extra",
    ]
    assert list(classes) == ["outer.Local", "Top", "Top.Nested"]
    outer, top = functions["outer"][0], classes["Top"][0]
    places = {name: (f.owner, f.parent) for name, (_, f) in functions.items()}
    assert places == {
        "<module>": (None, None),
        "outer": (None, 0),
        "outer.inner": (None, outer),
        "outer.Local.method": (classes["outer.Local"][0], outer),
        "Top.prop": (top, 0),
        "Top.extra": (top, 0),
    }
    assert [(c.parent, c.owner) for _, c in classes.values()] == [
        (outer, None),
        (0, None),
        (0, top),
    ]


def test_definitions_stand_in_the_body_they_are_written_in() -> None:
    facts = read(NESTED)
    indices = {name: i for name, (i, _) in by_name(facts).items()}
    assert bare(facts.functions[0].body)[2:] == (
        ("Define", "function", "outer", indices["outer"]),
        ("Define", "class", "Top", 1),
    )
    top = bare(facts.classes[1].body)
    assert top[1] == ("Assign", (("Name", "field"),), ("Const", 3), ("Name", "int"))
    assert top[2] == ("Define", "function", "prop", indices["Top.prop"])
    assert top[3] == ("If", ("Name", "cond"), (("Define", "function", "extra", 5),), ())


def test_definitions_keep_signature_docstring_and_spans() -> None:
    facts = read(NESTED)
    outer, prop = by_name(facts)["outer"][1], by_name(facts)["Top.prop"][1]
    assert [(p.name, p.kind) for p in outer.params] == [("p", "positional"), ("k", "keyword")]
    assert bare(outer.returns) == ("Name", "str")
    assert (outer.doc, outer.doc_span) == ("Outer\ndoc.", Span(4, 5, 5, 14))
    assert (outer.span, outer.name_span) == (Span(3, 1, 9, 27), Span(3, 5, 3, 10))
    assert (prop.is_async, prop.doc, prop.doc_span) == (True, None, None)
    assert prop.span == Span(15, 5, 17, 36)
    assert bare(prop.decorators) == (("Name", "property"),)
    assert facts.functions[0].doc == "Module."


def test_classes_keep_bases_keywords_and_decorators() -> None:
    top = read(NESTED).classes[1]
    assert bare(top.bases) == (
        ("Arg", ("Name", "Base"), None, ""),
        ("Arg", ("Name", "Meta"), "metaclass", ""),
    )
    assert bare(top.decorators) == (("Call", ("Name", "deco"), (("Arg", ("Const", 1), None, ""),)),)
    assert (top.doc, top.span) == ("Top.", Span(11, 1, 20, 23))


def test_only_a_yield_of_its_own_makes_a_generator() -> None:
    facts = read(NESTED)
    generators = [f.qualname for f in facts.functions if f.is_generator]
    assert generators == ["outer.inner"]
    outer = read("def f():\n    def g(a=(yield)): pass\n").functions
    assert [(f.name, f.is_generator) for f in outer[1:]] == [("f", True), ("g", False)]


def test_a_docstring_is_a_plain_string_and_comes_first() -> None:
    texts = ["f'{x}'", "b'x'", "x", "1", "f'a' 'b'"]
    assert [read(f"def f():\n    {text}\n").functions[1].doc for text in texts] == [None] * 5
    assert read("def f(): 'a' 'b'\n").functions[1].doc == "ab"


def imports(text: str) -> list[tuple[Any, ...]]:
    return [bare(found)[1:] for found in read(text).imports]


def test_imports_give_one_entry_a_name() -> None:
    assert imports("import a.b as c, d\nfrom ..m.n import x as y, z\nfrom . import w\n") == [
        ("a.b", 0, None, "c", 0, False),
        ("d", 0, None, None, 0, False),
        ("m.n", 2, "x", "y", 0, False),
        ("m.n", 2, "z", None, 0, False),
        ("", 1, "w", None, 0, False),
    ]
    facts = read("from m import *\nimport a, b\n")
    assert facts.imports[0] == Import(packed(1, 15, 1, 16), "m", 0, "*", None, 0, guarded=False)
    assert bare(facts.functions[0].body) == (("Bring", (0,)), ("Bring", (1, 2)))
