"""What earlier runs leave for this one: hashes and facts of files, and the whole report.

A report is found again under the hash of everything that it is made of: the bytes of every file
but those of tests, the names of what was not read, the pins of SDKs, the settings, the request,
the date (comments expire) and the tool itself. The tests that were read all the same, and the
texts beside the code that rules looked at, are compared one by one. Only the commit and the
repository, and the time that the run takes, are told anew.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agentcheck.cache.packing import pack, unpack
from agentcheck.config import Settings
from agentcheck.frameworks.pinwalk import PinFiles
from agentcheck.model.report import Report
from agentcheck.run.aside import tests_among
from agentcheck.run.commit import commit_of
from agentcheck.run.find import find_files
from agentcheck.run.remote import repository_of
from agentcheck.run.request import Request
from agentcheck.source.texts import Texts, hashes

if TYPE_CHECKING:
    from agentcheck.cache.store import Store
    from agentcheck.facts.brief import Brief
    from agentcheck.facts.kept import KeptFacts
    from agentcheck.run.kept_links import KeptLinks
    from agentcheck.run.kept_parts import KeptParts
    from agentcheck.run.kept_sdks import KeptSdks
    from agentcheck.run.linking import Linking
    from agentcheck.run.reading import Code
    from agentcheck.source.digests import Digests


class _Answer(Struct, array_like=True):
    """A report, and what it depends on beside the code: texts and tests, their hashes by path."""

    texts: dict[str, bytes]
    tests: dict[str, bytes]
    report: Report


_ANSWER = msgspec.msgpack.Decoder(_Answer)
_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class Memory:
    """The memory of one run, which a request without a cache does not have.

    Raises UsageError for a path of the request that does not exist.
    """

    def __init__(self, request: Request, settings: Settings) -> None:
        self._request = request
        self._settings = settings
        self.found = find_files(request, settings)
        self.pins = PinFiles()
        self._store: Store | None = None
        self._sdks: KeptSdks | None = None
        if request.cache is not None and self.found is not None:
            from agentcheck.cache.store import Store

            self._store = Store(Path(request.cache))

    @cached_property
    def facts(self) -> KeptFacts | None:
        """The facts of files that are kept; None without a cache."""
        if self._store is None:
            return None
        from agentcheck.facts.kept import KeptFacts

        return KeptFacts(self._store, self._digests, str(self.found.root) if self.found else "")

    def report(self) -> Report | None:
        """The report of an earlier run that looked at the very same."""
        key = self._key
        if self._store is None or self.found is None or key is None:
            return None
        answer = self._store.value(key, _ANSWER.decode)
        if answer is None or answer.texts != hashes(Texts(self.found.root), answer.texts):
            return None
        if answer.tests != self._tests_but(self._tests - answer.tests.keys()):
            return None
        root = self.found.root
        now = {"commit": commit_of(root), "repository": repository_of(root)}
        target = replace(answer.report.target, **now)
        return replace(answer.report, target=target)

    def keep(self, report: Report, code: Code) -> None:
        """Remember a report, unless chance had a part in it."""
        key = self._key
        if self._store is None or key is None or not code.sure or code.texts is None:
            return
        read = {file.path: file.digest for file in (*code.files, *code.of_tests)}
        unread = set(code.tests) - read.keys()
        tests = self._tests_but(unread)
        if self._are_as_read(read, unread):
            answer = _Answer(hashes(code.texts, code.texts.asked), tests, report)
            self._store.put({key: pack(msgspec.msgpack.encode(answer))})

    def parts(self, code: Code, linking: Linking, rules: Sequence[str]) -> KeptParts | None:
        """The parts that earlier runs kept; None where none are to be kept.

        They are of the code as it is linked for some rules.
        """
        if self._store is None or not code.sure or code.texts is None:
            return None
        from agentcheck.cache.version import tool_version
        from agentcheck.run.kept_parts import KeptParts

        layout, request = linking.layout, self._request
        common = (
            sorted(layout.paths),
            sorted(layout.unread),
            sorted(layout.dotted),
            [framework.name for framework in linking.frameworks],
            list(rules),
            replace(self._settings, cache_dir=None, baseline=None, focus=()),
            (str(code.root), request.tests, request.traced),
        )
        base = hashlib.sha256(tool_version() + linking.pinned + _encoded(common)).digest()
        digests = {file.path: file.digest for file in (*code.files, *code.of_tests)}
        return KeptParts(self._store, base, digests, code.texts)

    def links(self, files: Sequence[Brief], unread: Sequence[str]) -> KeptLinks | None:
        """How some files hang together; None without a cache."""
        if self._store is None:
            return None
        from agentcheck.run.kept_links import KeptLinks

        return KeptLinks(self._store, files, unread)

    def recall(self) -> None:
        """Take what earlier runs read of the data on SDKs, and keep what this one reads."""
        if self._store is not None:
            from agentcheck.run.kept_sdks import KeptSdks

            self._sdks = KeptSdks(self._store)

    def close(self) -> None:
        """Write the hashes of files and let go of the cache."""
        if self._store is not None:
            if self._sdks is not None:
                self._sdks.keep()
            if "facts" in self.__dict__ and self.facts is not None:
                self.facts.close()
            if self._digests.news:
                self._store.put({self._place: pack(self._digests.encoded())})
            self._store.close()

    @cached_property
    def _place(self) -> bytes:
        """The key of the hashes of the scanned folder's files."""
        root = str(self.found.root) if self.found is not None else ""
        return hashlib.sha256(b"digests" + _bytes(root)).digest()

    @cached_property
    def _digests(self) -> Digests:
        from agentcheck.source.digests import Digests

        packed = self._store.get([self._place]) if self._store is not None else {}
        try:
            return Digests(unpack(packed[self._place]) if packed else None)
        except ValueError:
            return Digests()  # their place is written anew at the end

    @cached_property
    def _tests(self) -> frozenset[str]:
        """The paths of the tests among the files."""
        return tests_among(self.found.files) if self.found is not None else frozenset()

    def _tests_but(self, unread: AbstractSet[str]) -> dict[str, bytes]:
        """The hashes of the tests that were read; empty for one that has none."""
        files = self.found.files if self.found is not None else ()
        read = (file for file in files if file.path in self._tests and file.path not in unread)
        return {file.path: self._digests.of(file) or b"" for file in read}

    def _are_as_read(self, read: Mapping[str, str], unread: AbstractSet[str]) -> bool:
        """Whether the report is of the bytes that its key is made of: a file may have been written
        to meanwhile. `read` has what was read of each, `unread` the tests that were not."""
        digests = self._digests
        for file in self.found.files if self.found is not None else ():
            if file.path in unread:
                continue
            now = read.get(file.path)
            if now is None:  # one that gave nothing but a reason
                now = (digests.anew(file) or b"").hex()
            if now != (digests.of(file) or b"").hex():
                return False
        return True

    @cached_property
    def _key(self) -> bytes | None:
        """The hash of what the report is made of; None where one is not to be remembered."""
        request = self._request
        elsewhere = request.traces or request.since or request.verify or self._settings.baseline
        passing = request.stdin is not None or request.overlay
        if self._store is None or elsewhere or passing:
            return None
        digest = hashlib.sha256(b"report")
        for part in self._parts():
            if part is None:
                return None
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.digest()

    def _parts(self) -> Iterator[bytes | None]:
        from agentcheck.cache.version import tool_version

        found = self.found
        if found is None:
            return
        for file in found.files:
            digest = b"" if file.path in self._tests else self._digests.of(file)
            named = b"named" if file.named else b"found"
            yield None if digest is None else _bytes(file.path) + named + digest
        yield tool_version()
        yield _encoded(replace(self._settings, cache_dir=None))
        yield _encoded(replace(self._request, jobs=None, cache=None, glance=False))
        yield _encoded((str(found.root), str(Path.cwd()), found.passed_over, found.skipped))
        yield _bytes(dt.datetime.now(tz=dt.UTC).date().isoformat())
        yield _encoded([(found.root / mark).exists() for mark in _MARKS])
        for path in self.pins.all(found.root, [file.path for file in found.files]):
            yield _bytes(f"{path}\n{self.pins.text(path)}")


def _encoded(value: object) -> bytes:
    return msgspec.msgpack.encode(value, order="deterministic")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
