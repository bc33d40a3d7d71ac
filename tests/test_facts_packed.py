"""Facts in few bytes: spans in one int where that is possible, and each name once."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from agentcheck.facts.outcome import Outcome, decode, encode
from agentcheck.facts.read import read_facts
from agentcheck.model.expr import Attr, Call, Name
from agentcheck.model.location import Span, end_of, joined, packed, span_of, start_of
from agentcheck.model.stmt import Do, Stmt
from agentcheck.source.gate import MAX_BYTES, MAX_LINES

LINES = st.integers(1, MAX_LINES) | st.integers(1, 9)
COLUMNS = st.integers(1, MAX_BYTES + 1) | st.integers(1, 200)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    first, second = sorted([draw(st.tuples(LINES, COLUMNS)), draw(st.tuples(LINES, COLUMNS))])
    return Span(*first, *second)


def where(span: Span) -> int | Span:
    return packed(span.line, span.column, span.end_line, span.end_column)


@given(spans())
@example(Span(MAX_LINES, MAX_BYTES, MAX_LINES, MAX_BYTES))
@example(Span(1, 32_767, 4_096, 32_767))
@example(Span(1, 32_768, 1, 32_768))
@example(Span(1, 1, 4_097, 1))
def test_a_span_comes_out_as_it_went_in(span: Span) -> None:
    assert span_of(where(span)) == span


@given(spans(), spans())
def test_spans_in_ints_have_the_order_of_spans(one: Span, other: Span) -> None:
    first, second = where(one), where(other)
    if isinstance(first, int) and isinstance(second, int):
        assert (first < second) == (one < other)


@given(spans(), spans())
def test_starts_and_ends_compare_as_places(one: Span, other: Span) -> None:
    first, second = where(one), where(other)
    start, end = (one.line, one.column), (other.end_line, other.end_column)
    assert (start_of(first) < end_of(second)) == (start < end)
    assert (start_of(first) == end_of(second)) == (start == end)
    assert span_of(joined(first, second)) == Span(*start, *end)


def test_an_int_takes_no_more_than_sixty_bits() -> None:
    most = where(Span(MAX_LINES, 32_767, MAX_LINES + 4_095, 32_767))
    assert isinstance(most, int)
    assert most < 1 << 60


def statements_again(text: str) -> tuple[Stmt, ...]:
    """The statements of a text, as another process, or a later run, is handed them."""
    again = decode(encode(Outcome(read_facts("a.py", text.encode())))).facts
    assert again is not None
    return again.functions[0].body


def test_what_stands_far_right_or_goes_on_for_long_keeps_its_span() -> None:
    long_line = f"f('{'x' * 40_000}', here)\n"
    many_lines = "(a)" + "\\\n" * 5_000 + ".b\n"
    far, long = statements_again(long_line + many_lines)
    assert isinstance(far, Do)
    assert isinstance(far.value, Call)
    assert far.value.args[1].span == Span(1, 40_007, 1, 40_011)
    assert far.span == Span(1, 1, 1, 40_012)
    assert long.span == Span(2, 1, 5_002, 3)


def test_a_name_is_held_once() -> None:
    first, second = statements_again("a_name.other_name\na_name.other_name\n")
    assert isinstance(first, Do)
    assert isinstance(second, Do)
    one, other = first.value, second.value
    assert isinstance(one, Attr)
    assert isinstance(other, Attr)
    assert one.attr is other.attr
    assert isinstance(one.value, Name)
    assert isinstance(other.value, Name)
    assert one.value.id is other.value.id
