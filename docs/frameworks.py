"""Write frameworks.md from the data files of the SDKs; with --check say if it is stale (exit 1)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agentcheck.frameworks.load import for_version, load
from agentcheck.frameworks.schema import AgentKind, Entry, Framework, Limit, RunEntry

PAGE = Path(__file__).with_name("frameworks.md")
NONE = ("inf", "none")
HEAD = """# SDKs

What is recorded of each SDK, by release. Generated from `analyzer/agentcheck/frameworks/data/` by
`python docs/frameworks.py`; every fact there names the release and the module it was read in. The
release of a target comes from its own pin files; where these say nothing, the newest one holds.

A limit is shown with its default and the unit that is counted, first as the newest release has it;
*none* means that nothing bounds the run unless the keyword is given. It is an argument of the run
unless the table says whose else. What is empty is not recorded.
"""


def page() -> str:
    """The whole page: a table of all SDKs, then a section for each."""
    frameworks = sorted(load(), key=lambda of: of.title.casefold())
    parts = [HEAD, _overview(frameworks), *(_section(each) for each in frameworks)]
    return "\n".join(parts).rstrip() + "\n"


def _overview(frameworks: Sequence[Framework]) -> str:
    head = ("SDK", "Newest checked", "Agents", "Limit of a run", "Several handoffs", "Approval")
    rows = (
        (
            f"[{of.title}](#{_anchor(of.title)})",
            of.latest,
            _few(dict.fromkeys(f"`{_short(kind.names[0])}`" for kind in of.agent), most=3),
            "<br>".join(_history(of)),
            _few(run.handoff_policy for run in of.run if run.handoff_policy != "n/a"),
            _few(_ways_to_ask(of), most=2),
            _few((f"`{name}`" for call in of.model_call for name in call.finish[:1]), most=2),
            _few((f"`{name}`" for call in of.model_call for name in call.usage[:1]), most=2),
        )
        for of in frameworks
    )
    return _table((*head, "Finish reason at", "Usage at"), rows)


def _history(of: Framework) -> Iterator[str]:
    """The limits of runs, each with its default in the newest release and in those before."""
    newest = {id(run) for run in for_version(of, None).run}
    found: dict[str, dict[tuple[str, str], str]] = {}
    for run in sorted(of.run, key=lambda run: id(run) not in newest):
        if run.limit is not None:
            owner = _short(run.names[0].rpartition(".")[0])
            defaults = found.setdefault(_limit_name(run.limit), {})
            defaults.setdefault(
                (_amount(run.limit), owner), "" if id(run) in newest else run.versions
            )
    for name, defaults in list(found.items())[:3]:
        yield f"{name} = {_few(_defaults(defaults), most=6)}"
    if len(found) > 3:
        yield f"{len(found) - 3} more"


def _defaults(found: dict[tuple[str, str], str]) -> Iterator[str]:
    """Each default with whose it is, where they differ, and with its releases, where it is gone."""
    differs = len({amount for (amount, _), when in found.items() if not when}) > 1
    for (amount, owner), when in found.items():
        notes = [f"`{note}`" for note in (owner if differs else "", when) if note]
        yield f"{amount} ({', '.join(notes)})" if notes else amount


def _ways_to_ask(of: Framework) -> Iterator[str]:
    yield from (f"`{tool.approval_keyword}`" for tool in of.tool if tool.approval_keyword)
    for kind in of.approval:
        yield from (f"`{name}`" for name in (*kind.keywords, *map(_short, kind.names)))


def _section(of: Framework) -> str:
    told = f"Distributed as {_codes(of.distributions)}, imported as {_codes(of.modules)}."
    lines = [f"## {of.title}", "", f"{told} Newest release checked: {of.latest}.", ""]
    tables = (_agents(of), _tools(of), _runs(of), _calls(of), _others(of))
    return "\n".join([*lines, *(table for table in tables if table)])


def _agents(of: Framework) -> str:
    rows = (
        (
            f"`{kind.names[0]}`",
            _release(kind),
            "group" if kind.is_group else "runs code" if kind.runs_code else "",
            _codes(kind.instructions_keywords),
            _codes((*kind.tools_keywords, *kind.handoffs_keywords, *kind.members_keywords)),
            _keywords(kind),
        )
        for kind in of.agent
    )
    head = ("Agent", "Releases", "Kind", "Instructions", "Tools, handoffs, members", "Keywords")
    return _table(head, rows)


def _keywords(kind: AgentKind) -> str:
    if not kind.keywords:
        return ""
    fate = {"error": "raises", "dropped": "is dropped", "accepted": "is kept"}[kind.unknown]
    return f"{len(kind.keywords)} known; any other {fate}"


def _tools(of: Framework) -> str:
    rows = (
        (
            _first((*kind.decorators, *kind.constructors, *kind.bases)),
            _release(kind),
            "decorator" if kind.decorators else "base class" if kind.bases else "constructor",
            f"`{kind.approval_keyword}`" if kind.approval_keyword else "asks" if kind.asks else "",
            {"effect": "changes the world", "read": "reads", "unknown": ""}[kind.effect],
            {"returned": "to the model", "raises": "ends the run", None: ""}[kind.error_policy],
        )
        for kind in of.tool
    )
    return _table(("Tool", "Releases", "Way", "Approval", "By itself", "Its exception goes"), rows)


def _runs(of: Framework) -> str:
    rows = (
        (
            f"`{entry.names[0]}`",
            _release(entry),
            "<br>".join(_limit(limit) for limit in _limits(entry)),
            _codes(entry.errors[:1]) or ("" if not _limits(entry) else "ends without an error"),
            "" if entry.handoff_policy == "n/a" else entry.handoff_policy,
        )
        for entry in of.run
    )
    return _table(("Run", "Releases", "Limits", "At the limit", "Several handoffs"), rows)


def _limit(limit: Limit) -> str:
    return f"{_limit_name(limit)} = {_amount(limit)}"


def _limit_name(limit: Limit) -> str:
    whose = {"call": "", "receiver": " of the object", "agent": " of the agent"}[limit.where]
    return f"`{limit.keyword}`{whose}"


def _amount(limit: Limit) -> str:
    return f"{'*none*' if limit.default in NONE else limit.default} {limit.unit}"


def _calls(of: Framework) -> str:
    rows = (
        (
            _first((*call.methods, *call.functions)),
            _release(call),
            call.kind if call.form == "reply" else f"{call.kind}, {call.form}",
            _codes(call.finish[:2]),
            _codes((*call.truncated, *call.blocked)[:4]),
            _codes(call.usage[:1]),
            _codes(call.tool_calls[:1]),
        )
        for call in of.model_call
    )
    head = ("Model call", "Releases", "Kind", "Finish reason at", "Cut or held back", "Usage at")
    return _table((*head, "Tool calls at"), rows)


def _others(of: Framework) -> str:
    found = [*_handoffs(of), *_approvals(of), *_clients(of), *_graphs(of), *_gone(of)]
    return "\n".join([*found, ""]) if found else ""


def _handoffs(of: Framework) -> Iterator[str]:
    for kind in of.handoff:
        names = (*kind.constructors, *kind.returned)
        yield f"- Handoff{_since(kind)}: {_codes(names)}"


def _approvals(of: Framework) -> Iterator[str]:
    for kind in of.approval:
        ways = {"keywords": kind.keywords, "names": kind.names, "through": kind.mechanisms}
        told = "; ".join(f"{word} {_codes(names)}" for word, names in ways.items() if names)
        yield f"- Approval{_since(kind)}: {told}"


def _clients(of: Framework) -> Iterator[str]:
    for kind in of.client:
        facts = [
            f"{what} `{keyword}`" + (f" = {default}" if default else "")
            for what, keyword, default in (
                ("time-out", kind.timeout_keyword, kind.timeout_default),
                ("retries", kind.retries_keyword, kind.retries_default),
            )
            if keyword
        ]
        yield f"- Client{_since(kind)}: `{kind.names[0]}`" + "".join(f", {fact}" for fact in facts)


def _graphs(of: Framework) -> Iterator[str]:
    for kind in of.graph:
        yield f"- Graph of nodes{_since(kind)}: {_codes(kind.names)}"


def _gone(of: Framework) -> Iterator[str]:
    if of.removed:
        owners = sorted({gone.owner for gone in of.removed})
        yield f"- Keywords that are gone since a release: {len(of.removed)}, of {_codes(owners)}"
    if of.moved:
        yield f"- Modules and names that are gone since a release: {len(of.moved)}"


def _since(entry: Entry) -> str:
    return f" ({_release(entry)})" if entry.versions else ""


def _release(entry: Entry) -> str:
    return f"`{entry.versions}`" if entry.versions else ""


def _limits(entry: RunEntry) -> list[Limit]:
    return [limit for limit in (entry.limit, *entry.also) if limit is not None]


def _short(name: str) -> str:
    """The last part of a dotted name, with the class where it is a method's."""
    parts = name.split(".")
    is_method = len(parts) > 1 and parts[-2][:1].isupper()
    return ".".join(parts[-2:] if is_method else parts[-1:])


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return _codes(names[:1]) + more


def _few(cells: Iterable[str], most: int = 4) -> str:
    found = list(dict.fromkeys(cells))
    more = f", {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _anchor(title: str) -> str:
    """As GitHub makes it from a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table without the columns that are empty; "" without rows."""
    body = list(rows)
    kept = [i for i in range(len(head)) if any(row[i] for row in body)]
    if not body:
        return ""
    lines = [head, ["---"] * len(head), *body]
    cells = ([_cell(line[i]) for i in kept] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the page; with --check only say whether it is stale."""
    text = page()
    is_stale = not PAGE.exists() or PAGE.read_text("utf-8") != text
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, "utf-8")
    elif is_stale:
        sys.stderr.write("docs/frameworks.md is stale: run `python docs/frameworks.py`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
