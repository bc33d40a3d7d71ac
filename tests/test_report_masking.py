"""What was secret in the code or personal in a run is not in the report."""

from __future__ import annotations

import pytest
from tests.report_parts import code, finding, record
from tests.report_samples import make

from agentcheck.report import FORMATS, render

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
