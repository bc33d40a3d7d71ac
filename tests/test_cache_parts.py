"""What the cache is made of: a store that is bounded, and hashes told by the state of files."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.run_targets import write

from agentcheck.cache.store import NAME, Store
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
