"""Facts of files that an earlier run has read, by the hash of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from agentcheck.cache.packing import pack, unpack
from agentcheck.cache.store import Store
from agentcheck.cache.version import facts_version
from agentcheck.facts.outcome import Outcome, decode, encode
from agentcheck.source.digests import Digests
from agentcheck.source.discover import SourceFile

_MANY = 200  # written at once, so that an interrupted run is not for nothing


class KeptFacts:
    """The facts that a cache holds, and those that it is to hold.

    Facts do not depend on a file's path beyond its suffix: they are kept without it, so that a
    file that was moved, and one that stands in two places, is read once.
    """

    def __init__(self, store: Store, digests: Digests) -> None:
        self._store = store
        self._digests = digests
        self._version = facts_version()
        self._new: dict[bytes, bytes] = {}

    def known(self, files: Iterable[SourceFile]) -> Iterator[tuple[int, Outcome]]:
        """What files came to that are known, by their index."""
        keys = {index: key for index, file in enumerate(files) if (key := self._key(file))}
        found = self._store.get(dict.fromkeys(keys.values()))
        paths = {index: file.path for index, file in enumerate(files)}
        yield from self._decoded(keys, paths, found)

    def _decoded(
        self, keys: Mapping[int, bytes], paths: Mapping[int, str], found: Mapping[bytes, bytes]
    ) -> Iterator[tuple[int, Outcome]]:
        bad = set[bytes]()
        for index, key in keys.items():
            if key in found and key not in bad:
                try:
                    yield index, _called(decode(unpack(found[key])), paths[index])
                except ValueError:
                    bad.add(key)
        if bad:
            self._store.drop(bad)

    def add(self, file: SourceFile, outcome: Outcome) -> None:
        """Keep the facts of a file, if it was not written to since its bytes were hashed."""
        digest = self._digests.of(file)
        if outcome.facts is None or digest is None or outcome.facts.digest != digest.hex():
            return
        key = self._key(file)
        if key is not None:
            self._new[key] = pack(encode(_called(outcome, "")))
        if len(self._new) == _MANY:
            self.save()

    def save(self) -> None:
        """Write what was added."""
        if self._new:
            self._store.put(self._new)
        self._new = {}

    def _key(self, file: SourceFile) -> bytes | None:
        digest = self._digests.of(file)
        if digest is None:
            return None
        kind = b"notebook" if file.path.endswith(".ipynb") else b"python"
        named = b"named" if file.named else b"found"
        return hashlib.sha256(b"facts" + self._version + digest + kind + named).digest()


def _called(outcome: Outcome, path: str) -> Outcome:
    """The outcome as that of a file of another name."""
    facts = None if outcome.facts is None else replace(outcome.facts, path=path)
    skipped = tuple(replace(one, file=path) for one in outcome.skipped)
    return replace(outcome, facts=facts, skipped=skipped)
