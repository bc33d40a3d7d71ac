"""Commands and flags, through the command itself."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import Here, agentcheck
from tests.run_targets import LOOP, write

from agentcheck import __version__
from agentcheck.rule import load_rules

ROOT = Path(__file__).parents[1]
ONE = ("--select", "unbounded-loop", "--isolated")


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A folder with one fault of `unbounded-loop`."""
    return write(tmp_path / "target", bot=LOOP)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A folder with nothing to report."""
    return write(tmp_path / "clean", fine="x = 1\n")


def test_help_names_every_command() -> None:
    done = agentcheck("--help")
    assert done.code == 0
    for command in ("scan", "trace", "tests", "graph", "rule", "baseline", "init"):
        assert re.search(rf"^  {command} ", done.out, re.MULTILINE)


def test_without_arguments_it_helps(here: Here) -> None:
    assert here().out == here("--help").out


def test_the_version_is_printed(here: Here) -> None:
    assert here("--version").out == f"agentcheck {__version__}\n"


# Exit codes


def test_findings_exit_with_1_and_none_with_0(target: Path, clean: Path) -> None:
    assert agentcheck("scan", target, *ONE).code == 1
    assert agentcheck("scan", clean, *ONE).code == 0


def test_exit_zero_forgives_findings(here: Here, target: Path) -> None:
    done = here("scan", target, *ONE, "--exit-zero")
    assert done.code == 0
    assert "unbounded-loop" in done.out


def test_exit_zero_does_not_forgive_errors(here: Here, tmp_path: Path) -> None:
    assert here("scan", tmp_path / "nowhere", "--exit-zero").code == 2


def test_findings_below_fail_on_are_shown_and_exit_with_0(here: Here, target: Path) -> None:
    done = here("scan", target, "--select", "usage-unread", "--isolated", "--fail-on", "high")
    assert done.code == 0
    assert "usage-unread" in done.out


# Reports


def test_the_default_report_is_the_full_one_without_colour_when_piped(target: Path) -> None:
    done = agentcheck("scan", target, *ONE)
    assert "--> bot.py:7:" in done.out
    assert "\x1b" not in done.out
    assert done.err == ""


def test_colour_can_be_forced(here: Here, target: Path) -> None:
    assert "\x1b[" in here("scan", target, *ONE, "--color", "always").out


def test_the_json_report_keeps_its_contract(here: Here, target: Path) -> None:
    done = here("scan", target, *ONE, "--output-format", "json", "--persona", "auditor")
    report = json.loads(done.out)
    assert report["schema"] == "agentcheck/report/1"
    (finding,) = report["findings"]
    primary = next(e for e in finding["evidence"] if e["role"] == "primary")
    assert (primary["kind"], primary["file"], primary["line"]) == ("code", "bot.py", 7)
    assert finding["topic"] == "unbounded-loop"
    assert finding["suppressed"] is None


def test_sarif_carries_what_each_rule_says_of_itself(here: Here, target: Path) -> None:
    log = json.loads(here("scan", target, "--isolated", "--output-format", "sarif").out)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert all(f"# {rule['name']} ({rule['id']})" in rule["help"]["markdown"] for rule in rules)


def test_one_scan_writes_several_reports(here: Here, target: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.md"
    done = here(
        *("scan", target, *ONE),
        *("--output-format", "json", "--output-file", first),
        *("--output-format=concise",),
        *("--output-format", "markdown", f"--output-file={second}"),
    )
    assert json.loads(first.read_text("utf-8"))["findings"]
    assert "unbounded-loop" in second.read_text("utf-8")
    assert done.out.startswith("bot.py:7:")


@pytest.mark.parametrize("short", [("-o", "{}"), ("-o{}",), ("-qo", "{}")])
def test_the_file_of_a_report_has_a_short_option(
    here: Here, target: Path, tmp_path: Path, short: tuple[str, ...]
) -> None:
    path = tmp_path / "report.json"
    wanted = [word.format(path) for word in short]
    assert here("scan", target, *ONE, "--output-format", "json", *wanted).out == ""
    assert json.loads(path.read_text("utf-8"))["findings"]


def test_a_file_without_a_format_gets_the_full_report(
    here: Here, target: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.txt"
    done = here("scan", target, *ONE, "--output-file", path)
    assert done.out == ""
    assert "--> bot.py:7:" in path.read_text("utf-8")


def test_statistics_count_rules_most_often_first(here: Here, tmp_path: Path) -> None:
    write(tmp_path, a=LOOP, b=LOOP + LOOP.replace("def answer", "def other"))
    done = here("scan", tmp_path, "--isolated", "--statistics")
    counts = [int(line.split()[0]) for line in done.out.splitlines()]
    assert counts == sorted(counts, reverse=True)
    assert re.search(r"^ +3  AC101  unbounded-loop ", done.out, re.MULTILINE)


def test_statistics_tell_of_how_many_findings_there_is_a_fix(here: Here, tmp_path: Path) -> None:
    limited = LOOP.replace("(messages)", '(messages, turns=float("inf"))').replace(
        "while True:", "while len(messages) < turns:"
    )
    write(tmp_path, a=LOOP, b=limited)
    done = here("scan", tmp_path, *ONE, "--statistics")
    assert re.search(r"^ +2  AC101  unbounded-loop .+ \(1 fixable\)$", done.out, re.MULTILINE)


def test_quiet_prints_nothing_where_there_is_nothing(here: Here, clean: Path, target: Path) -> None:
    assert here("scan", clean, *ONE, "--quiet").out == ""
    assert "unbounded-loop" in here("scan", target, *ONE, "--quiet").out


def test_a_reader_that_closes_the_pipe_is_no_error(target: Path) -> None:
    command = [sys.executable, "-m", "agentcheck", "scan", str(target), *ONE]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert said == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently there")
def test_an_interrupt_ends_it_without_a_traceback() -> None:
    command = [sys.executable, "-m", "agentcheck", "scan", "-", *ONE]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"x = 1\n" * 100_000)  # more than the pipe holds: it reads by now
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert (out, err.strip()) == (b"", b"")


# What is scanned


def test_the_current_folder_is_scanned_by_default(target: Path) -> None:
    assert "bot.py:7" in agentcheck("scan", *ONE, cwd=target).out


def test_source_on_stdin_is_scanned_under_its_name() -> None:
    done = agentcheck("scan", "-", *ONE, "--stdin-filename", "src/bot.py", stdin=LOOP.encode())
    assert done.code == 1
    assert "src/bot.py:7" in done.out


def test_excluded_paths_are_left_out(here: Here, target: Path) -> None:
    write(target, **{"vendor/bot": LOOP})
    report = here("scan", target, *ONE, "--exclude", "vendor/", "--output-format", "json")
    assert {f["evidence"][0]["file"] for f in json.loads(report.out)["findings"]} == {"bot.py"}


def test_per_file_ignores_accept_by_pattern(here: Here, target: Path) -> None:
    done = here("scan", target, *ONE, "--per-file-ignores", "bot.py:AC1,tools")
    assert done.code == 0


def test_the_configuration_beside_the_target_is_used(here: Here, target: Path) -> None:
    (target / "agentcheck.toml").write_text('ignore = ["unbounded-loop"]', "utf-8")
    select = ("--select", "AC1")
    assert "AC101" not in here("scan", target, *select).out
    assert "AC101" in here("scan", target, *select, "--isolated").out


# Other commands


def test_a_baseline_makes_todays_findings_known(here: Here, target: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    assert here("baseline", target, "-o", known, "--isolated").code == 0
    done = here("scan", target, "--isolated", "--baseline", known)
    assert done.code == 0
    write(target, later=LOOP)
    assert here("scan", target, "--isolated", "--baseline", known).code == 1


def test_init_writes_a_configuration_that_scan_accepts(here: Here, target: Path) -> None:
    assert here("init", target).code == 0
    assert here("scan", target).code == 1


def test_init_leaves_an_existing_configuration_alone(here: Here, target: Path) -> None:
    path = target / "agentcheck.toml"
    path.write_text("# mine\n", "utf-8")
    done = here("init", target)
    assert (done.code, path.read_text("utf-8")) == (2, "# mine\n")
    assert "exists already" in done.error


def test_rule_lists_all_rules(here: Here) -> None:
    lines = here("rule").out.splitlines()
    assert [line.split()[1] for line in lines] == [rule.name for rule in load_rules()]


def test_rule_explains_one_by_name_or_code(here: Here) -> None:
    page = here("rule", "unbounded-loop").out
    assert page == here("rule", "ac101").out
    rule = next(r for r in load_rules() if r.name == "unbounded-loop")
    for text in (rule.doc.strip(), rule.card.question, rule.card.smallest_change):
        assert text in page
    assert "## What is reported" in page
    assert "## Near misses" in page


def test_rules_can_be_read_as_json(here: Here) -> None:
    every = json.loads(here("rule", "--output-format", "json").out)
    assert [page["name"] for page in every] == [rule.name for rule in load_rules()]
    (one,) = json.loads(here("rule", "AC101", "--output-format", "json").out)
    assert one["card"]["topic"] == "unbounded-loop"
    assert {example["verdict"] for example in one["examples"]} == {"bad", "good"}


def test_acceptance_tests_are_written(here: Here, target: Path, tmp_path: Path) -> None:
    out = tmp_path / "acceptance"
    done = here("tests", target, "-o", out, "--isolated")
    assert done.code == 0
    files = list(out.glob("test_unbounded_loop_*.py"))
    assert files
    compile(files[0].read_text("utf-8"), str(files[0]), "exec")


# What others call


def test_the_pre_commit_hook_runs_as_it_is_written(target: Path) -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.search(r"entry: agentcheck (.+)", hook)
    assert entry is not None
    assert agentcheck(*entry[1].split(), cwd=target).code == 1


def test_the_action_uses_only_options_that_exist(here: Here) -> None:
    action = (ROOT / "action.yml").read_text("utf-8")
    script = action[action.index('/agentcheck" scan') :]
    used = set(re.findall(r"(--[a-z-]+) ", script))
    assert used >= {"--fail-on", "--output-format", "--output-file"}
    known = here("scan", "--help").out
    assert {option for option in used if option not in known} == set()
