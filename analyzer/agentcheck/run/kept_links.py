"""How the files of a target hang together, as an earlier run found out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from agentcheck.cache.packing import pack
from agentcheck.cache.store import Store
from agentcheck.cache.version import tool_version
from agentcheck.facts.brief import Brief
from agentcheck.graph.layout import Imported


class Links(Struct, array_like=True):
    """What the files import, and for each the number of the first file of its program."""

    imported: Imported
    programs: list[int]


class KeptLinks:
    """The links of some files beside others that are `unread`, in a cache.

    They depend on nothing but what is there, what each file imports and the tool.
    """

    def __init__(self, store: Store, files: Sequence[Brief], unread: Iterable[str]) -> None:
        self._store = store
        digest = hashlib.sha256(b"links" + tool_version())
        digest.update("\n".join(sorted(unread)).encode("utf-8", "surrogateescape"))
        for file in files:
            digest.update(file.path.encode("utf-8", "surrogateescape") + b"\n" + file.links)
        self._key = digest.digest()

    def known(self) -> Links | None:
        """The links, if they are there."""
        return self._store.value(self._key, partial(msgspec.msgpack.decode, type=Links))

    def keep(self, links: Links) -> None:
        """Remember the links."""
        self._store.put({self._key: pack(msgspec.msgpack.encode(links))})
