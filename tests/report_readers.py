"""What each format says of its findings, read back from its text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt

from agentcheck.model.assessment import CodeEvidence, Evidence
from agentcheck.model.finding import Finding
from agentcheck.report.escape import visible

Said = dict[str, str]
"""Some of: id, rule, code, fingerprint, place, file, line."""

LONG = 200  # a longer place is cut in Markdown
_BLANKS = re.compile(r"(?:\\[nrt]|\\x0[bc]|[ \t\r\n\f\v])+")
SEVERITY = "(?:high|medium|low|info)"


def expected(finding: Finding) -> Said:
    """What there is to say of a finding: the places are its primary one, and its place in code."""
    primary = finding.primary
    code = [item for item in finding.evidence if isinstance(item, CodeEvidence)]
    led = next((item for item in code if item is primary), code[0] if code else None)
    return {
        "id": finding.id,
        "rule": finding.rule,
        "code": finding.code,
        "fingerprint": finding.fingerprint,
        "place": place(primary),
        "start": (place(primary).rpartition(":")[0] if led is primary else place(primary))[:LONG],
        "file": plain((led or primary).file),
        "line": str(led.line) if led is not None and led.cell is None else "",
    }


def place(item: Evidence) -> str:
    if not isinstance(item, CodeEvidence):
        return plain(f"{item.file}#{item.run}/{item.record}")
    cell = "" if item.cell is None else f"cell {item.cell}:"
    return plain(f"{item.file}:{cell}{item.line}:{item.column}")


def plain(text: str) -> str:
    """A text as every format may show it: no two of them treat blanks and non-characters alike."""
    shown = _BLANKS.sub(" ", visible(text)).strip()
    return shown.replace("\ufffe", r"\ufffe").replace("\uffff", r"\uffff")


def of_json(text: str) -> Iterator[Said]:
    yield from (_found(item) for item in json.loads(text)["findings"] if not item["suppressed"])


def of_jsonl(text: str) -> Iterator[Said]:
    items = map(json.loads, text.removesuffix("\n").split("\n") if text else ())
    yield from (_found(item) for item in items if not item["suppressed"])


def _found(item: dict[str, Any]) -> Said:
    primary = next(e for e in item["evidence"] if e["role"] == "primary")
    if primary["kind"] == "trace":
        where = f"{primary['file']}#{primary['run']}/{primary['record']}"
    else:
        cell = f"cell {primary['cell']}:" if "cell" in primary else ""
        where = f"{primary['file']}:{cell}{primary['line']}:{primary['column']}"
    names = ("id", "rule", "code", "fingerprint")
    return {name: item[name] for name in names} | {"place": plain(where)}


def of_full(text: str) -> Iterator[Said]:
    """The blocks of `--verbose`, which ends each with its id and fingerprint."""
    for block in re.split(rf"^(?={SEVERITY}\[)", text, flags=re.MULTILINE)[1:]:
        head = re.match(rf"{SEVERITY}\[(\S+)\] (\w+) ", block)
        where = re.search(r"^ *--> (.*)$", block, re.MULTILINE)
        ids = re.search(r"^ *= id: (F\d+), fingerprint (\w+)$", block, re.MULTILINE)
        assert head
        assert where
        assert ids
        yield {
            "rule": head[1],
            "code": head[2],
            "place": plain(where[1]),
            "id": ids[1],
            "fingerprint": ids[2],
        }


def of_concise(text: str) -> Iterator[Said]:
    for line in text.split("\n"):
        found = re.fullmatch(rf"(.*?): (AC\d+) \[([a-z-]+)\] {SEVERITY}: .*", line)
        if found:
            yield {"place": plain(found[1]), "code": found[2], "rule": found[3]}


def of_markdown(text: str) -> Iterator[Said]:
    """The list of findings gives the places, the sections what else there is."""
    reader = MarkdownIt("commonmark")
    starts: dict[str, str] = {}
    for line in re.findall(r"^- (F\d+ · .*)$", text, re.MULTILINE):
        spans = [t for t in reader.parseInline(line)[0].children or [] if t.type == "code_inline"]
        starts.setdefault(line.split()[0], plain(spans[-1].content)[:LONG])
    for part in re.split(r'^<a id="f\d+"></a>$', text, flags=re.MULTILINE)[1:]:
        head = re.search(r"^### (F\d+) ", part, re.MULTILINE)
        rule = re.search(r"^`(AC\d+)` `([a-z-]+)` · ", part, re.MULTILINE)
        mark = re.search(r"^- \*\*Fingerprint:\*\* `(\w+)`$", part, re.MULTILINE)
        assert head
        assert rule
        assert mark
        yield {
            "id": head[1],
            "code": rule[1],
            "rule": rule[2],
            "fingerprint": mark[1],
            "start": starts[head[1]],
        }


class _Articles(HTMLParser):
    """The findings of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Said] = []
        self.inside, self.name = "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "article":
            self.found.append({"id": given["id"], "rule": given["data-rule"]})
        if self.inside or not self.found:
            return
        name = {"figcaption": "place", "code": "code", "h3": "title"}.get(tag, "")
        name = "fingerprint" if given.get("id", "").endswith("-print") else name
        if name and name not in self.found[-1]:
            self.inside, self.name = tag, name
            self.found[-1][name] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1][self.name] += data


def of_html(text: str) -> Iterator[Said]:
    reader = _Articles()
    reader.feed(text)
    for said in reader.found:
        del said["title"]
        yield {**said, "place": plain(said["place"])}


def of_sarif(text: str) -> Iterator[Said]:
    for result in json.loads(text)["runs"][0]["results"]:
        if result.get("suppressions"):
            continue
        at = result["locations"][0]
        file = unquote(at["physicalLocation"]["artifactLocation"]["uri"])
        inner = at.get("properties", {})
        region = at["physicalLocation"].get("region")
        if region:
            where = f"{file}:{region['startLine']}:{region['startColumn']}"
        elif "cell" in inner:
            where = f"{file}:cell {inner['cell']}:{inner['line']}:{inner['column']}"
        else:
            where = f"{file}#{inner['run']}/{inner['record']}"
        yield {
            "id": result["properties"]["id"],
            "code": result["ruleId"],
            "fingerprint": result["partialFingerprints"]["agentcheck/v1"],
            "place": plain(where),
        }


def of_github(text: str) -> Iterator[Said]:
    for line in text.split("\n"):
        match = re.fullmatch(r"::\w+ ([^:]*)::.*", line)
        given = dict(part.split("=", 1) for part in match[1].split(",")) if match else {}
        title = re.match(r"(AC\d+) ([a-z-]+)%3A", given.get("title", ""))
        if title:
            file = re.sub("%(25|0A|0D|3A|2C)", lambda m: chr(int(m[1], 16)), given["file"])
            line_no = given.get("line", "")
            yield {"code": title[1], "rule": title[2], "file": plain(file), "line": line_no}


def of_gitlab(text: str) -> Iterator[Said]:
    for issue in json.loads(text):
        yield {
            "rule": issue["check_name"],
            "fingerprint": issue["fingerprint"],
            "file": plain(issue["location"]["path"]),
        }


def of_junit(text: str) -> Iterator[Said]:
    for test in ET.fromstring(text).iter("testcase"):  # noqa: S314 - it is our own
        failure = test.find("failure")
        if failure is not None:
            mark = re.search(r"^Fingerprint: (\w+)$", failure.text or "", re.MULTILINE)
            assert mark
            yield {
                "rule": test.attrib["classname"],
                "file": plain(test.attrib["file"]),
                "line": test.get("line", ""),
                "fingerprint": mark[1],
            }


READERS: dict[str, Callable[[str], Iterator[Said]]] = {
    "full": of_full,
    "concise": of_concise,
    "json": of_json,
    "jsonl": of_jsonl,
    "markdown": of_markdown,
    "html": of_html,
    "sarif": of_sarif,
    "github": of_github,
    "gitlab": of_gitlab,
    "junit": of_junit,
}
"""By format."""
