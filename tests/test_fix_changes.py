"""What each fix writes, and that it leaves everything else as it is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import Done, Here
from tests.fix_samples import ARGUMENTS, FINISH, KEYWORD, LIMIT, SAMPLES, TIMEOUT, TOOL, Sample

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures" / "rules"
PAGE = (ROOT / "docs" / "fixes.md").read_text("utf-8")
EXAMPLES = re.findall(
    r"^### ([^\n]+)\n.*?^For `([a-z-]+)`.*?^```python\n(.*?)^```\n.*?^```diff\n(.*?)^```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)
FIXED = (
    "unbounded-loop",
    "no-timeout",
    "unknown-agent-keyword",
    "tool-args-unguarded",
    "tool-error-ends-run",
    "finish-reason-unchecked",
)


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


def fix(here: Here, target: Path, rule: str, *more: str) -> Done:
    """Mend what a rule finds, unsafe fixes included; the report is JSON."""
    flags = ("--isolated", "--select", rule, "--persona", "auditor", "--output-format", "json")
    return here("scan", target, *flags, "--fix", "--unsafe-fixes", *more)


def mended(here: Here, folder: Path, sample: Sample, data: bytes, name: str = "agent.py") -> bytes:
    """What a file with these bytes holds after its fault is mended."""
    path = folder / name
    path.write_bytes(data)
    done = fix(here, path, sample.rule)
    assert done.err == "Fixed 1 finding\n"
    return path.read_bytes()


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_fault_is_mended_where_it_stands(here: Here, tmp_path: Path, sample: Sample) -> None:
    assert mended(here, tmp_path, sample, sample.before.encode()).decode() == sample.after


def test_the_page_has_an_example_of_each_fix() -> None:
    assert len(EXAMPLES) == PAGE.count("\n### ") == len(SAMPLES)
    assert {rule for _, rule, _, _ in EXAMPLES} == set(FIXED)


@pytest.mark.parametrize(("rule", "code", "diff"), [e[1:] for e in EXAMPLES])
def test_the_page_shows_what_is_changed(
    here: Here, tmp_path: Path, rule: str, code: str, diff: str
) -> None:
    path = tmp_path / "agent.py"
    path.write_text(code, "utf-8")
    flags = ("--isolated", "--select", rule, "--persona", "auditor", "--unsafe-fixes")
    done = here("scan", path, *flags, "--diff")
    assert done.out == f"--- a/agent.py\n+++ b/agent.py\n{diff}"


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_is_mended_is_left_alone(here: Here, tmp_path: Path, sample: Sample) -> None:
    path = tmp_path / "agent.py"
    path.write_text(sample.after, "utf-8")
    done = fix(here, path, sample.rule)
    assert done.err == "Fixed 0 findings\n"
    assert path.read_text("utf-8") == sample.after


@pytest.mark.parametrize("rule", FIXED)
def test_every_fixture_line_with_a_fix_is_silent_afterwards(
    here: Here, tmp_path: Path, rule: str
) -> None:
    stem = rule.replace("-", "_")
    source = FIXTURES / (stem if (FIXTURES / stem).is_dir() else f"{stem}.py")
    target = tmp_path / source.name
    (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    shown = here(
        *("scan", target, "--isolated", "--select", rule, "--persona", "auditor"),
        *("--output-format", "json"),
    )
    before = json.loads(shown.out)["findings"]
    able = {f["fingerprint"] for f in before if f["fix"]}
    assert able, "the fixture shows the fix"
    undefined = undefined_names(target)

    first = fix(here, target, rule)
    after = json.loads(first.out)["findings"]
    assert first.err == f"Fixed {len(able)} findings\n"
    assert not able & {f["fingerprint"] for f in after}
    files = sorted(target.rglob("*.py")) if target.is_dir() else [target]
    texts = [path.read_text("utf-8") for path in files]
    for path, text in zip(files, texts, strict=True):
        compile(text, path, "exec", dont_inherit=True)
    assert undefined_names(target) == undefined

    assert fix(here, target, rule).err == "Fixed 0 findings\n"
    assert [path.read_text("utf-8") for path in files] == texts


def undefined_names(target: Path) -> list[str]:
    """The messages of ruff about names that nothing binds."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet"]
    command += ["--select", "F821,F823", "--output-format", "json", str(target)]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [item["message"] for item in json.loads(printed)]


@pytest.mark.parametrize("sample", [ARGUMENTS, FINISH, KEYWORD, TIMEOUT])
def test_windows_line_ends_stay(here: Here, tmp_path: Path, sample: Sample) -> None:
    data = sample.before.replace("\n", "\r\n").encode()
    assert mended(here, tmp_path, sample, data) == sample.after.replace("\n", "\r\n").encode()


@pytest.mark.parametrize("sample", [TOOL, FINISH])
def test_tabs_stay(here: Here, tmp_path: Path, sample: Sample) -> None:
    data = sample.before.replace("    ", "\t").encode()
    assert mended(here, tmp_path, sample, data) == sample.after.replace("    ", "\t").encode()


@pytest.mark.parametrize("ending", ["", "\n\n\n", "\n    \n", "\n# the end", "\n\x0c\n", "  # x"])
def test_the_end_of_the_file_stays(here: Here, tmp_path: Path, ending: str) -> None:
    before, after = KEYWORD.before.rstrip() + ending, KEYWORD.after.rstrip() + ending
    assert mended(here, tmp_path, KEYWORD, before.encode()) == after.encode()


def test_a_byte_order_mark_stays(here: Here, tmp_path: Path) -> None:
    data = mended(here, tmp_path, LIMIT, b"\xef\xbb\xbf" + LIMIT.before.encode())
    assert data == b"\xef\xbb\xbf" + LIMIT.after.encode()


def test_another_encoding_stays(here: Here, tmp_path: Path) -> None:
    head = "# -*- coding: latin-1 -*-\n# für später\n"
    data = mended(here, tmp_path, LIMIT, (head + LIMIT.before).encode("latin-1"))
    assert data == (head + LIMIT.after).encode("latin-1")


def test_odd_layout_stays(here: Here, tmp_path: Path) -> None:
    odd = "x = {  'a':1 ,\n\n 'b' : 2}   ;y=x  # as it was\nif x :pass\n\n\n\n"
    data = mended(here, tmp_path, FINISH, (odd + FINISH.before).encode())
    assert data.decode() == odd + FINISH.after


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ('post("u")', 'post("u", timeout=30)'),
        ('post("u",)', 'post("u", timeout=30,)'),
        ('post(\n        "u"\n    )', 'post(\n        "u", timeout=30\n    )'),
        ('post(\n        "u",  # a\n    )', 'post(\n        "u",  # a\n        timeout=30,\n    )'),
        ('post("u",\n         data=1)', 'post("u",\n         data=1,\n         timeout=30)'),
        (
            'post(\n        "u",\n        data=1  # b\n    )',
            'post(\n        "u",\n        data=1,  # b\n        timeout=30\n    )',
        ),
        ('post(\n        "u", data=1,\n    )', 'post(\n        "u", data=1, timeout=30,\n    )'),
        ("post(*urls)", "post(*urls, timeout=30)"),
        ("post(u for u in urls)", "post((u for u in urls), timeout=30)"),
        ("post( url , timeout = None )", "post( url , timeout = 30 )"),
    ],
)
def test_an_argument_is_laid_out_as_its_neighbours(
    here: Here, tmp_path: Path, call: str, wanted: str
) -> None:
    head = "import requests\nfrom agents import function_tool\n\n\n@function_tool\n"
    body = "def send(url: str, urls: list) -> str:\n    return requests.{}\n"
    data = mended(here, tmp_path, TIMEOUT, (head + body.format(call)).encode())
    assert data.decode() == head + body.format(wanted)


def test_a_name_that_is_taken_is_not_used_again(here: Here, tmp_path: Path) -> None:
    taken = ARGUMENTS.before.replace("    reply = ", "    error = None\n    reply = ")
    data = mended(here, tmp_path, ARGUMENTS, taken.encode())
    assert b"except json.JSONDecodeError as exc:" in data
    assert b"not valid JSON: {exc}" in data


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        ("args = json", "wanted = 1; args = json"),
        (
            "args = json.loads(call.function.arguments)",
            "args = [json.loads(call.function.arguments)]",
        ),
        ('            "tool_call_id": call.id,\n', ""),
        ("for call in", "while call := next("),
    ],
)
def test_what_is_not_plain_is_left(here: Here, tmp_path: Path, part: str, instead: str) -> None:
    text = ARGUMENTS.before.replace(part, instead)
    if instead.startswith("while"):
        text = text.replace("tool_calls:", "tool_calls, None):")
    path = tmp_path / "agent.py"
    path.write_text(text, "utf-8")
    done = fix(here, path, ARGUMENTS.rule)
    compile(path.read_text("utf-8"), path, "exec", dont_inherit=True)
    if instead.startswith("args"):
        assert done.err == "Fixed 1 finding\n"
    else:
        assert done.err.endswith("Fixed 0 findings\n")
        assert path.read_text("utf-8") == text


LINE = "        result = TOOLS[name](call.function.arguments)\n"
OTHER_WAY = f"        try:\n    {LINE}        except NotImplementedError:\n    {LINE}"


def test_a_handler_that_is_there_keeps_what_it_is_for(here: Here, tmp_path: Path) -> None:
    data = mended(here, tmp_path, TOOL, TOOL.before.replace(LINE, OTHER_WAY).encode())
    _, _, after = data.decode().partition("except NotImplementedError:\n")
    again, _, added = after.partition("        except Exception as error:\n            messages")
    assert "try:" in again
    assert "TOOLS[name]" in again
    assert '"content": f"Error: {error}"' in added


def test_a_handler_of_more_than_the_statement_is_left(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "agent.py"
    more = OTHER_WAY.replace("        except", "            print(result)\n        except")
    path.write_text(TOOL.before.replace(LINE, more), "utf-8")
    before = path.read_text("utf-8")
    done = fix(here, path, TOOL.rule)
    assert json.loads(done.out)["findings"], "the fault is still told"
    assert path.read_text("utf-8") == before
