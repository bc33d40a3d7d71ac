"""Nearness in meaning, where the extra `embeddings` is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from agentcheck.model.errors import UsageError
from agentcheck.model.event import Run
from agentcheck.model.whatif_settings import CacheSettings, CompactionSettings
from agentcheck.trace.read import read_runs
from agentcheck.whatif.cache.answer import Cache
from agentcheck.whatif.compaction.answer import Compaction
from agentcheck.whatif.compaction.keep import History
from agentcheck.whatif.conversation import conversation_of
from agentcheck.whatif.similar import embeddings
from agentcheck.whatif.similar.bm25 import Bm25
from agentcheck.whatif.similar.embeddings import Embedded

PACKAGES = ("numpy", "safetensors", "tokenizers", "wordllama")
needs_model = pytest.mark.skipif(
    not all(map(find_spec, PACKAGES)), reason="the extra `embeddings` is not installed"
)


def run_of(tmp_path: Path, *texts: str) -> Run:
    path = tmp_path / "run.json"
    roles = ("user", "assistant")
    talk = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    path.write_text(json.dumps({"messages": talk}), "utf-8")
    (run,) = read_runs(path)
    assert isinstance(run, Run)
    return run


@needs_model
def test_texts_of_one_meaning_are_nearer_than_others() -> None:
    index = Embedded()
    for text in ("How do refunds work here?", "The weather in Paris is mild.", ""):
        index.add(text)
    scores = index.scores("What is our policy on giving money back?")
    assert scores[0] > scores.get(1, 0.0)
    assert 2 not in scores


@needs_model
def test_retrieval_by_meaning_finds_what_shares_no_word(tmp_path: Path) -> None:
    talk = [
        "Our physician is Dr Brandt.",
        "Noted.",
        *["Fine.", "Good."] * 8,
        "Which doctor have we?",
    ]
    run = run_of(tmp_path, *talk)
    found = {}
    for search in (Bm25(), Embedded()):
        history = History(search, 4, 200)
        history.grow(conversation_of(run).messages)
        found[type(search)] = history.kept("retrieval").messages
    assert 0 in found[Embedded]
    assert 0 not in found[Bm25]


@needs_model
def test_both_answers_can_compare_by_meaning(tmp_path: Path) -> None:
    talk = [
        "How do refunds work?",
        "They take a week.",
        "How does a refund work?",
        "It takes a week.",
    ]
    run = run_of(tmp_path, *talk)
    cache = Cache(CacheSettings(search="embeddings", thresholds=(0.8,)))
    compaction = Compaction(CompactionSettings(search="embeddings", keep_last=2))
    for asked in (cache, compaction):
        asked.add(run)
        assert asked.answer().settings["search by" if asked is compaction else "compared by"] == (
            "embeddings"
        )
    (row,) = cache.answer().tables[0].rows
    assert row.cells[1].value == 1  # type: ignore[union-attr]


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "find_spec", lambda _: None)
    monkeypatch.setattr(embeddings, "_model", embeddings._model.__wrapped__)
    for settings in (CacheSettings(search="embeddings"), CompactionSettings(search="embeddings")):
        with pytest.raises(UsageError, match=r"install agentcheck-audit\[embeddings\]"):
            Cache(settings) if isinstance(settings, CacheSettings) else Compaction(settings)
