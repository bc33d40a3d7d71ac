"""Configuration files and flags become settings, and every mistake gets one line that mends it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from agentcheck.config import FileIgnore, Settings, UsageError, load_settings
from agentcheck.config.starting import STARTING_TEXT
from agentcheck.config.table import ConfigTable
from agentcheck.trace.settings import TraceSettings


def configure(folder: Path, text: str, name: str = "agentcheck.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def complaint(folder: Path, text: str) -> str:
    path = configure(folder, text)
    with pytest.raises(UsageError) as caught:
        load_settings(folder)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path, isolated=True) == Settings()


def test_every_key_of_a_file_arrives(tmp_path: Path) -> None:
    path = configure(
        tmp_path,
        """
        select = ["AC1", "tools"]
        extend-select = ["handoff-race"]
        ignore = ["AC101"]
        exclude = ["vendor/"]
        min-severity = "low"
        min-confidence = "medium"
        persona = "auditor"
        fail-on = "high"
        baseline = "known.json"
        [per-file-ignores]
        "tests/**" = ["ALL"]
        [profile]
        form = "app"
        side-effects = "real"
        [trace]
        side-effecting-tools = ["send_mail"]
        max-turns = 4
        min-repeats = 2
        """,
    )
    assert load_settings(tmp_path) == Settings(
        select=("AC1", "tools"),
        extend_select=("handoff-race",),
        ignore=("AC101",),
        exclude=("vendor/",),
        min_severity="low",
        min_confidence="medium",
        persona="auditor",
        fail_on="high",
        baseline=str(tmp_path / "known.json"),
        per_file_ignores=(FileIgnore("tests/**", ("ALL",)),),
        profile={"form": "app", "side_effects": "real"},
        trace=TraceSettings(side_effecting=frozenset({"send_mail"}), max_turns=4, min_repeats=2),
        source=str(path),
    )


def test_the_nearest_file_counts_and_others_are_not_merged_in(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    configure(tmp_path, 'persona = "auditor"\nfail-on = "high"')
    configure(tmp_path / "a", '[tool.agentcheck]\npersona = "pedantic"', "pyproject.toml")
    settings = load_settings(inner)
    assert (settings.persona, settings.fail_on) == ("pedantic", "info")


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    configure(tmp_path, 'persona = "auditor"')
    configure(inner, '[project]\nname = "agentcheck-user"', "pyproject.toml")
    assert load_settings(inner).persona == "auditor"


def test_a_broken_pyproject_that_never_mentions_us_is_not_our_concern(tmp_path: Path) -> None:
    configure(tmp_path, "[project", "pyproject.toml")
    assert load_settings(tmp_path).persona == "regular"


def test_a_named_file_wins_over_the_nearest(tmp_path: Path) -> None:
    configure(tmp_path, 'persona = "auditor"')
    other = configure(tmp_path, 'persona = "pedantic"', "other.toml")
    assert load_settings(tmp_path, config=other).persona == "pedantic"


def test_a_pyproject_whose_tool_is_no_table_is_passed_over(tmp_path: Path) -> None:
    configure(tmp_path, 'tool = "agentcheck"', "pyproject.toml")
    assert load_settings(tmp_path) == Settings()


def test_isolated_reads_no_file(tmp_path: Path) -> None:
    configure(tmp_path, "nonsense = 1")
    assert load_settings(tmp_path, isolated=True) == Settings()


def test_flags_replace_or_add_to_what_the_file_says(tmp_path: Path) -> None:
    configure(tmp_path, 'select = ["AC1"]\nignore = ["AC101"]\npersona = "pedantic"')
    flags = {"select": ["AC2"], "ignore": ["AC201"], "persona": "auditor"}
    settings = load_settings(tmp_path, flags=flags)
    assert settings.select == ("AC2",)
    assert settings.ignore == ("AC101", "AC201")
    assert settings.persona == "auditor"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('selct = ["ALL"]', 'unknown key "selct"; did you mean "select"?'),
        ("[trace]\nmax-turn = 3", 'unknown key "trace.max-turn"; did you mean "max-turns"?'),
        ('min_severity = "low"', 'unknown key "min_severity"; did you mean "min-severity"?'),
        ("[profile]\nform = 3", "profile.form: expected 'library', 'app', 'example' or 'mixed'"),
        ('persona = "guru"', "persona: expected 'regular', 'pedantic' or 'auditor'"),
        ('select = "AC1"', 'select: expected a list, for example ["AC101"]'),
        ("trace = 3", "trace: expected a table"),
        ("baseline = 3", "baseline: expected a string"),
        ("[trace]\nmax-turns = true", "trace.max-turns: expected a whole number"),
        ("[trace]\nmax-turns = 0", "trace.max-turns: input should be greater than or equal to 1"),
        ("[trace]\nmax-tokens = 1.5", "trace.max-tokens: expected a whole number"),
        ("[trace]\nmax-cost-usd = true", "trace.max-cost-usd: expected a number"),
        ("[trace]\nmax-seconds = 0", "trace.max-seconds: input should be greater than 0"),
        ("[trace]\nmax-seconds = inf", "trace.max-seconds: input should be a finite number"),
    ],
)
def test_a_mistake_is_told_with_file_and_key(tmp_path: Path, text: str, expected: str) -> None:
    assert complaint(tmp_path, text) == expected


def test_a_key_like_no_other_lists_what_is_known(tmp_path: Path) -> None:
    said = complaint(tmp_path, "[trace]\nzzz = 1")
    assert said == (
        'unknown key "trace.zzz"; known: context-window, formats, max-cost-usd, max-seconds, '
        "max-tokens, max-tool-calls, max-turns, min-repeats, side-effecting-tools"
    )


@pytest.mark.parametrize("text", ["[trace", "a = 1\na = 2", "\x00"])
def test_a_file_that_is_no_toml_says_so(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, text).startswith("not valid TOML: ")


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    path = tmp_path / "agentcheck.toml"
    path.write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_settings(tmp_path)


def test_a_table_of_ours_that_is_no_table_says_so(tmp_path: Path) -> None:
    configure(tmp_path, '[tool]\nagentcheck = "yes"', "pyproject.toml")
    with pytest.raises(UsageError, match=r"write \[tool\.agentcheck\]"):
        load_settings(tmp_path)


def test_a_missing_named_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such configuration file"):
        load_settings(tmp_path, config=tmp_path / "nowhere.toml")


def test_wrong_flags_are_named_as_flags(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--min-severity: expected 'high'"):
        load_settings(tmp_path, isolated=True, flags={"min-severity": "hgh"})


def test_the_starting_configuration_is_the_defaults(tmp_path: Path) -> None:
    path = configure(tmp_path, STARTING_TEXT)
    settings = load_settings(tmp_path)
    assert settings == Settings(source=str(path))


def test_the_starting_configuration_names_every_key() -> None:
    uncommented = STARTING_TEXT.replace("# baseline =", "baseline =").replace(
        "# cache-dir", "cache-dir"
    )
    keys = {name.replace("_", "-") for name in ConfigTable.model_fields}
    assert keys == set(tomllib.loads(uncommented))
