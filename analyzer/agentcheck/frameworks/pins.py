"""Which release of each SDK the target would get, by its own requirements and lock files.

The nearest file that settles a distribution wins, so that each folder of a monorepo has its own.
Nothing of the target is run; hostile files cost a bounded read and say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from packaging.utils import canonicalize_name

from agentcheck.frameworks.load import distributions
from agentcheck.frameworks.pinfiles import Kind, reader_for
from agentcheck.frameworks.pinwalk import PinFiles, above, walk
from agentcheck.frameworks.settle import LOCKED, NEWEST, OPEN, OWN, Pin, locked, settle

Folder = dict[str, Pin]
Said = dict[str, list[Pin]]


class Pins(Struct, frozen=True):
    """The pins of a target, by the folder they govern ("" is the root); names are normalised.

    `above` are those of the folders over the root, nearest first.
    """

    folders: dict[str, Folder]
    above: tuple[Folder, ...] = ()

    @property
    def own(self) -> dict[str, str | None]:
        """The releases of the SDKs that the target itself holds: all its files go by them."""
        pins = ((n, pin) for folder in self.folders.values() for n, pin in folder.items())
        return {name: pin.version for name, pin in pins if pin.rank == OWN}

    def pins_for(self, file: str) -> dict[str, str | None]:
        """What a file of the target gets, by distribution: a release, or None for the newest.

        `file` is relative to the root, with forward slashes. A distribution that no pin file
        names is absent.
        """
        chain = [self.folders.get(folder, {}) for folder in _upwards(file)]
        return {**_merged([*chain, *self.above]), **self.own}

    def whole(self) -> dict[str, str | None]:
        """What the target as a whole gets: its root's pins, then what all its folders agree on."""
        root = self.pins_for("")
        below: dict[str, set[str | None]] = {}
        for folder in self.folders.values():
            for name, pin in folder.items():
                below.setdefault(name, set()).add(pin.version)
        agreed = {name: next(iter(v)) if len(v) == 1 else None for name, v in below.items()}
        return {**agreed, **root}


def read_pins(root: Path) -> dict[str, str | None]:
    """The pins of a target as a whole; see `Pins.whole`."""
    return collect_pins(root).whole()


def collect_pins(
    root: Path, files: Iterable[str] | None = None, there: PinFiles | None = None
) -> Pins:
    """Reads every pin file of a target, a folder or one file, and those above in its repository.

    With `files`, paths relative to the root, only the folders on the way from them to the root
    are looked at: no others can speak for them. `there` may have looked already. Never raises for
    what it finds; folders it may not enter say nothing.
    """
    base = root if root.is_dir() else root.parent
    there = there or PinFiles()
    said: dict[str, Said] = {}
    if files is not None:
        found = there.on_the_way(base, files)
    else:
        found = walk(base) if root.is_dir() else iter(there.listed(base))
    for path in found:
        _note(said.setdefault(_governed(path, base), {}), path, there)
    folders = {folder: _settled(what) for folder, what in said.items()}
    return Pins(folders, tuple(_read_folder(folder, there) for folder in above(base)))


def _merged(chain: list[Folder]) -> dict[str, str | None]:
    names = {name for folder in chain for name in folder}
    return {name: _nearest([f[name] for f in chain if name in f]) for name in sorted(names)}


def _nearest(pins: list[Pin]) -> str | None:
    """The first that says more than OPEN, if the ranges of the nearer ones allow it."""
    for index, pin in enumerate(pins):
        if pin.rank > OPEN:
            version = pin.version
            allowed = version is None or all(p.allows(version) for p in pins[:index])
            return version if allowed else None
    return None


def _upwards(file: str) -> list[str]:
    folders = [str(parent) for parent in PurePosixPath(file).parents]
    return ["" if folder == "." else folder for folder in folders] or [""]


def _governed(path: Path, base: Path) -> str:
    """The folder that a pin file speaks for: its own; that above for `requirements/base.txt`."""
    folder = path.parent
    if folder.name == "requirements" and folder != base:
        folder = folder.parent
    relative = folder.relative_to(base).as_posix()
    return "" if relative == "." else relative


def _note(said: Said, path: Path, there: PinFiles) -> None:
    for name, pin in _read_file(path, there):
        said.setdefault(name, []).append(pin)


def _settled(said: Said) -> Folder:
    return {name: _strongest(pins) for name, pins in said.items()}


def _strongest(pins: list[Pin]) -> Pin:
    """What the files of one folder say together; a lock that its ranges rule out is stale."""
    ranges = [pin for pin in pins if pin.rank < LOCKED and pin.spec]
    return max((p for p in pins if not _is_stale(p, ranges)), key=_strength)


def _is_stale(pin: Pin, ranges: list[Pin]) -> bool:
    if pin.rank < LOCKED or pin.version is None or not ranges:
        return False
    version = pin.version
    return not any(each.allows(version) for each in ranges)


def _strength(pin: Pin) -> tuple[int, tuple[int, ...]]:
    numbers = [part for part in (pin.version or "").split(".") if part.isdecimal()]
    return pin.rank, tuple(map(int, numbers))


def _read_file(path: Path, there: PinFiles) -> Iterator[tuple[str, Pin]]:
    reader, known = reader_for(path.as_posix()), distributions()
    if reader is None:
        return
    for written, spec, kind in reader(there.text(path)):
        name = canonicalize_name(written)
        if name in known and (pin := _pin(spec, kind, known[name])) is not None:
            yield name, pin


def _pin(spec: str, kind: Kind, latest: str) -> Pin | None:
    if kind in ("lock", "own"):
        return locked(spec, OWN if kind == "own" else LOCKED)
    return settle(spec, latest, unbounded=NEWEST if kind == "install" else OPEN)


def _read_folder(folder: Path, there: PinFiles) -> Folder:
    said: Said = {}
    for path in there.listed(folder):
        _note(said, path, there)
    return _settled(said)
