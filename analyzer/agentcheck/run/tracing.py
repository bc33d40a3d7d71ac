"""What a process does with its parts of trace files, one after the other."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.rule import Rule, RuleOptions, TraceSettings
from agentcheck.run.ask import Asker
from agentcheck.run.fold import Fold, Kept, Key
from agentcheck.run.heard import Heard, Place
from agentcheck.run.usuals import Glance, Usuals
from agentcheck.trace.handoffs import handing_over
from agentcheck.trace.mask import take_identity
from agentcheck.trace.outline import Recorded
from agentcheck.trace.parts import Gleaned, Part
from agentcheck.trace.readers.base import NotApartError
from agentcheck.trace.readers.gleaning import Gleaning
from agentcheck.trace.reading import Reading

See: TypeAlias = Callable[[Run], None]

_RARELY = 50_000
"""Containers after which the garbage collector looks at the young ones; 700 is Python's number."""


class Asking(Struct, frozen=True):
    """What is asked of every run: by which rules, and what is told to them and to the readers."""

    rules: tuple[str, ...]
    options: dict[str, RuleOptions]
    settings: TraceSettings
    targets: dict[str, str]
    reading: Reading = Reading()


class Told(Struct):
    """What a part of a file told; `whole` asks for the file to be read in one piece instead."""

    kept: dict[Key, Kept]
    runs: int
    skipped: list[Skipped]
    failed: dict[str, Skipped]
    whole: bool = False


class Auditor:
    """Asks about the runs of parts, which come in their order."""

    def __init__(self, rules: Sequence[Rule], asking: Asking) -> None:
        self._asker = Asker(rules, asking.options)
        self._asking = asking
        self.heard = Heard()
        self.glance = Glance(rules, asking.settings, asking.targets)

    def audit(
        self,
        part: Part,
        place: Place | None = None,
        see: See | None = None,
        gleaning: Gleaning[Any, Usuals] | None = None,
    ) -> Told:
        """What a part told, to be joined to what the parts before it told.

        Its `place` is that in a file which is read in parts. `see` is shown every run; what was
        told of runs in `gleaning` need not be told again.
        """
        fold = Fold(self.heard.before(place) if place else None)
        runs, skipped = 0, list[Skipped]()
        self._asker.failed = {}
        with collected_rarely():
            try:
                for one in part.outlines(gleaning):
                    if isinstance(one, Skipped):
                        skipped.append(one)
                        continue
                    runs += 1
                    if type(one) is Recorded:
                        self._look(one, fold, see)
                    elif isinstance(one, Gleaned) and not self.glance.count(one.told, fold):
                        self._again(one, fold)
            except NotApartError:
                return Told({}, 0, [], {}, whole=True)
        if place:
            self.heard.add(place, fold.kept)
        return Told(fold.kept, runs, skipped, self._asker.failed)

    def _again(self, one: Gleaned, fold: Fold) -> None:
        """Look at a run after all. Raises NotApartError where it is not what it was."""
        again = list(one.again())
        if len(again) != 1:
            raise NotApartError
        self._look(again[0], fold)

    def _look(self, one: Recorded, fold: Fold, see: See | None = None) -> None:
        whole = handing_over(one, self._asking.targets)
        self._asker.look(_seen(whole, see) if see else whole, self._asking.settings, fold)


def _seen(one: Recorded, see: See) -> Recorded:
    run = one.play()
    see(run)
    return Recorded(one.outline, lambda: run)


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Nothing here makes rings, so that looking for them is in vain, but for what a rule leaves."""
    before = gc.get_threshold()
    gc.set_threshold(_RARELY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


_auditor: tuple[Asking, Auditor] | None = None


def audit_in_worker(asking: Asking, key: bytes, part: Part, place: Place) -> Told:
    """As `Auditor.audit`, in a process that keeps its auditor from part to part.

    `key` is the identity of the marks for secrets, the same in all of them.
    """
    global _auditor  # noqa: PLW0603 - a worker has one task after the other and nothing else
    take_identity(key)
    if _auditor is None or _auditor[0] != asking:
        from agentcheck.run.select import known_rules

        rules: Mapping[str, Rule] = {rule.name: rule for rule in known_rules()}
        _auditor = asking, Auditor([rules[name] for name in asking.rules], asking)
    return _auditor[1].audit(part, place)
