"""What the cache is made of: a store that is bounded, and hashes told by the state of files."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from tests.run_targets import write

from agentcheck.cache.packing import pack, unpack
from agentcheck.cache.store import NAME, Store
from agentcheck.cache.version import rule_packages
from agentcheck.source.digests import Digests
from agentcheck.source.discover import SourceFile, discover


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(cache: Path) -> Iterator[Store]:
    opened = Store(cache, largest=10_000)
    yield opened
    opened.close()


def test_the_oldest_by_use_go_when_there_is_too_much(cache: Path) -> None:
    names = [f"k{n}".encode() for n in range(9)]
    with closing(Store(cache, largest=10_000)) as store:
        store.put({name: name * 500 for name in names})  # 1,000 bytes each
    with closing(sqlite3.connect(cache / NAME)) as file:
        file.execute("UPDATE kept SET used = 1000")
        file.commit()
    with closing(Store(cache, largest=10_000)) as store:
        assert store.get(names[:2]).keys() == set(names[:2])
    with closing(Store(cache, largest=10_000)) as store:
        store.put({b"new": bytes(2_000)})
        left = store.get([*names, b"new"])
    assert {b"new", *names[:2]} <= left.keys()
    assert sum(map(len, left.values())) <= 10_000


def test_a_store_whose_folder_is_taken_away_finds_nothing(cache: Path, store: Store) -> None:
    store.put({b"a": b"1"})
    assert store.get([b"a", b"b"]) == {b"a": b"1"}
    store.close()
    shutil.rmtree(cache)
    assert store.get([b"a"]) == {}
    store.put({b"a": b"1"})


def test_a_hash_is_told_by_the_state_of_the_file_once_that_is_old(tmp_path: Path) -> None:
    write(tmp_path, old="x = 1\n", new="x = 1\n")
    os.utime(tmp_path / "old.py", (1_600_000_000, 1_600_000_000))
    first = Digests()
    hashes = {file.path: first.of(file) for file in discover([tmp_path]).files}
    assert first.news
    assert hashes["old.py"] == hashes["new.py"] is not None
    second = Digests(first.encoded())
    assert {f.path: second.of(f) for f in discover([tmp_path]).files} == hashes
    assert second.of(SourceFile("gone.py", str(tmp_path / "gone.py"))) is None
    with pytest.raises(ValueError, match="Expected"):
        Digests(b"\x93")


def test_a_run_goes_by_the_first_hash_of_a_file_and_can_ask_anew(tmp_path: Path) -> None:
    file = discover([write(tmp_path, a="x = 1\n")]).files[0]
    digests = Digests()
    first = digests.of(file)
    (tmp_path / "a.py").write_text("x = 22\n", "utf-8")
    assert digests.of(file) == first != digests.anew(file)


@pytest.mark.parametrize("size", [1, 100, 100_000])
def test_what_was_packed_comes_back_and_damage_is_told(size: int) -> None:
    data = b"facts " * size
    packed = pack(data)
    assert unpack(packed) == data
    for spoilt in (packed[:-1], b"x" + packed, packed[:-2] + b"\0\1", b"", data[:40]):
        with pytest.raises(ValueError, match="not what was packed"):
            unpack(spoilt)


def test_packages_of_rules_are_found_as_python_finds_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "house_rules-1.0.dist-info"
    home.mkdir()
    (home / "METADATA").write_text("Name: house-rules\nVersion: 1.0\n", "utf-8")
    (home / "entry_points.txt").write_text(
        "[console_scripts]\nhouse = house:main\n\n[agentcheck.rules]\n# ours\n"
        "house = house_rules\nmore=more_rules.inner\n\n[other]\nx = not_rules\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    told = {"agentcheck_rules", *(e.value for e in entry_points(group="agentcheck.rules"))}
    assert rule_packages() == sorted(told)
    assert {"house_rules", "more_rules.inner"} <= told
