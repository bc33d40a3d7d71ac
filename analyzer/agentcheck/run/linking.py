"""How the files of a target are linked, all of them or some."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from agentcheck.graph.layout import Imported, Importing, Layout
from agentcheck.rule import AgentGraph
from agentcheck.source.texts import Texts

if TYPE_CHECKING:
    from agentcheck.frameworks.pinwalk import PinFiles
    from agentcheck.frameworks.schema import Framework
    from agentcheck.model.facts import FileFacts


class Linking:
    """What linking needs to know of a whole target: its files by what they import, the SDKs in
    the releases that the target pins, and what the user knows `more` of.

    `unread` are the paths of files and folders that are there but were not read; `pins` may have
    looked for the files that pin releases, and `imported` be known already.
    """

    def __init__(
        self,
        root: Path,
        files: Sequence[Importing],
        unread: Iterable[str],
        more: tuple[Framework, ...],
        pins: PinFiles | None = None,
        imported: Imported | None = None,
    ) -> None:
        from agentcheck.frameworks.pins import collect_pins

        self._more = more
        self._pins = collect_pins(root, [file.path for file in files], pins)
        self.layout = Layout(files, unread, imported)
        self.frameworks = self._known(self._pins.whole())
        self.for_file = cache(self._for_file)

    def graph(self, files: Sequence[FileFacts], texts: Texts) -> AgentGraph:
        """The graph of some files of the target."""
        from agentcheck.graph.build import build

        return build(files, self.frameworks, (), self.for_file, texts, self.layout)

    @property
    def pinned(self) -> bytes:
        """The hash of the releases that the target pins."""
        told = msgspec.msgpack.encode(self._pins, order="deterministic")
        return hashlib.sha256(told).digest()

    def _known(self, named: Mapping[str, str | None]) -> tuple[Framework, ...]:
        from agentcheck.frameworks.additions import merged
        from agentcheck.frameworks.load import select

        found = select(named, self.layout.imported.roots)
        return merged(found, self._more, named) if self._more else found

    def _for_file(self, path: str) -> tuple[Framework, ...]:
        named = self._pins.pins_for(path)
        return tuple(_in_release(framework, named) for framework in self._known(named))


def _in_release(framework: Framework, named: Mapping[str, str | None]) -> Framework:
    """A framework as a file has it.

    Where requirements name other SDKs and not this one, something else brings it, in a release
    that nobody can tell; then nothing is known to have moved.
    """
    told = not named or not named.keys().isdisjoint(framework.distributions)
    return framework if told else replace(framework, moved=())


def as_module(path: str) -> str:
    """The path at which an import looks for something that was not read.

    "a/b.cpython-312-darwin.so" is the module "a/b.py", and the folder "a/b/" a package.
    """
    if path.endswith("/"):
        return f"{path}__init__.py"
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0]}.py"
