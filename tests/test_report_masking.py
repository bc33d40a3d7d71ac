"""What was secret in the code or personal in a run is not in the report."""

from __future__ import annotations

import json

import pytest
from tests.report_parts import code, finding, record
from tests.report_samples import make

from agentcheck.report import FORMATS, render
from agentcheck.trace.mask import mask as cited

# Put together here so that no scanner takes this file for a leak.
SECRETS = (
    "sk-" + "proj-A1b2C3d4E5f6G7h8I9j0",
    "ghp_" + "a1B2" * 9,
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "xoxb-" + "1234567890-abcdefghij",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abcdefghijk",
    "Bearer " + "abcdef0123456789abcdef",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstu",
)
PERSONAL = ("mia.b@shop.example", "+49 170 1234567", "(415) 555-0132", "4111 1111 1111 1111")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_shows_in_no_format(form: str, secret: str) -> None:
    line = code(3, f'client = Client("{secret}")', f"uses {secret}", role="primary")
    said = record(4, f"the key is {secret}", "told")
    report = make((finding(1, (line, said), message=f"`{secret}` is in the code"),))
    shown = render(report, form, limit=None)
    assert secret not in shown
    assert secret[-8:] not in shown


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("datum", PERSONAL)
def test_personal_data_of_a_run_shows_in_no_format(form: str, datum: str) -> None:
    said = record(4, f"write to {datum}, please", f"names {datum}", role="primary")
    report = make((finding(1, (said,), message=f"{datum} is told"),))
    assert datum not in render(report, form, limit=None)


@pytest.mark.parametrize(
    "line",
    [
        'key = os.environ["OPENAI_API_KEY"]',
        'password = f"{user.password}"',
        "order = 1234567890123",
        "started = 2026-11-30 07:22:11",
        "from sk-learn-contrib-and-more import x",
        'to = "support@shop.example"',
    ],
)
def test_ordinary_code_is_left_alone(line: str) -> None:
    report = make((finding(1, (code(3, line, "here", role="primary"),)),))
    assert f"3 | {line}" in render(report, "full", color="never")


def test_masking_keeps_columns_in_place() -> None:
    line = f'ask("{SECRETS[0]}", limit=None)'
    report = make((finding(1, (code(3, line, "no limit", find="limit", role="primary"),)),))
    shown = render(report, "full", color="never").splitlines()
    row = next(n for n, text in enumerate(shown) if text.startswith("3 | "))
    start = shown[row + 1].index("^")
    assert shown[row][start : start + 5] == "limit"


def test_a_password_in_quotes_is_masked() -> None:
    line = 'login(user="mia", password="hunter2-and-more")'
    report = make((finding(1, (code(3, line, "here", role="primary"),)),))
    assert 'password="****************")' in render(report, "full", color="never")


@pytest.mark.parametrize("form", FORMATS)
def test_equal_values_have_one_placeholder_throughout_a_report(form: str) -> None:
    mia, bob = PERSONAL[0], "bob@shop.example"
    told = record(4, f"write to {mia}", "names her", role="primary")
    more = record(5, f"write to {bob}, then to {mia}", "names both")
    report = make((finding(1, (told, more), message=f"{mia} is told"),))
    shown = render(report, form, limit=None)
    assert "shop.example" not in shown
    assert "email-1" in shown or form == "concise"  # which shows no texts


def test_placeholders_are_numbered_in_the_order_in_which_a_report_shows_them() -> None:
    first = finding(1, (record(4, "from mia@shop.example", "one", role="primary"),))
    second = finding(
        2, (record(5, "from bob@shop.example to mia@shop.example", "two", role="primary"),)
    )
    texts = [
        evidence["text"]
        for each in json.loads(render(make((first, second)), "json"))["findings"]
        for evidence in each["evidence"]
    ]
    assert texts == ["from <email-1>", "from <email-2> to <email-1>"]


def test_what_a_trace_check_masked_gets_the_same_number() -> None:
    kept = cited("mail mia@shop.example")
    said = record(4, kept, "told", role="primary")
    report = make((finding(1, (said,), message="mia@shop.example is told"),))
    [shown] = json.loads(render(report, "json"))["findings"]
    assert shown["message"] == "<email-1> is told"
    assert shown["evidence"][0]["text"] == "mail <email-1>"


def test_a_secret_beside_code_has_a_placeholder_and_the_line_its_columns() -> None:
    line = f'ask("{SECRETS[0]}")'
    report = make(
        (finding(1, (code(3, line, "here", role="primary"),), message=f"`{SECRETS[0]}` is told"),)
    )
    [shown] = json.loads(render(report, "json"))["findings"]
    assert shown["message"] == "`<key-1>` is told"
    assert len(shown["evidence"][0]["text"]) == len(line)
    assert "*" in shown["evidence"][0]["text"]
