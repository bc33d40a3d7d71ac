"""Bytes become text, and the gate keeps from LibCST what would end the process."""

from __future__ import annotations

import codecs
import gc
import sys
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcheck.source import gate
from agentcheck.source.collector import collector_paused
from agentcheck.source.decode import LINE_END, decode, lines_of, starts_of
from agentcheck.source.errors import Unreadable
from agentcheck.source.parse import parse

UNREADABLE = {
    "nul bytes": (b"x = 1\0\n", "NUL"),
    "an unknown encoding": (b"# -*- coding: klingon -*-\n", "encoding"),
    "a codec that is no encoding": (b"# coding: rot13\nk = 1\n", "rot13"),
    "an encoding that hides the text": (b"# coding: unicode_escape\nx = 1\n", "unicode-escape"),
    "bytes that are not utf-8": (b"ok = 1\nx = '\xff\xfe'\n", "line 2 is not valid utf-8"),
    "a cookie against the byte order mark": (
        codecs.BOM_UTF8 + b"# coding: latin-1\nx = 1\n",
        "encoding",
    ),
    "utf-16": ("x = 1\n".encode("utf-16"), "UTF-16"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_bytes_that_are_no_source_are_refused_with_the_reason(name: str) -> None:
    data, reason = UNREADABLE[name]
    with pytest.raises(Unreadable, match=reason) as caught:
        decode(data)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(codecs.BOM_UTF8 + b"x = 1\n") == "x = 1\n"


def test_a_latin_1_cookie_is_honoured_on_the_first_two_lines() -> None:
    assert decode(b"#!/usr/bin/python\n# coding: latin-1\nx = '\xe9'\n").endswith("'\u00e9'\n")


def test_line_ends_of_all_three_kinds_split_lines_and_form_feeds_do_not() -> None:
    assert lines_of("a\r\nb\rc\nd\x0ce\u2028f\n\n") == ("a", "b", "c", "d\x0ce\u2028f", "")


def test_an_empty_text_has_no_lines_and_a_last_line_needs_no_end() -> None:
    assert lines_of("") == ()
    assert lines_of("a") == ("a",)


@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "\n\na\x0cb\n", "a\r\nb\rc\n", "\r", "é\u2028\né"]
)
def test_lines_start_behind_the_line_ends(text: str) -> None:
    assert starts_of(text) == [0, *(end.end() for end in LINE_END.finditer(text))]


def decoded_or_reason(data: bytes) -> str:
    try:
        return f"read {decode(data)}"
    except Unreadable as reason:
        return f"refused {reason}"


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_refused_with_one_line(data: bytes) -> None:
    outcome = decoded_or_reason(data)
    assert len(outcome.splitlines()) == 1 if outcome.startswith("refused") else "\0" not in outcome


PLAIN = {
    "a call": "f(x)\n",
    "a long flat list": "x = [" + "1, " * 20_000 + "]\n",
    "a long dict": "x = {\n" + "".join(f"  'k{i}': [{i}, 'v'],\n" for i in range(3000)) + "}\n",
    "a long docstring": '"""' + "word " * 20_000 + '"""\n',
    "many statements": "x = f(a, b=1)\n" * 3000,
    "ninety terms": "x = " + " + ".join(["a"] * 90) + "\n",
    "an invalid escape": "x = '\\d'\n",
    "await at the top, as notebooks do": "await f()\n",
}
RISKY = {
    "three hundred terms": "x = " + " + ".join(["a"] * 300) + "\n",
    "three hundred operands": "x = " + " and ".join(["a"] * 300) + "\n",
    "a chain of calls": "x = a" + ".b()" * 200 + "\n",
    "a ladder of elif": "if a: pass\n" + "elif b: pass\n" * 300,
    "fifty parentheses": "x = " + "(" * 50 + "1" + ")" * 50 + "\n",
}
REFUSED = {
    "5,000 parentheses": ("x = " + "(" * 5000 + "1" + ")" * 5000 + "\n", "parenthes"),
    "5,000 brackets": ("x = " + "[" * 5000 + "]" * 5000 + "\n", "parenthes"),
    "20,000 unary minuses": ("x = " + "-" * 20_000 + "1\n", "nested too deeply"),
    "a sum of 20,000 terms": ("x = " + "+".join(["a"] * 20_000) + "\n", "nested too deeply"),
    "20,000 operands": ("x = " + " and ".join(["a"] * 20_000) + "\n", "20,0.. levels"),
    "a chain of 400 calls": ("x = a" + ".b()" * 400 + "\n", "80. levels"),
    "10,000 elif": ("if a: pass\n" + "elif b: pass\n" * 10_000, "nested too deeply"),
    "5,000 lambdas": ("x = " + "lambda: " * 5000 + "1\n", "nested too deeply"),
    "4,000 comprehension loops": ("x = [a" + " for a in b" * 4000 + "]\n", "levels"),
    "bad indentation": ("if a:\n  b\n c\n", "line 3"),
    "deep indentation": (
        "".join(" " * i + "if a:\n" for i in range(500)) + " " * 500 + "b\n",
        "indentation",
    ),
    "too many bytes": ("x = 1\n" * 400_000, "2,400,000 bytes"),
    "too many nodes": ("x = [" + "1," * 260_000 + "]\n", "syntax nodes"),
    "a million short lines": ("\n" * 1_000_000, "1,000,000 lines"),
}


def check(text: str) -> gate.Passage:
    return gate.check(text, len(lines_of(text)))


@pytest.mark.parametrize("name", PLAIN)
def test_ordinary_text_may_be_parsed_anywhere(name: str) -> None:
    assert check(PLAIN[name]).risk == "plain"


@pytest.mark.parametrize("name", RISKY)
def test_unusually_deep_text_is_parsed_where_a_crash_costs_nothing(name: str) -> None:
    assert check(RISKY[name]).risk == "risky"


@pytest.mark.parametrize("name", REFUSED)
def test_text_that_would_end_or_stall_the_parser_is_refused_with_the_reason(name: str) -> None:
    text, reason = REFUSED[name]
    if sys.version_info >= (3, 12) and "deeply" in reason:
        reason = "nested too deeply|levels"  # other interpreters draw their own line
    with pytest.raises(Unreadable, match=reason) as caught:
        check(text)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows the syntax")
def test_syntax_newer_than_this_python_is_left_to_libcst() -> None:
    passage = check("type X = int\n")
    assert passage.risk == "plain"
    assert check("type X = [" + "1," * 300 + "]\n").risk == "risky"
    assert passage.complaint is not None
    assert "line 1" in passage.complaint


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows the syntax")
def test_syntax_newer_than_this_python_is_refused_where_it_is_crowded_too() -> None:
    with pytest.raises(Unreadable, match="line 1"):
        check("type X = " + "+".join(["a"] * 20_000) + "\n")


def test_what_python_reads_and_libcst_refuses_is_refused_with_one_line() -> None:
    with pytest.raises(Unreadable, match="it is Python that LibCST does not understand"):
        parse("x = [(a if b else c)for d in e]\n")


class Holder:
    """Something that a weak reference may point at."""


def test_cycles_made_while_the_collector_pauses_are_found_later() -> None:
    with collector_paused():
        one = Holder()
        cycle: list[object] = [one]
        cycle.append(cycle)
        held = weakref.ref(one)
        del one, cycle
    assert gc.isenabled()
    gc.collect()
    assert held() is None
