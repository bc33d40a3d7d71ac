"""The configuration in print: settings in force, the list of keys, the schema, the page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.command_line import Here
from tests.run_targets import configured

from agentcheck.config import Settings
from agentcheck.config.reference import config_schema, keys
from agentcheck.config.starting import STARTING_TEXT
from agentcheck.rule import load_rules

ROOT = Path(__file__).parent.parent
RULES = load_rules()


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def test_settings_are_shown_with_where_each_comes_from(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "agentcheck.toml"
    path.write_text('ignore = ["AC2"]\nfail-on = "high"\n[trace]\nmax-turns = 5\n', "utf-8")
    done = here("scan", tmp_path, "--show-settings", "--ignore", "AC1", "--persona", "auditor")
    assert done.code == 0
    lines = done.out.splitlines()
    assert f'ignore = ["AC2", "AC1"]  # {path} and --ignore' in lines
    assert f'fail-on = "high"  # {path}' in lines
    assert 'persona = "auditor"  # --persona' in lines
    assert 'select = ["ALL"]  # default' in lines
    assert f"max-turns = 5  # {path}" in lines
    assert "min-repeats = 3  # default" in lines
    assert "# baseline is not set" in lines


def test_shown_settings_are_a_configuration_that_means_the_same(here: Here, tmp_path: Path) -> None:
    text = """
    select = ["AC1"]
    focus = ["what \\"quoted\\" \\\\ is"]
    [per-file-ignores]
    "a b/**" = ["AC101"]
    [severity]
    AC104 = "low"
    [rules.no-timeout]
    most-seconds = 60
    [profile]
    form = "app"
    [trace]
    side-effecting-tools = ["b", "a"]
    max-cost-usd = 0.5
    [[frameworks.acme.model_call]]
    functions = ["acme.ask"]
    """
    first = configured(tmp_path, text)
    shown = here("scan", tmp_path, "--show-settings").out
    other = tmp_path / "other"
    other.mkdir()
    again = configured(other, shown)
    assert {**_fields(again), "source": None} == {**_fields(first), "source": None}


def _fields(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in Settings.__struct_fields__}


def test_every_key_is_listed_and_explained(here: Here) -> None:
    listed = [line.split()[0] for line in here("config").out.splitlines()]
    assert listed == [key.path for key in keys(RULES)]
    page = here("config", "trace.max-turns").out
    assert page.splitlines()[0] == "trace.max-turns"
    assert "Default: 25" in page
    assert all(
        key.says for key in keys(RULES) if key.path.count(".") != 1 or "rules" not in key.path
    )


def test_a_key_that_does_not_exist_is_an_error(here: Here) -> None:
    assert here("config", "trace.max-turn").error == (
        'config: no key is called "trace.max-turn"; did you mean "trace.max-turns"?'
    )


def test_the_kept_schema_is_the_one_that_the_command_prints(here: Here) -> None:
    kept = (ROOT / "docs/agentcheck.schema.json").read_text("utf-8")
    assert kept == here("config", "--schema").out


def test_the_schema_takes_what_the_tool_takes_and_refuses_what_it_refuses() -> None:
    schema = config_schema(RULES)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(tomllib.loads(STARTING_TEXT))
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    for block in re.findall(r"^```toml\n(.+?)^```$", page, re.M | re.S):
        validator.validate(tomllib.loads(block))
    for wrong in (
        "selct = []", "[rules.no-timeout]\nx = 1", "[frameworks.a]\nagents = []",
        '[severity]\na = "hgh"', "[[frameworks.a.agent]]\nnmes = []",
    ):  # fmt: skip
        assert list(validator.iter_errors(tomllib.loads(wrong))), wrong


def test_the_page_of_the_configuration_names_every_key() -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    for key in keys(RULES):
        if not re.fullmatch(r"rules\.[\w-]+", key.path):
            assert f"| `{key.path}` | {key.type} |" in page


def test_the_examples_of_the_page_are_taken(tmp_path: Path) -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    blocks = re.findall(r"^```toml\n(.+?)^```$", page, re.M | re.S)
    assert blocks
    for block in blocks:
        names = [framework.name for framework in configured(tmp_path, block).frameworks]
        assert names == ["acme", "acme-agents"]
