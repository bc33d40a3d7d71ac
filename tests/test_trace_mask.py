"""Secrets and personal data in the text of traces."""

from __future__ import annotations

import pytest

from agentcheck.trace.mask import CUT, Numbered, excerpt, find_secrets, mask, without_identity

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
        (f"gsk_{LETTERS}{LETTERS}", "key"),
        (f"xai-{LETTERS}{LETTERS}", "key"),
        (f"pplx-{LETTERS}{LETTERS}", "key"),
        (f"tvly-dev-{LETTERS}", "key"),
        (f"r8_{LETTERS}{LETTERS}", "key"),
        ("lsv2_pt_" + "0a1b2c3d" * 4 + "_0a1b2c3d", "key"),
        (f"pcsk_{LETTERS}{LETTERS}", "key"),
        ("dapi" + "0a1b2c3d" * 4, "key"),
        (f"SG.{LETTERS[:22]}.{LETTERS}{LETTERS}", "key"),
        ("ya29." + LETTERS * 2, "token"),
        ("ASIA" + "ABCDEFGHIJKLMNOP", "token"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("GB29NWBK60161331926819", "iban"),
        ("4012 8888 8888 1881", "card"),
        ("4012-8888-8888-1881", "card"),
        ("3782 822463 10005", "card"),
        ("+49 30 901820", "phone"),
        ("+1 (415) 555-2671", "phone"),
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
        "sk-learn-contrib-and-more, task-management-for-every-one-of-us",
        "DE89 3704 0044 0532 0130 01 and AA00 0000 0000 0000",
        "4012 8888 8888 1882",
        "order 4111222233334444, sent 1767225600000",
        "+20 points",
        "the hotel: 123456789, phone_calls: 12",
        "2026-03-01T10:00:00+00:00",
    ],
)
def test_what_only_resembles_a_secret_stays(text: str) -> None:
    assert mask(text) == text
    assert list(find_secrets(text)) == []


def test_what_may_be_personal_is_masked_though_it_proves_nothing() -> None:
    for text in ("+1000000000", "(415) 555-0132", "078-05-1120", "4111222233334444"):
        assert list(find_secrets(text)) == []
    assert Numbered()(mask("(415) 555-0132, 078-05-1120")) == "<phone-1>, <social-security-1>"


def test_an_excerpt_is_masked_before_it_is_cut() -> None:
    shown = excerpt("x" * (CUT - 10) + " ida.berg@reader.example " + "y" * 500)
    assert len(shown) <= CUT
    assert "ida" not in shown


def test_an_excerpt_shows_no_half_of_a_secret_at_its_far_end() -> None:
    filler = "ida.berg@reader.example " * 33
    shown = excerpt(filler + f"sk-{LETTERS}")
    assert "reader.example" not in shown
    assert "sk-" not in shown


@pytest.mark.parametrize(
    "text",
    [
        '{"phone": "030 9018 2079"}',
        '{"contact_phone_number": "0309018207"}',
        "Tel.: (030) 901820",
        '{\\"mobile\\": \\"0151-2345678\\"}',
    ],
)
def test_a_number_under_the_name_of_a_telephone_is_one(text: str) -> None:
    assert [secret.kind for secret in find_secrets(text)] == ["phone"]


def test_a_card_under_its_name_needs_no_groups() -> None:
    assert [s.kind for s in find_secrets('{"card_number": "4012888888881881"}')] == ["card"]
    assert list(find_secrets('{"card_number": "4012888888881882"}')) == []


def test_a_report_numbers_each_kind_in_the_order_in_which_it_comes() -> None:
    numbered = Numbered()
    first = numbered(mask("a@b.example, then +49 30 901820, then c@d.example"))
    assert first == "<email-1>, then <phone-1>, then <email-2>"
    assert numbered(mask("c@d.example and A@B.example")) == "<email-2> and <email-1>"
    assert Numbered()(mask("c@d.example")) == "<email-1>"


def test_one_number_written_in_two_ways_is_one() -> None:
    masked = Numbered()(mask("4012 8888 8888 1881, 4012-8888-8888-1881"))
    assert masked == "<card-1>, <card-1>"
    assert Numbered()(mask("GB29NWBK60161331926819 GB29 NWBK 6016 1331 9268 19")) == (
        "<iban-1> <iban-1>"
    )


def test_a_mark_without_its_identity_is_the_same_in_every_process() -> None:
    assert without_identity(mask("to a@b.example")) == "to <email>"


def test_an_excerpt_that_begins_inside_a_secret_shows_none_of_it() -> None:
    text = "the key " + f"sk-{LETTERS}" + " is here"
    for start in range(len(text)):
        assert LETTERS[-6:] not in excerpt(text, start)


@pytest.mark.parametrize(
    "piece", ["@", "a@a.", "-eyJ", "sk-", "+1", "AA00 ", "card number", "password: ", "0000 "]
)
def test_long_hostile_texts_are_masked_in_one_go(piece: str) -> None:
    assert isinstance(mask(piece * (100_000 // len(piece))), str)
