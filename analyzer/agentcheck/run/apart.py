"""Rules about code, asked in processes that share the graph which was linked in this one.

Rules of one family look for the same things and stay together, so that these are found once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from agentcheck.crosscheck import Answer
from agentcheck.facts.executor import available_jobs, executor
from agentcheck.model.assessment import Assessment
from agentcheck.model.report import Skipped
from agentcheck.rule import Rule
from agentcheck.run.reading import Code

if TYPE_CHECKING:
    from concurrent.futures import Future

# Below this, starting processes takes longer than what they take over.
_LARGE_LINES = 60_000


class Told(Struct):
    """What a family of rules said: by rule, those that failed, and the texts that were read."""

    said: list[tuple[str, Assessment]]
    failed: dict[str, Skipped]
    texts: tuple[str, ...] = ()


Ask = Callable[[Sequence[Rule]], Told]
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Told)
# What the processes inherit: it is set before they are forked.
_shared: tuple[Ask, list[list[Rule]]] | None = None


def worth_it(code: Code, jobs: int | None) -> bool:
    """Whether there is enough code for several processes, and a safe way to share it."""
    lines = sum(len(file.lines) for file in code.files)
    return sys.platform == "linux" and (jobs or available_jobs()) > 1 and lines > _LARGE_LINES


def ask_apart(rules: Sequence[Rule], ask: Ask, jobs: int | None) -> Iterator[Told]:
    """What `ask` says of each family of rules, in their order.

    A family whose process dies is asked in this one.
    """
    global _shared  # noqa: PLW0603 - a forked process has no other way to find it
    families = [list(group) for _, group in groupby(rules, key=lambda rule: rule.family)]
    _shared = (ask, families)
    try:
        with executor(min(jobs or available_jobs(), len(families))) as pool:
            futures = [pool.schedule(_asked, args=(i,)) for i in range(len(families))]
            for future, family in zip(futures, families, strict=True):
                yield _result(future) or ask(family)
    finally:
        _shared = None


def _asked(index: int) -> bytes:
    if _shared is None:
        raise RuntimeError("this process was not forked from one that asks")
    ask, families = _shared
    return _ENCODER.encode(ask(families[index]))


def _result(future: Future[bytes]) -> Told | None:
    try:
        return _DECODER.decode(future.result())
    except Exception:  # noqa: BLE001 - whatever became of the process, its family is asked again
        return None


def answers_of(told: Iterable[Told], rules: Sequence[Rule]) -> list[Answer]:
    """The answers, each with its rule."""
    by_name = {rule.name: rule for rule in rules}
    return [Answer(by_name[name], said) for one in told for name, said in one.said]
