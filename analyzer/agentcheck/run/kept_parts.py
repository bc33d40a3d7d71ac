"""What came of parts of a target in earlier runs, by the hash of all that it is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from agentcheck.cache.packing import pack, unpack
from agentcheck.cache.store import Store
from agentcheck.run.part import Part
from agentcheck.source.texts import Texts, hashes


class Kept(Struct, array_like=True):
    """What came of a part, and the texts beside the code that it depends on: hashes by path."""

    texts: dict[str, bytes]
    part: Part


_DECODER = msgspec.msgpack.Decoder(Kept)
_ENCODER = msgspec.msgpack.Encoder()


def packed(part: Part, texts: Texts) -> bytes:
    """A part as bytes that are kept as they are, and that `unpacked` understands."""
    return pack(_ENCODER.encode(Kept(hashes(texts, part.told.texts), part)))


def unpacked(data: bytes) -> Kept:
    """The part that was packed. Raises ValueError for anything else."""
    return _DECODER.decode(unpack(data))


class KeptParts:
    """The parts that a cache holds. `base` is the hash of what all parts have in common; `digests`
    are those of the files by path."""

    def __init__(self, store: Store, base: bytes, digests: Mapping[str, str], texts: Texts) -> None:
        self._store = store
        self._base = base
        self._digests = digests
        self._texts = texts

    def known(self, parts: Sequence[Sequence[str]]) -> dict[int, Part]:
        """What came of those of some parts that are known, by their index."""
        keys = [self._key(paths) for paths in parts]
        found = self._store.get(keys)
        told = {n: self._part(key, found[key]) for n, key in enumerate(keys) if key in found}
        return {n: part for n, part in told.items() if part is not None}

    def keep(self, parts: Iterable[tuple[Sequence[str], Part, bytes | None]]) -> None:
        """Remember parts, but for those in which a rule failed or a file has
        changed meanwhile; each comes with its bytes if these
        were packed already."""
        blobs = {
            self._key(paths): packed(part, self._texts) if data is None else data
            for paths, part, data in parts
            if part.sure and not part.told.failed
        }
        if blobs:
            self._store.put(blobs)

    def _part(self, key: bytes, data: bytes) -> Part | None:
        try:
            kept = unpacked(data)
        except ValueError:
            self._store.drop([key])
            return None
        return kept.part if kept.texts == hashes(self._texts, kept.texts) else None

    def _key(self, paths: Sequence[str]) -> bytes:
        told = "\n".join(f"{path}\n{self._digests[path]}" for path in paths)
        return hashlib.sha256(
            b"part" + self._base + told.encode("utf-8", "surrogateescape")
        ).digest()
