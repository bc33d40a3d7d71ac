"""A version specifier, in any of the dialects, settled to the release that a target would get."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct
from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from agentcheck.model.pattern import lazy_re

OPEN, NEWEST, BOUNDED, EXACT, LOCKED, OWN = range(6)

_PART = lazy_re(r"(\^|~=|~|===|==|=|!=|<=|>=|<|>)?\s*v?([0-9][\w.+!*-]*)")
_LONGEST = 300


class Pin(Struct, frozen=True):
    """What one file says of a distribution's release.

    `rank` orders how much it says. OPEN: a package's own range, for a file further up to settle,
    else the newest. NEWEST: what is installed as it stands, so the newest. BOUNDED: the newest
    below a bound; `version` is then one just allowed, which may never have been released. EXACT
    and LOCKED name the release, OWN that of the project itself. `spec` is the PEP 440 specifier.
    """

    rank: int
    version: str | None
    spec: str = ""

    def allows(self, version: str) -> bool:
        """Whether a release is within the specifier."""
        try:
            return not self.spec or SpecifierSet(self.spec, prereleases=True).contains(version)
        except InvalidVersion:
            return False


def locked(version: str, rank: int = LOCKED) -> Pin | None:
    """The pin of a lock file, or of a project's own release; None where it is no version."""
    try:
        return Pin(rank, str(Version(version[:_LONGEST])))
    except InvalidVersion:
        return None


def settle(text: str, latest: str, *, unbounded: int = OPEN) -> Pin:
    """The pin that a specifier makes: PEP 440, Poetry's `^` and `~`, conda's single `=`.

    `latest` is the newest release known: a specifier that allows it gets the rank `unbounded`,
    and so does what cannot be read.
    """
    spec = to_pep440(text)
    try:
        specifiers = SpecifierSet(spec, prereleases=True)
    except InvalidSpecifier:
        return Pin(unbounded, None)
    exact = [s.version for s in specifiers if s.operator in ("==", "===") and "*" not in s.version]
    if exact:
        return Pin(EXACT, exact[0], spec)
    if not spec or specifiers.contains(latest):
        return Pin(unbounded, None, spec)
    allowed = [v for v in _edges(specifiers) if specifiers.contains(v)]
    return Pin(BOUNDED, str(max(allowed)), spec) if allowed else Pin(unbounded, None, spec)


def to_pep440(text: str) -> str:
    """A specifier in PEP 440's own words; "" for any release and for what cannot be read."""
    last = re.split(r"\|+", text[:_LONGEST])[-1]
    parts = [_part(op, version) for op, version in _PART.findall(last)]
    return ",".join(part for part in parts if part)


def _part(op: str, version: str) -> str:
    if op in ("^", "~"):
        return _range(op, version)
    if op == "=":
        return f"=={version.rstrip('.*')}.*"
    return f"{op or '=='}{version}"


def _range(op: str, version: str) -> str:
    """`^1.2` allows what keeps the leftmost number that is not 0, `~1.2` what keeps 1.2."""
    try:
        release = Version(version.rstrip(".*")).release
    except InvalidVersion:
        return ""
    kept = min(len(release), 2)
    if op == "^":
        kept = next((i for i, number in enumerate(release, 1) if number), len(release))
    return f">={version.rstrip('.*')},<{_joined(_next(release[:kept]))}"


def _edges(specifiers: SpecifierSet) -> Iterable[Version]:
    for specifier in specifiers:
        try:
            edge = _edge(specifier)
        except InvalidVersion:
            continue
        if edge is not None:
            yield edge


def _edge(specifier: Specifier) -> Version | None:
    """The highest release that an upper bound allows, as a version that may not exist."""
    if specifier.operator == "<=":
        return Version(specifier.version)
    if specifier.operator == "<":
        return _below(Version(specifier.version).release)
    if specifier.operator == "~=":
        return _below(_next(Version(specifier.version).release[:-1]))
    if specifier.operator == "==":
        return _below(_next(Version(specifier.version.rstrip(".*")).release))
    return None


def _next(release: tuple[int, ...]) -> tuple[int, ...]:
    return (*release[:-1], release[-1] + 1)


def _below(release: tuple[int, ...]) -> Version | None:
    numbers = list(release)
    while numbers and not numbers[-1]:
        numbers.pop()
    if not numbers:
        return None
    return Version(_joined((*numbers[:-1], numbers[-1] - 1, 9999)))


def _joined(release: Iterable[int]) -> str:
    return ".".join(map(str, release))
