"""Which release of an SDK a target gets, by its requirement and lock files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from agentcheck.frameworks.pins import collect_pins, read_pins
from agentcheck.frameworks.settle import settle

LATEST = "3.57.0"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


class TestSpecifiers:
    @pytest.mark.parametrize(
        ("spec", "version"),
        [
            ("", None),
            ("*", None),
            (">=1.2", None),
            (">=1.2,<9", None),
            ("!=1.2", None),
            ("==1.4.2", "1.4.2"),
            ("===1.4.2", "1.4.2"),
            ("1.4.2", "1.4.2"),
            ("== 1.4.2", "1.4.2"),
            ("<=1.4.2", "1.4.2"),
            ("<2", "1.9999"),
            ("<1.4", "1.3.9999"),
            ("<1.4.0", "1.3.9999"),
            (">=1,<1.60.2", "1.60.1.9999"),
            ("~=1.4", "1.9999"),
            ("~=1.4.2", "1.4.9999"),
            ("==1.*", "1.9999"),
            ("^1.4.2", "1.9999"),
            ("^0.3", "0.3.9999"),
            ("^0.0.3", "0.0.3.9999"),
            ("~1.4", "1.4.9999"),
            ("~1", "1.9999"),
            ("=1.4", "1.4.9999"),
            ("^1.0 || ^2.0", "2.9999"),
            (">=9", None),
            ("<0", None),
            ("nonsense", None),
            ("@ git+https://example.org/x", None),
        ],
    )
    def test_settle_to_the_release_that_would_be_installed(
        self, spec: str, version: str | None
    ) -> None:
        assert settle(spec, LATEST).version == version

    @given(st.text(max_size=400))
    def test_of_any_text_settle_to_something(self, text: str) -> None:
        pin = settle(text, LATEST)
        assert pin.version is None or pin.rank > 0

    @given(st.sampled_from(["<", "<=", "~=", "^", "~"]), st.tuples(*[st.integers(0, 3)] * 3))
    def test_settle_within_themselves(self, op: str, numbers: tuple[int, int, int]) -> None:
        pin = settle(op + ".".join(map(str, numbers)), LATEST)
        within = SpecifierSet(pin.spec, prereleases=True)
        assert pin.version is None or pin.version in within


FILES = {
    "requirements.txt": "openai==1.4.2  # why\n",
    "requirements-dev.txt": "-r x.txt\nopenai[datalib] == 1.4.2 ; python_version > '3'\n",
    "requirements/base.txt": "openai==1.4.2 \\\n    --hash=sha256:abc \\\n    --hash=sha256:def\n",
    "requirements.in": "openai (==1.4.2)\n",
    "constraints.txt": "OpenAI==1.4.2\n",
    "pyproject.toml": '[project]\ndependencies = ["openai==1.4.2"]\n',
    "setup.cfg": "[options]\ninstall_requires =\n    requests\n    openai==1.4.2\n",
    "setup.py": "from setuptools import setup\nsetup(install_requires=['openai==1.4.2'])\n",
    "Pipfile": '[packages]\nopenai = "==1.4.2"\n',
    "Pipfile.lock": json.dumps({"default": {"openai": {"version": "==1.4.2"}}}),
    "environment.yml": "dependencies:\n  - python=3.11\n  - pip:\n    - openai==1.4.2\n",
    "conda-env.yaml": "dependencies:\n  - conda-forge::openai=1.4.2=py_0\n",
    "uv.lock": 'version = 1\n\n[[package]]\nname = "openai"\nversion = "1.4.2"\n',
    "poetry.lock": '[[package]]\nname = "openai"\nversion = "1.4.2"\ndescription = ""\n',
    "pylock.toml": '[[packages]]\nname = "openai"\nversion = "1.4.2"\n',
}
TABLES = {
    "optional": '[project.optional-dependencies]\nllm = ["openai==1.4.2"]\n',
    "group": '[dependency-groups]\ndev = ["openai==1.4.2", {include-group = "x"}]\n',
    "poetry": '[tool.poetry.dependencies]\nopenai = "1.4.2"\n',
    "poetry table": '[tool.poetry.dependencies]\nopenai = {version = "1.4.2", extras = ["a"]}\n',
    "poetry group": '[tool.poetry.group.dev.dependencies]\nopenai = "1.4.2"\n',
    "uv": '[tool.uv]\ndev-dependencies = ["openai==1.4.2"]\n',
    "pdm": '[tool.pdm.dev-dependencies]\ntest = ["openai==1.4.2"]\n',
    "itself": '[project]\nname = "openai"\nversion = "1.4.2"\n',
}


@pytest.mark.parametrize("name", FILES)
def test_a_pin_is_read_from_every_kind_of_file(tmp_path: Path, name: str) -> None:
    assert read_pins(write(tmp_path, {name: FILES[name]})) == {"openai": "1.4.2"}


@pytest.mark.parametrize("table", TABLES)
def test_a_pin_is_read_from_every_table_of_pyproject(tmp_path: Path, table: str) -> None:
    assert read_pins(write(tmp_path, {"pyproject.toml": TABLES[table]})) == {"openai": "1.4.2"}


def test_only_distributions_that_the_data_know_are_kept(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "requests==2\nopenai\n# anthropic==1\n-e ./litellm\n"})
    assert read_pins(tmp_path) == {"openai": None}


def test_a_lock_says_more_than_a_range(tmp_path: Path) -> None:
    write(tmp_path, {n: FILES[n] for n in ("uv.lock",)})
    write(tmp_path, {"pyproject.toml": '[project]\ndependencies = ["openai>=1,<2"]\n'})
    assert read_pins(tmp_path) == {"openai": "1.4.2"}


def test_a_lock_that_the_range_beside_it_rules_out_is_stale(tmp_path: Path) -> None:
    write(tmp_path, {"uv.lock": FILES["uv.lock"]})
    write(tmp_path, {"pyproject.toml": '[project]\ndependencies = ["openai>=2,<3"]\n'})
    assert read_pins(tmp_path) == {"openai": "2.9999"}


class TestFolders:
    def test_the_nearest_file_that_names_it_wins(self, tmp_path: Path) -> None:
        pins = collect_pins(
            write(
                tmp_path,
                {
                    "requirements.txt": "openai==2.0\nanthropic==0.40\n",
                    "a/requirements.txt": "openai==1.0\n",
                    "a/b/deep.py": "",
                    "c/requirements.txt": "openai\n",
                },
            )
        )
        assert pins.pins_for("main.py") == {"anthropic": "0.40", "openai": "2.0"}
        assert pins.pins_for("a/b/deep.py") == {"anthropic": "0.40", "openai": "1.0"}
        assert pins.pins_for("c/x.py") == {"anthropic": "0.40", "openai": None}

    def test_a_members_range_is_settled_by_the_lock_above(self, tmp_path: Path) -> None:
        def member(spec: str) -> str:
            return f'[project]\ndependencies = ["openai{spec}"]\n'

        files = {"a/pyproject.toml": member(">=1"), "b/pyproject.toml": member(">=2")}
        pins = collect_pins(write(tmp_path, {"uv.lock": FILES["uv.lock"], **files}))
        assert pins.pins_for("a/x.py") == {"openai": "1.4.2"}
        assert pins.pins_for("b/x.py") == {"openai": None}

    def test_a_requirements_folder_speaks_for_the_one_above(self, tmp_path: Path) -> None:
        pins = collect_pins(write(tmp_path, {"app/requirements/prod.txt": "openai==1.0\n"}))
        assert pins.pins_for("app/main.py") == {"openai": "1.0"}
        assert pins.pins_for("other.py") == {}

    def test_a_whole_target_has_what_its_folders_agree_on(self, tmp_path: Path) -> None:
        files = {
            "a/requirements.txt": "openai==1.0\nanthropic==0.40\n",
            "b/requirements.txt": "openai==1.0\nanthropic==0.50\n",
        }
        assert read_pins(write(tmp_path, files)) == {"openai": "1.0", "anthropic": None}

    def test_files_above_the_target_count_inside_its_repository(self, tmp_path: Path) -> None:
        write(tmp_path, {"repo/requirements.txt": "openai==1.0\n", "repo/src/a.py": ""})
        write(tmp_path, {"requirements.txt": "openai==9.9\n"})
        assert read_pins(tmp_path / "repo/src") == {}
        (tmp_path / "repo/.git").mkdir()
        assert read_pins(tmp_path / "repo/src") == {"openai": "1.0"}

    def test_a_file_as_target_has_the_pins_beside_it(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "", "requirements.txt": "openai==1.0\n", "b/setup.py": "'x'"})
        assert read_pins(tmp_path / "a.py") == {"openai": "1.0"}

    def test_installed_and_hidden_folders_are_not_entered(self, tmp_path: Path) -> None:
        files = {f"{d}/requirements.txt": "openai==1.0\n" for d in (".tox", "node_modules", "venv")}
        assert read_pins(write(tmp_path, files)) == {}


class TestHostileFiles:
    @pytest.mark.parametrize("name", FILES)
    @hypothesis_settings(
        max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(data=st.binary(max_size=300))
    def test_say_nothing_or_something_but_never_fail(
        self, tmp_path: Path, name: str, data: bytes
    ) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data + b"\nopenai==" + data)
        assert set(read_pins(tmp_path)) <= {"openai"}

    def test_are_read_in_the_encoding_of_powershell(self, tmp_path: Path) -> None:
        (tmp_path / "requirements.txt").write_text("openai==1.4.2\r\n", encoding="utf-16")
        assert read_pins(tmp_path) == {"openai": "1.4.2"}

    def test_with_deep_nesting_say_nothing(self, tmp_path: Path) -> None:
        write(tmp_path, {"pyproject.toml": "a = " + "[" * 50_000, "Pipfile.lock": "[" * 50_000})
        assert read_pins(tmp_path) == {}

    def test_with_a_huge_number_say_nothing(self, tmp_path: Path) -> None:
        number = "1" * 9_000
        write(tmp_path, {"requirements.txt": f"openai=={number}\n", "uv.lock": _locked(number)})
        assert set(read_pins(tmp_path)) <= {"openai"}

    @pytest.mark.parametrize("name", FILES)
    @pytest.mark.parametrize("text", ["\n", " ", "a", "a\n", "- ", "'", "[", "a=", "\\\n"])
    def test_of_one_thing_over_and_over_are_read_to_their_end(
        self, tmp_path: Path, name: str, text: str
    ) -> None:
        write(tmp_path, {name: text * (300_000 // len(text))})
        assert read_pins(tmp_path) == {}

    def test_in_a_loop_of_links_are_read_once(self, tmp_path: Path) -> None:
        write(tmp_path, {"a/requirements.txt": "openai==1.0\n"})
        (tmp_path / "a/again").symlink_to(tmp_path, target_is_directory=True)
        assert list(collect_pins(tmp_path).folders) == ["a"]

    def test_that_are_no_files_are_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "requirements.txt").mkdir()
        os.mkfifo(tmp_path / "setup.py")
        (tmp_path / "uv.lock").symlink_to(tmp_path / "nowhere")
        assert read_pins(tmp_path) == {}

    def test_in_a_folder_that_is_not_there_say_nothing(self, tmp_path: Path) -> None:
        assert read_pins(tmp_path / "none") == {}


def _locked(version: str) -> str:
    return f'[[package]]\nname = "openai"\nversion = "{version}"\n'


def test_only_folders_on_the_way_from_the_files_are_looked_at(tmp_path: Path) -> None:
    for folder in ("app", "app/requirements", "other"):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "app/requirements/base.txt").write_text("openai==1.2.3\n")
    (tmp_path / "other/requirements.txt").write_text("anthropic==0.30.0\n")
    pins = collect_pins(tmp_path, ["app/src/main.py"])
    assert pins.pins_for("app/src/main.py")["openai"] == "1.2.3"
    assert "anthropic" not in pins.whole()


def test_an_sdk_s_own_repository_goes_by_the_release_it_holds(tmp_path: Path) -> None:
    (tmp_path / "libs/agno").mkdir(parents=True)
    (tmp_path / "cookbook").mkdir()
    own = '[project]\nname = "agno"\nversion = "1.4.2"\n'
    (tmp_path / "libs/agno/pyproject.toml").write_text(own, "utf-8")
    (tmp_path / "cookbook/requirements.txt").write_text("agno\nopenai==1.4.2\n", "utf-8")
    pins = collect_pins(tmp_path)
    assert pins.pins_for("cookbook/team.py") == {"agno": "1.4.2", "openai": "1.4.2"}
