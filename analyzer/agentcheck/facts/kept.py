"""Facts of files that an earlier run has read, by the hash of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from agentcheck.cache.packing import pack
from agentcheck.cache.store import Store
from agentcheck.cache.version import facts_version
from agentcheck.facts.record import Record, outcome_in, record_of
from agentcheck.source.digests import Digests
from agentcheck.source.discover import SourceFile

_MANY = 200  # written at once, so that an interrupted run is not for nothing
_FEW = 12  # files that the index need not know: writing it takes longer than decoding their facts


class _Entry(Struct, array_like=True):
    """A file as it was read: the key of its facts, and what is left of it without them."""

    key: bytes
    record: Record


_INDEX = msgspec.msgpack.Decoder(dict[str, _Entry])


class KeptFacts:
    """The facts that a cache holds, and those that it is to hold.

    Facts do not depend on a file's path beyond its suffix: they are kept without it, so that a
    file that was moved, and one that stands in two places, is read once. An index of the folder at
    `place` tells of its files in brief, so that facts need not even be looked at.
    """

    def __init__(self, store: Store, digests: Digests, place: str = "") -> None:
        self._store = store
        self._digests = digests
        self._version = facts_version()
        self._new: dict[bytes, bytes] = {}
        self._place = hashlib.sha256(b"index" + self._version + place.encode()).digest()
        self._before = self._index()
        self._now: dict[str, _Entry] = {}
        self._news = 0

    def known(self, files: Iterable[SourceFile]) -> Iterator[tuple[int, Record]]:
        """What is left of files that are known, by their index."""
        for index, file in enumerate(files):
            key = self._key(file)
            entry = self._before.get(file.path)
            if key is None:
                continue
            if entry is not None and entry.key == key:
                self._now[file.path] = entry
                yield index, entry.record
            elif (record := self._decoded(key, file.path)) is not None:
                yield index, record

    def _decoded(self, key: bytes, path: str) -> Record | None:
        """What is left of a file that the index does not know."""
        data = self._store.get([key]).get(key)
        if data is None:
            return None
        try:
            record = record_of(outcome_in(data, path), packed=False)
        except ValueError:
            self._store.drop([key])
            return None
        self._note(key, path, record)
        return record

    def add(self, file: SourceFile, record: Record) -> None:
        """Keep the facts of a file, if it was not written to since its bytes were hashed."""
        digest = self._digests.of(file)
        if record.brief is None or digest is None or record.brief.digest != digest.hex():
            return
        key = self._key(file)
        if key is not None and record.data is not None:
            self._new[key] = record.data
            self._note(key, file.path, record)
        if len(self._new) == _MANY:
            self.save()

    def data(self, file: SourceFile) -> bytes | None:
        """The facts of a file that is known, encoded; None where they are gone meanwhile."""
        key = self._key(file)
        if key is None:
            return None
        return self._new.get(key) or self._store.get([key]).get(key)

    def forget(self, file: SourceFile) -> None:
        """Drop the facts of a file that turned out to be damaged."""
        key = self._key(file)
        if key is not None:
            self._store.drop([key])

    def save(self) -> None:
        """Write what was added."""
        if self._new:
            self._store.put(self._new)
        self._new = {}

    def close(self) -> None:
        """Write what was added, and the index where it has changed."""
        self.save()
        if self._news > (_FEW if self._before else 0):
            self._store.put({self._place: pack(msgspec.msgpack.encode(self._kept_index()))})

    def _kept_index(self) -> dict[str, _Entry]:
        """What was asked about, with what was not, unless most of that may be gone by now."""
        many = len(self._before) > 2 * len(self._now) + 1_000
        return self._now if many else {**self._before, **self._now}

    def _note(self, key: bytes, path: str, record: Record) -> None:
        if record.sure:
            brief = Record(record.brief, record.skipped)
            self._now[path] = _Entry(key, brief)
            self._news += 1

    def _index(self) -> dict[str, _Entry]:
        return self._store.value(self._place, _INDEX.decode) or {}

    def _key(self, file: SourceFile) -> bytes | None:
        digest = self._digests.of(file)
        if digest is None:
            return None
        kind = b"notebook" if file.path.endswith(".ipynb") else b"python"
        named = b"named" if file.named else b"found"
        return hashlib.sha256(b"facts" + self._version + digest + kind + named).digest()
