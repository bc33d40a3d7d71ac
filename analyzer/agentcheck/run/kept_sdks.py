"""The data on SDKs as earlier runs of the same tool have read it."""

from __future__ import annotations

import hashlib

import msgspec

from agentcheck.cache.packing import pack, unpack
from agentcheck.cache.store import Store
from agentcheck.frameworks.load import Read, read_so_far, recall


class KeptSdks:
    """Recalls what a cache holds for the tool of that hash; `keep` adds what was read since."""

    def __init__(self, store: Store, tool: bytes) -> None:
        self._store = store
        self._key = hashlib.sha256(b"sdks" + tool).digest()
        data = store.get([self._key]).get(self._key)
        if data is not None:
            try:
                recall(msgspec.msgpack.decode(unpack(data), type=Read))
            except ValueError:
                store.drop([self._key])
                data = None
        self._known = _names() if data is not None else frozenset()

    def keep(self) -> None:
        """Write what this process knows where that is more than was there."""
        if _names() - self._known:
            self._store.put({self._key: pack(msgspec.msgpack.encode(read_so_far()))})


def _names() -> frozenset[str]:
    read = read_so_far()
    return frozenset((*read.frameworks, *(f"{name}:" for name in read.headers)))
