"""The code and runs that a rule is tested on, cut to what explains it.

A rule's fixture lies in `fixtures/rules` of a folder above its module: at the root of a checkout,
inside the package once installed. Its marks (`# expect: name` and the like) say which lines are
reported; here they become remarks that a reader understands.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from agentcheck.model.pattern import lazy_re
from agentcheck.rule.loading import Rule

LONGEST = 44  # lines of one example: what is longer is cut around its first mark
WIDEST = 220  # characters of one record of a run
_MOST_RECORDS = 14
_FEWEST = 4  # lines below which an example is shown only where there is no better one
_SAYS = {
    "expect": "reported",
    "evidence": "shown as evidence",
    "ok": "not reported",
    "missed": "a fault that is not seen yet",
}
_MARK = lazy_re(r"\s*#\s*(expect|evidence|ok|missed):\s*([a-z][a-z, -]*?)\s*$")


class Example(Struct, frozen=True):
    """A piece of one fixture file; `file` is its path within the fixture."""

    verdict: Literal["bad", "good"]
    language: Literal["python", "json"]
    file: str
    text: str


def examples_of(rule: Rule, bad: int = 1, good: int = 2) -> list[Example]:
    """At most `bad` reported and `good` silent examples of a rule; none without its fixture."""
    fixture = _fixture(rule)
    if fixture is None:
        return []
    found = list(_from_code(fixture, rule.name)) if rule.check else []
    if not any(example.verdict == "bad" for example in found):
        found = list(_from_runs(fixture))
    found.sort(key=_is_slight)
    chosen = [e for e in found if e.verdict == "bad"][:bad]
    return chosen + [e for e in found if e.verdict == "good"][:good]


def _is_slight(example: Example) -> bool:
    """Whether it tells little: no function or class, or one of hardly any lines."""
    text = example.text
    return text.count("\n") < _FEWEST - 1 or re.search(r"(?m)^(async )?(def|class) ", text) is None


def _fixture(rule: Rule) -> Path | None:
    module = sys.modules[rule.module].__file__ if rule.module in sys.modules else None
    stem = rule.name.replace("-", "_")
    for parent in Path(module).parents if module else ():
        for path in (parent / "fixtures/rules" / f"{stem}.py", parent / "fixtures/rules" / stem):
            if path.exists():
                return path
    return None


def _from_code(fixture: Path, name: str) -> Iterator[Example]:
    files = sorted(fixture.rglob("*.py")) if fixture.is_dir() else [fixture]
    for path in files:
        shown = path.relative_to(fixture if fixture.is_dir() else fixture.parent).as_posix()
        lines = path.read_text("utf-8").splitlines()
        for start, end in _paragraphs("\n".join(lines)):
            kinds = {kind for kind, _ in _marks(lines[start:end], name)}
            if kinds & {"expect", "ok"}:
                verdict: Literal["bad", "good"] = "bad" if "expect" in kinds else "good"
                yield Example(verdict, "python", shown, _readable(lines[start:end], name))


def _marks(lines: Sequence[str], name: str) -> Iterator[tuple[str, int]]:
    for index, line in enumerate(lines):
        match = _MARK.search(line)
        if match and name in re.split(r"[\s,]+", match[2]):
            yield match[1], index


def _paragraphs(source: str) -> Iterator[tuple[int, int]]:
    """First and last-but-one line (from 0) of top-level statements with no empty line between."""
    spans: list[list[int]] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        end = node.end_lineno or node.lineno
        if spans and start == spans[-1][1]:
            spans[-1][1] = end
        else:
            spans.append([start, end])
    lines = source.splitlines()
    for start, end in spans:
        above = start
        while above and lines[above - 1].startswith("#"):
            above -= 1
        yield above, end


def _readable(lines: Sequence[str], name: str) -> str:
    """The lines with remarks for marks, cut where there are too many."""
    marked = [index for _, index in _marks(lines, name)]
    shown = [_remarked(line, name) for line in lines]
    if len(shown) <= LONGEST:
        return "\n".join(shown)
    head = 1 if not lines[0].startswith("@") else 2
    first = max(head, min(marked) - LONGEST // 2)
    last = min(len(shown), first + LONGEST)
    cut = shown[:head] + (["    ..."] if first > head else []) + shown[first:last]
    return "\n".join(cut + (["    ..."] if last < len(shown) else []))


def _remarked(line: str, name: str) -> str:
    match = _MARK.search(line)
    if match is None:
        return line
    code = line[: match.start()]
    return f"{code}  # {_SAYS[match[1]]}" if name in re.split(r"[\s,]+", match[2]) else code


def _from_runs(fixture: Path) -> Iterator[Example]:
    if not fixture.is_dir():
        return
    for verdict in ("bad", "ok"):
        for path in sorted(fixture.glob(f"{verdict}*.jsonl"))[:1]:
            with path.open(encoding="utf-8") as lines:
                text = "\n".join(_records(line for line in lines if line.strip()))
            yield Example("bad" if verdict == "bad" else "good", "json", path.name, text)


def _records(lines: Iterator[str]) -> Iterator[str]:
    """The messages of a file's first run, or its first records where it holds no messages."""
    first = json.loads(next(lines))
    messages = first.get("messages") if isinstance(first, dict) else None
    records = messages if isinstance(messages, list) else [first, *map(json.loads, lines)]
    for record in records[:_MOST_RECORDS]:
        text = json.dumps(record, ensure_ascii=False)
        yield text if len(text) <= WIDEST else text[: WIDEST - 4] + " ..."
    if len(records) > _MOST_RECORDS:
        yield f"... {len(records) - _MOST_RECORDS} more"
