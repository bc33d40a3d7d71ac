"""Acceptance sentences name the code, or say it in neutral words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcheck.acceptance.text import acceptance_text

NAMES = {"runner": "Relay", "run": "run", "stream": "", "tool": "re\nfund"}


@pytest.mark.parametrize(
    ("card", "text"),
    [
        ("{runner}.{run} ends.", "Relay.run ends."),
        ("{run} and {stream} end.", "run and its streaming twin end."),
        ("{limit_param} is finite.", "the limit is finite."),
        ("{some_new_thing} holds.", "the some new thing holds."),
        ("{tool} runs once.", "re fund runs once."),
        ("{runner!r:>9} and {runner.name} end.", "Relay and Relay end."),
        ("{} and {0} end.", "it and it end."),
        ('It answers {{"ok": true}}.', 'It answers {"ok": true}.'),
        ("Nothing to fill in.", "Nothing to fill in."),
    ],
)
def test_fields_become_names_or_neutral_words(card: str, text: str) -> None:
    assert acceptance_text(card, NAMES) == text


@given(st.text(alphabet="{}ab_.!: 0"), st.dictionaries(st.sampled_from("ab"), st.text("xy ")))
def test_no_text_is_refused_and_no_field_is_left(card: str, names: dict[str, str]) -> None:
    text = acceptance_text(card.replace("{{", "").replace("}}", ""), names)
    assert "{a}" not in text
    assert "{}" not in text
