"""The data on SDKs as earlier runs of the same tool have read it."""

from __future__ import annotations

import hashlib
from functools import partial

import msgspec

from agentcheck.cache.packing import pack
from agentcheck.cache.store import Store
from agentcheck.cache.version import tool_version
from agentcheck.frameworks.load import Read, read_so_far, recall


class KeptSdks:
    """Recalls what a cache holds for this tool; `keep` adds what was read since."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._key = hashlib.sha256(b"sdks" + tool_version()).digest()
        read = store.value(self._key, partial(msgspec.msgpack.decode, type=Read))
        if read is not None:
            recall(read)
        self._known = _names() if read is not None else frozenset()

    def keep(self) -> None:
        """Write what this process knows where that is more than was there."""
        if _names() - self._known:
            self._store.put({self._key: pack(msgspec.msgpack.encode(read_so_far()))})


def _names() -> frozenset[str]:
    read = read_so_far()
    return frozenset((*read.frameworks, *(f"{name}:" for name in read.headers)))
