"""Expressions and statements are lowered exactly as the model says."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct, structs

from agentcheck.facts.read import read_facts
from agentcheck.model.expr import Expr
from agentcheck.model.location import Span
from agentcheck.model.stmt import Assign, Do, Stmt


def body(text: str) -> tuple[Stmt, ...]:
    return read_facts("a.py", text.encode()).functions[0].body


def expr(text: str) -> Expr:
    (statement,) = body(f"{text}\n")
    assert isinstance(statement, Do)
    return statement.value


def bare(value: Any) -> Any:
    """A struct as a tuple of its name and fields, spans left out."""
    if isinstance(value, Struct):
        fields = (getattr(value, f.name) for f in structs.fields(value) if f.name != "where")
        return (type(value).__name__, *map(bare, fields))
    return tuple(map(bare, value)) if isinstance(value, tuple) else value


A, B, C = ("Name", "a"), ("Name", "b"), ("Name", "c")
ONE, TWO = ("Const", 1), ("Const", 2)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("a", A),
        ("None", ("Const", None)),
        ("(True)", ("Const", True)),
        ("a.b.c", ("Attr", ("Attr", A, "b"), "c")),
        ("not a", ("Unary", "not", A)),
        ("-+~a", ("Unary", "-", ("Unary", "+", ("Unary", "~", A)))),
        ("a + b * c", ("Binary", "+", A, ("Binary", "*", B, C))),
        ("a // b @ c", ("Binary", "@", ("Binary", "//", A, B), C)),
        ("a and b and c", ("Logic", "and", (A, B, C))),
        ("a and (b and c)", ("Logic", "and", (A, B, C))),
        ("a or b and c", ("Logic", "or", (A, ("Logic", "and", (B, C))))),
        ("(a or b) and c", ("Logic", "and", (("Logic", "or", (A, B)), C))),
        ("a  not   in b", ("Compare", A, ("not in",), (B,))),
        ("a is  not b < c", ("Compare", A, ("is not", "<"), (B, C))),
        ("a != b", ("Compare", A, ("!=",), (B,))),
        ("a if b else c", ("Choice", B, A, C)),
        ("await a", ("Await", A)),
        ("(yield)", ("Yield", None, False)),
        ("(yield a)", ("Yield", A, False)),
        ("(yield from a)", ("Yield", A, True)),
        ("(a := b)", ("Walrus", "a", B)),
        ("...", ("Other", "...")),
    ],
)
def test_names_and_operators(text: str, shape: Any) -> None:
    assert bare(expr(text)) == shape


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1_000", 1000),
        ("0xFF", 255),
        ("0o17", 15),
        ("00", 0),
        ("9223372036854775807", 2**63 - 1),
        ("1_0.5e1", 105.0),
        ("'a' \"b\"\n", "ab"),
        ("'a' 'b' 'c'", "abc"),
        ("''", ""),
        ('""""""', ""),
        ("'''a\n  b'''", "a\n  b"),
        (r"'\n\t\\\'\x41\101\u00e9\U0001F600\N{BULLET}\q'", "\n\t\\'AA\u00e9\U0001f600\u2022\\q"),
        (r"R'\n'", r"\n"),
        ("u'x'", "x"),
        ("'a\\\nb'", "ab"),
        (r"'\ud800'", "\ufffd"),
    ],
)
def test_literals_have_their_values(text: str, value: object) -> None:
    assert bare(expr(text)) == ("Const", value)


@pytest.mark.parametrize(
    "text", ["b'x'", "b'x' b'y'", "1j", "9223372036854775808", "1" + "0" * 5000, "1e999"]
)
def test_literals_beyond_the_model_keep_their_text(text: str) -> None:
    assert bare(expr(text)) == ("Other", text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("f'x{a}y'", (("Const", "x"), A, ("Const", "y"))),
        ("f'{a}{b}'", (A, B)),
        ("f'{{{a!r:>{b}}}}'", (("Const", "{"), A, B, ("Const", "}"))),
        ("f'{a=}'", (("Const", "a="), A)),
        (r"f'\n{a}' r'\n'", (("Const", "\n"), A, ("Const", "\\n"))),
        (r"rf'\n{a}'", (("Const", "\\n"), A)),
        ("'x' f'y{a}' 'z' 'w'", (("Const", "xy"), A, ("Const", "zw"))),
        ("f'{a.b(c)}'", (("Call", ("Attr", A, "b"), (("Arg", C, None, ""),)),)),
        ("f''", ()),
    ],
)
def test_f_strings_alternate_text_and_expressions(text: str, parts: Any) -> None:
    assert bare(expr(text)) == ("Template", parts)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("[a, *b]", ("Items", "list", (A, ("Star", B)))),
        ("(a,)", ("Items", "tuple", (A,))),
        ("a, b", ("Items", "tuple", (A, B))),
        ("()", ("Items", "tuple", ())),
        ("{a}", ("Items", "set", (A,))),
        ("{a: 1, **b}", ("Entries", (("Entry", A, ONE), ("Entry", None, B)))),
        ("{}", ("Entries", ())),
        ("a[b]", ("Index", A, B)),
        ("a[b,]", ("Index", A, ("Items", "tuple", (B,)))),
        ("a[1:2, b]", ("Index", A, ("Items", "tuple", (("Slice", ONE, TWO, None), B)))),
        ("a[::b]", ("Index", A, ("Slice", None, None, B))),
        ("a[*b]", ("Index", A, ("Items", "tuple", (("Star", B),)))),
        ("[a for b in c]", ("Comp", "list", A, None, (("CompFor", B, C, ()),))),
        ("{a for b in c}", ("Comp", "set", A, None, (("CompFor", B, C, ()),))),
        ("{a: 1 for b in c}", ("Comp", "dict", A, ONE, (("CompFor", B, C, ()),))),
        (
            "(a for b in c if a if b for a in b)",
            ("Comp", "generator", A, None, (("CompFor", B, C, (A, B)), ("CompFor", A, B, ()))),
        ),
    ],
)
def test_containers(text: str, shape: Any) -> None:
    assert bare(expr(text)) == shape


def test_arguments_keep_their_keywords_and_stars() -> None:
    args = (
        ("Arg", A, None, ""),
        ("Arg", B, None, "*"),
        ("Arg", ONE, "k", ""),
        ("Arg", C, None, "**"),
    )
    assert bare(expr("a(a, *b, k = 1, **c,)")) == ("Call", A, args)


def test_a_generator_may_be_the_only_argument() -> None:
    shape = ("Comp", "generator", B, None, (("CompFor", B, C, ()),))
    assert bare(expr("a(b for b in c)")) == ("Call", A, (("Arg", shape, None, ""),))


def test_lambdas_stay_inline_with_their_parameters() -> None:
    params = (
        ("Param", "a", "positional_only", None, None),
        ("Param", "b", "positional", None, ONE),
        ("Param", "c", "star", None, None),
        ("Param", "d", "keyword", None, None),
        ("Param", "e", "double_star", None, None),
    )
    assert bare(expr("lambda a, /, b=1, *c, d, **e: a")) == ("Lambda", params, A)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("(a + b)", Span(1, 2, 1, 7)),
        ("((a))", Span(1, 3, 1, 4)),
        ("f(x)", Span(1, 1, 1, 5)),
        ("(f)(x)", Span(1, 1, 1, 7)),
        ("f(\n  x\n)", Span(1, 1, 3, 2)),
        ("'a' \\\n  'b'", Span(1, 1, 2, 6)),
        ("\u4e2d.gr\u00fc\u00dfe", Span(1, 1, 1, 8)),
    ],
)
def test_spans_leave_parentheses_out_and_count_characters(text: str, span: Span) -> None:
    assert expr(text).span == span


def test_the_text_parts_of_an_f_string_have_spans() -> None:
    template = bare_spans(expr("f'ab{c}d'"))
    assert template == [Span(1, 3, 1, 5), Span(1, 6, 1, 7), Span(1, 8, 1, 9)]


def bare_spans(template: Expr) -> list[Span]:
    return [part.span for part in structs.asdict(template)["parts"]]


def test_a_ladder_of_terms_too_deep_for_a_walk_ends_in_text() -> None:
    value = expr(" + ".join(["a"] * 300))
    depth = 0
    while type(value).__name__ == "Binary":
        value = structs.asdict(value)["left"]
        depth += 1
    assert type(value).__name__ == "Other"
    assert 100 < depth < 200


def test_crlf_tabs_and_form_feeds_leave_positions_exact() -> None:
    text = "x = 1\r\n\x0c\r\nif a:\r\n\ty = '''b\r\nc'''\r\n\tz = 2\r\n"
    facts = read_facts("a.py", text.encode())
    assert facts.lines == ("x = 1", "\x0c", "if a:", "\ty = '''b", "c'''", "\tz = 2")
    _, choice = facts.functions[0].body
    first, second = structs.asdict(choice)["body"]
    assert isinstance(first, Assign)
    assert bare(first.value) == ("Const", "b\nc")
    assert first.span == Span(4, 2, 5, 5)
    assert second.span == Span(6, 2, 6, 7)


def test_a_cookie_decides_how_names_read() -> None:
    facts = read_facts("a.py", b"# coding: latin-1\nx = '\xe9'\n")
    assert facts.lines[1] == "x = '\u00e9'"
    (statement,) = facts.functions[0].body
    assert bare(statement) == ("Assign", (("Name", "x"),), ("Const", "\u00e9"), None)
