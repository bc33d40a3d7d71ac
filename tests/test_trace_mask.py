"""Secrets and personal data in the text of traces."""

from __future__ import annotations

import pytest

from agentcheck.trace.mask import CUT, excerpt, find_secrets, mask

LETTERS = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("ida.berg+loans@mail.reader.example", "email"),
        (f"sk-{LETTERS}", "key"),
        (f"sk-proj-{LETTERS}", "key"),
        (f"sk-ant-{LETTERS}", "key"),
        (f"ghp_{LETTERS}{LETTERS}", "key"),
        (f"gho_{LETTERS}{LETTERS}", "token"),
        (f"github_pat_{LETTERS}{LETTERS}", "key"),
        (f"glpat-{LETTERS}", "key"),
        (f"xoxb-{LETTERS}", "key"),
        ("AKIA" + "ABCDEFGHIJKLMNOP", "key"),
        ("AIza" + "b" * 35, "key"),
        (f"hf_{LETTERS}{LETTERS}", "key"),
        (f"sk_live_{LETTERS}", "key"),
        (f"eyJ{LETTERS}.eyJ{LETTERS}.{LETTERS}", "token"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----", "private-key"),
    ],
)
def test_secrets_give_way_to_a_placeholder_of_their_kind(secret: str, kind: str) -> None:
    masked = mask(f"before {secret} after")
    assert secret not in masked
    assert masked.startswith(f"before <{kind}:")
    assert masked.endswith("> after")


def test_values_of_passwords_are_masked_and_their_names_stay() -> None:
    assert mask('{"password": "swordfish"}').startswith('{"password": "<password:')
    assert mask("API_KEY=abcdef123").startswith("API_KEY=<password:")
    assert "Bearer <token:" in mask(f"Authorization: Bearer {LETTERS}")


def test_equal_secrets_have_equal_placeholders_and_others_do_not() -> None:
    one, same, other = mask("a@b.example a@b.example c@d.example").split(" ")
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    "text",
    [
        "risk-free task-management-and-planning-for-everyone",
        "ask @desk at 3@5, price @ 2.50",
        "the secret of the old library",
        "AKIAshort and eyJust words",
        "password:",
    ],
)
def test_what_only_resembles_a_secret_stays(text: str) -> None:
    assert mask(text) == text
    assert list(find_secrets(text)) == []


def test_an_excerpt_is_masked_before_it_is_cut() -> None:
    shown = excerpt("x" * (CUT - 10) + " ida.berg@reader.example " + "y" * 500)
    assert len(shown) == CUT
    assert "ida" not in shown


def test_an_excerpt_shows_no_half_of_a_secret_at_its_far_end() -> None:
    filler = "ida.berg@reader.example " * 33
    shown = excerpt(filler + f"sk-{LETTERS}")
    assert "reader.example" not in shown
    assert "sk-" not in shown
