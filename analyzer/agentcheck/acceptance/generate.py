"""Findings as pytest files: each fails on the code as found and passes once it is mended."""

from __future__ import annotations

import os
import re
import tempfile
import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from agentcheck.acceptance.names import REQUIRED, Names, literal, read_names
from agentcheck.acceptance.scenarios import Scenario, scenario_for
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding
from agentcheck.model.pattern import lazy_re

TEMPLATES = Path(__file__).parent / "templates"
OWN = "from agentcheck.testing."
_WORD = lazy_re(r"\w+")
# What a scenario may lack, by the names of its templates.
WANTED = {
    "Agent": "an agent that has the tool, and how it is run",
    "acts": "the tools that change the world, and how the model is offered them",
    "missing": "what is not there",
}
NOWHERE = "nothing that leads there can be imported and called with arguments that are made up"
SEVERAL = "it is a step of a graph in which other steps ask a model as well"
# What the scenario of a topic is written for, where the code found has another shape.
OTHER = {
    "runner": "the scenario is written for classes that run agents of their own",
    "entry": "the scenario is written for functions that ask a model themselves",
    "tool": "the scenario is written for a tool that a test can call by itself",
    "module": "the scenario is written for a file that a test can import",
}
LONGEST = 500  # characters of a comment: a line of evidence may be a whole minified file


def write_tests(findings: Sequence[Finding], root: Path, out: Path) -> list[Path]:
    """Write a test file for each finding whose topic has one; the files, in order.

    `root` is the scanned folder, which the files find by its place relative to `out` (or by the
    environment variable AGENTCHECK_TARGET). Files are named for topic and fingerprint, so that
    writing again writes over them. Raises OSError where `out` cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for finding in findings:
        source = test_source(finding, relative(root, out))
        if source is not None:
            written.append(_free(out / file_name(finding), written))
            write(written[-1], source)
    return written


def test_source(finding: Finding, target: str | None = None) -> str | None:  # noqa: PT028
    """The text of a finding's test file; None for a topic that has none.

    `target` is the scanned folder as seen from the test file; without it, the test looks in the
    folder that pytest is started in. Where `finding.names` lacks what the test needs, the test
    skips itself, saying what a person must fill in.
    """
    shape = finding.names.get("shape", "")
    scenario = scenario_for(finding.topic, shape)
    if scenario is None:
        return None
    if shape not in REQUIRED:
        why = SEVERAL if "several" in finding.names else NOWHERE
        return _unshown(finding, f"how a test can run {finding.subject}: {why}")
    if scenario.shape != shape:
        return _unshown(finding, f"how this shows in {finding.subject}: {OTHER[scenario.shape]}")
    names = read_names(finding.names, scenario.shape, _words())
    values = {
        **names.values,
        "fingerprint": literal(finding.fingerprint),
        "target": f"Path(__file__).parent / {literal(target)}" if target else "Path.cwd()",
        "skip": _skip(names),
        "head": _head(finding),
    }
    values["setup"] = _template(f"{scenario.shape}/setup").substitute(values).strip()
    parts = _parts(scenario, finding, values)
    if not parts:
        return _unshown(finding, _wanted(scenario, values))
    return _used("".join(_template(part).substitute(values) for part in parts))


def _parts(scenario: Scenario, finding: Finding, values: dict[str, str]) -> list[str]:
    """The templates that hold for the finding: those whose names could be read, too."""
    return [
        part.template
        for part in scenario.parts
        if part.holds(finding.names) and not _unfilled(part.template, values)
    ]


def _wanted(scenario: Scenario, values: dict[str, str]) -> str:
    """What a person must fill in where nothing of a scenario could be written."""
    names = sorted(set().union(*(_unfilled(p.template, values) for p in scenario.parts)))
    wanted = list(dict.fromkeys(WANTED[name] for name in names if name in WANTED))
    return "; ".join(wanted) or "how the code is run"


def _unshown(finding: Finding, wanted: str) -> str:
    """A file that skips itself and says what a person must fill in."""
    values = {
        "head": _head(finding),
        "fingerprint": literal(finding.fingerprint),
        "wanted": literal(f"a person must fill in: {' '.join(wanted.split())[:LONGEST]}"),
    }
    return filled("not-shown", values)


def _used(source: str) -> str:
    """The source without those imports of the testing package that it does not use."""
    lines = source.split("\n")
    words = {w for line in lines if not line.startswith(OWN) for w in _WORD.findall(line)}
    shown = [_needed(line, words) if line.startswith(OWN) else line for line in lines]
    return "\n".join(line for line in shown if line is not None)


def _needed(line: str, words: set[str]) -> str | None:
    start, _, names = line.partition(" import ")
    used = [name for name in names.split(", ") if name in words]
    return f"{start} import {', '.join(used)}" if used else None


def _unfilled(name: str, values: dict[str, str]) -> set[str]:
    return set(_template(name).get_identifiers()) - set(values)


def file_name(finding: Finding) -> str:
    """The name of a finding's test file, the same for as long as its fingerprint is."""
    mark = re.sub(r"[^0-9A-Za-z]", "", finding.fingerprint)[:12].lower()
    return f"test_{finding.topic.replace('-', '_')}_{mark or 'unmarked'}.py"


def _head(finding: Finding) -> str:
    place = finding.primary
    code = isinstance(place, CodeEvidence)
    where = f"{place.file}:{place.line}" if isinstance(place, CodeEvidence) else place.file
    lines = [
        "# Acceptance test written by agentcheck. Run it with pytest; it needs no network or key.",
        "# It fails on the code as it was found and passes once the finding is mended.",
        "#",
        *comment(f"Finding {finding.id}, {finding.rule} ({finding.code}): {finding.title}"),
        *comment(f"{'Line' if code else 'Record'}: {where}  {place.text}"),
        *comment(f"Fingerprint: {finding.fingerprint}"),
        *comment(f"Accepted when: {finding.acceptance.text}"),
    ]
    return "\n".join(lines)


def comment(text: str) -> list[str]:
    """Comment lines; no character of the text can end them or turn the way they read."""
    words = " ".join(text[:LONGEST].split()) + ("..." if len(text) > LONGEST else "")
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in words)
    return textwrap.wrap(shown, 100, initial_indent="# ", subsequent_indent="#   ")


def _skip(names: Names) -> str:
    if not names.missing:
        return ""
    wanted = "; ".join(f"fill_in_{key}, {what}" for key, what in names.missing.items())
    reason = f"a person must fill in: {wanted}. Then remove this skip."
    return f"pytest.skip({literal(reason)}, allow_module_level=True)\n"


@cache
def _template(name: str) -> Template:
    return Template((TEMPLATES / f"{name}.tmpl").read_text(encoding="utf-8"))


@cache
def _words() -> frozenset[str]:
    """Every word of the templates: what an imported class may not be called there."""
    paths = (path.relative_to(TEMPLATES) for path in TEMPLATES.rglob("*.tmpl"))
    texts = (_template(path.with_suffix("").as_posix()).template for path in paths)
    return frozenset(re.findall(r"\w+", re.sub(r"\$\w+", "", " ".join(texts))))


def filled(name: str, values: dict[str, str]) -> str:
    """A template with its values, and without those imports of the testing package it leaves."""
    return _used(_template(name).substitute(values))


def relative(root: Path, out: Path) -> str:
    """A folder as seen from another."""
    try:
        return Path(os.path.relpath(root.resolve(), out.resolve())).as_posix()
    except ValueError:  # another drive
        return root.resolve().as_posix()


def _free(path: Path, taken: Sequence[Path]) -> Path:
    tries = (path.with_stem(f"{path.stem}_{n}") if n else path for n in range(len(taken) + 1))
    return next(candidate for candidate in tries if candidate not in taken)


def write(path: Path, text: str) -> None:
    """Write all of it or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
