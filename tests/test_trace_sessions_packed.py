"""Compressed files are read as what they hold, whatever they are called."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from tests.trace_samples import LOAN, document, lines, otlp, otlp_span, split

from agentcheck.model.event import Run
from agentcheck.trace import packed
from agentcheck.trace.read import read_runs

Pack = Callable[[bytes], bytes]


def zstd(content: bytes) -> bytes:
    """Several frames, as a log that is added to has them."""
    half = len(content) // 2
    return zstandard.compress(content[:half]) + zstandard.compress(content[half:])


def members(content: bytes) -> bytes:
    half = len(content) // 2
    return gzip.compress(content[:half]) + gzip.compress(content[half:])


PACKS = pytest.mark.parametrize("pack", [members, zstd], ids=["gzip", "zstd"])
RUN = {"messages": LOAN}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def left_behind(tmp_path: Path) -> list[str]:
    return [file.name for file in (tmp_path / "tmp").iterdir()]


def packed_file(path: Path, pack: Pack) -> Path:
    path.write_bytes(pack(path.read_bytes()))
    return path


@PACKS
def test_lines_and_documents_are_read_without_a_trace_left(tmp_path: Path, pack: Pack) -> None:
    for path in (
        lines(tmp_path / "r.txt", [RUN, RUN]),
        document(tmp_path / "r.json", [RUN, RUN]),
    ):
        plain, _ = split(path)
        runs, skipped = split(packed_file(path, pack))
        assert skipped == []
        assert runs == plain
        assert left_behind(tmp_path) == []


@PACKS
def test_interleaved_runs_are_fetched_by_their_place(tmp_path: Path, pack: Pack) -> None:
    rows = [
        otlp(otlp_span(f"{trace}{n}", "chat", n + 1, trace=trace))
        for n in range(3)
        for trace in ("a", "b")
    ]
    runs, skipped = split(packed_file(lines(tmp_path / "spans.jsonl", rows), pack))
    assert (len(runs), skipped) == (2, [])
    assert left_behind(tmp_path) == []


@PACKS
def test_a_stream_that_is_cut_off_gives_what_stands_before(tmp_path: Path, pack: Pack) -> None:
    path = lines(tmp_path / "r.jsonl", [RUN] * 400)
    path.write_bytes(pack(path.read_bytes())[:-12])
    runs, skipped = split(path)
    assert len(runs) <= 400
    assert any("cut off in the middle" in s.why or "no valid JSON" in s.why for s in skipped)
    assert left_behind(tmp_path) == []


def test_a_last_line_that_is_whole_still_shows_the_cut(tmp_path: Path) -> None:
    path = lines(tmp_path / "r.jsonl", [RUN])
    path.write_bytes(gzip.compress(path.read_bytes())[:-6])  # without the checksum
    runs, skipped = split(path)
    assert len(runs) == 1
    assert "line 3: cut off in the middle" in skipped[0].why


@PACKS
def test_a_bomb_is_refused_in_one_line(
    tmp_path: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "ALWAYS", 1 << 20)
    monkeypatch.setattr(packed, "RATIO", 10)
    path = tmp_path / "bomb"
    path.write_bytes(pack(b" " * (4 << 20)))
    runs, [skipped] = split(path)
    assert runs == []
    assert "unpacks to more than 1 MB; unpack it yourself" in skipped.why
    assert left_behind(tmp_path) == []


def test_what_a_file_may_unpack_to_grows_with_it() -> None:
    assert packed.granted(10) == packed.ALWAYS
    assert packed.granted(1 << 20) == 1000 << 20
    assert packed.granted(100 << 20) == packed.LARGE
    assert packed.granted(1 << 30) == 32 << 30


def test_a_window_that_takes_too_much_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.zst"
    wide = zstandard.ZstdCompressionParameters(window_log=29)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    path.write_bytes(packer.compress(b"{}\n") + packer.flush())
    runs, [skipped] = split(path)
    assert (runs, skipped.file) == ([], "wide.zst")


@PACKS
def test_packed_twice_and_packed_nothing_are_skipped(tmp_path: Path, pack: Pack) -> None:
    path = lines(tmp_path / "r.jsonl", [RUN])
    _, [twice] = split(packed_file(packed_file(path, pack), pack))
    assert "binary" in twice.why or "UTF-8" in twice.why or "no JSON" in twice.why
    path.write_bytes(pack(b""))
    _, [nothing] = split(path)
    assert nothing.why == "empty"


def test_a_reader_that_stops_early_leaves_nothing_behind(tmp_path: Path) -> None:
    path = packed_file(lines(tmp_path / "r.jsonl", [RUN, RUN]), zstd)
    found = read_runs(path)
    assert isinstance(next(found), Run)
    found.close()  # type: ignore[attr-defined]
    assert left_behind(tmp_path) == []
