"""Patterns that are compiled late: the same answers, and none that would fail where it is used."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import agentcheck
import agentcheck_rules
from agentcheck.model.pattern import lazy_re

LATE = type(lazy_re(""))


def test_a_late_pattern_answers_as_one_that_is_compiled_at_once() -> None:
    late, plain = lazy_re(r"(?P<word>a+)b", re.IGNORECASE), re.compile(r"(?P<word>a+)b", re.I)
    for text in ("xAAb", "ab ab", "", "b"):
        assert late.findall(text) == plain.findall(text)
        assert late.sub("-", text) == plain.sub("-", text)
        assert bool(late.fullmatch(text)) == bool(plain.fullmatch(text))
    assert (late.pattern, late.flags) == (plain.pattern, plain.flags)
    assert lazy_re(rb"\d").search(b"a1")


def test_a_text_that_is_no_pattern_is_told_where_it_is_used() -> None:
    broken = lazy_re("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.search("a")


def test_what_is_asked_of_any_object_compiles_nothing() -> None:
    assert not hasattr(lazy_re("("), "__deepcopy__")


def late_patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for package in (agentcheck, agentcheck_rules):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                module = importlib.import_module(found.name)
                for name, value in vars(module).items():
                    if isinstance(value, LATE):
                        yield f"{found.name}.{name}", value


def test_every_late_pattern_is_one() -> None:
    texts = {name: value.pattern for name, value in late_patterns()}
    assert len(texts) > 200
