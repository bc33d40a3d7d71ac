"""A reader made of a mapping: one record an event, or one object a run with a list of steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.mapped.mapping import Mapping
from agentcheck.trace.mapped.pointers import follow, text_of_pointer
from agentcheck.trace.mapped.replay import MappedReplay
from agentcheck.trace.mapped.seen import Seen
from agentcheck.trace.readers.base import SURE, Fit, Format
from agentcheck.trace.readers.logs import Log, logs_of
from agentcheck.trace.records import BROKEN, Buffer, ForeignError, Records, value_of

_LOOKED_AT = 16
_NO_RUN = "\0"


def reader_of(mapping: Mapping) -> Format:
    """The reader of a user's log."""
    read = _read_events if mapping.steps is None else _read_runs
    return Format(
        mapping.name, partial(_fit, mapping), partial(read, mapping), marks=_marks(mapping)
    )


def _marks(mapping: Mapping) -> tuple[str, ...]:
    """The keys that the pointers end in."""
    paths = [tokens for listed in mapping.at.values() for tokens in listed]
    paths += [mapping.steps] if mapping.steps else []
    keys = (next((t for t in reversed(tokens) if not t.isdigit()), "") for tokens in paths)
    return tuple(filter(None, dict.fromkeys(keys)))


def _fit(mapping: Mapping, value: Any) -> Fit:
    if mapping.steps is None:
        kind, why = Seen(mapping, value).kind()
        return SURE if kind is not None else Fit(_nearness(value, why), why)
    steps = _steps(mapping, value)
    if steps is None:
        where = text_of_pointer(mapping.steps)
        return Fit(0.2, f'no list stands at `steps` ("{where}")')
    judged = [Seen(mapping, step).kind() for step in steps[:_LOOKED_AT]]
    strange = [why for kind, why in judged if kind is None]
    if len(strange) * 2 >= len(judged) and strange:
        return Fit(0.7, f"of its steps: {strange[0]}")
    return SURE


def _nearness(value: Any, why: str) -> float:
    if not isinstance(value, dict):
        return 0.0
    return 0.2 if why.startswith("nothing") else 0.7


def _steps(mapping: Mapping, value: Any) -> list[Any] | None:
    found = follow(value, (mapping.steps or (),))
    return found.value if found is not None and isinstance(found.value, list) else None


def _read_events(mapping: Mapping, records: Records) -> Iterator[Run | Skipped]:
    losses = Losses(records.name, records.unit)
    runs = 0
    for log in logs_of(records, partial(_key, mapping)):
        if isinstance(log, Skipped):
            yield log
            continue
        run, strange = _played(mapping, records.name, runs, log)
        runs += 1
        yield run
        for number, why in strange:
            yield from losses.add(number, why)
    yield from losses.rest()


def _key(mapping: Mapping, raw: Buffer) -> str | None:
    """The run of a record; None for one that does not say."""
    value = value_of(raw)
    if not isinstance(value, dict):
        raise ForeignError("no object")
    return _NO_RUN if "run" not in mapping.at else Seen(mapping, value).name("run")


def _played(
    mapping: Mapping, name: str, number: int, log: Log
) -> tuple[Run, list[tuple[int, str]]]:
    replay = MappedReplay(name, number, mapping)
    replay.unknown += log.lost
    told = [(e.number, replay.record(e.number, Seen(mapping, e.value))) for e in log.entries]
    run_id = log.key.lstrip(_NO_RUN) or str(number)
    return replay.played(run_id), [(at, why) for at, why in told if why]


def _read_runs(mapping: Mapping, records: Records) -> Iterator[Run | Skipped]:
    losses = Losses(records.name, records.unit)
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            yield from losses.broken(record.number, error)
            continue
        steps = _steps(mapping, value)
        if steps is None:
            yield from losses.add(record.number, f"{_fit(mapping, value).why}; left out")
            continue
        run, strange = _whole(mapping, records.name, record.number, Seen(mapping, value), steps)
        yield run
        for why in strange:
            yield from losses.add(record.number, why)
    yield from losses.rest()


def _whole(
    mapping: Mapping, name: str, number: int, whole: Seen, steps: list[Any]
) -> tuple[Run, list[str]]:
    replay = MappedReplay(name, number, mapping)
    replay.begin(whole)
    told = [replay.record(at, Seen(mapping, step, whole)) for at, step in enumerate(steps)]
    replay.conclude(whole)
    strange = [f"step {at}: {why}" for at, why in enumerate(told, 1) if why]
    return replay.played(whole.name("run") or str(number)), strange
