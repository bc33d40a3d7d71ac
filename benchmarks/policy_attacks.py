"""What drafted policies hold back of labelled attacks, and of what users asked for.

    python benchmarks/policy_attacks.py FOLDER LABELS

FOLDER holds `attacked`, `benign` and `ignored` runs, one a file; LABELS is JSON Lines with `file`,
`check`, `expected` and `where`, the record of the first injected effect. Policies are drafted from
the tools of all these runs, and from those of the benign runs alone, where what is not named is
rejected. "Needless" are calls of benign and ignored runs that are asked about or rejected.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentcheck.expect.yaml12 import parse
from agentcheck.model.event import Run
from agentcheck.trace.read import read_runs
from agentcheck.whatif.policy.decide import Policy
from agentcheck.whatif.policy.draft import Seen
from agentcheck.whatif.policy.form import check_policy
from agentcheck.whatif.policy.replay import Decided, decided
from agentcheck.whatif.policy.write import policy_text

CHECK = "injection_then_side_effect"
FREE = ("reads", "handoff")


def runs_of(folder: Path, kinds: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """The runs of some kinds, with their path below the folder."""
    for kind in kinds:
        for path in sorted((folder / kind).glob("*.json")):
            yield from ((f"{kind}/{path.name}", r) for r in read_runs(path) if isinstance(r, Run))


def injected(labels: Path, folder: Path) -> dict[str, int]:
    """The record of the first injected effect of each attacked run that has one."""
    rows = map(json.loads, labels.read_text("utf-8").splitlines())
    mine = (row for row in rows if row["check"] == CHECK and row["expected"])
    return {
        str(Path(row["file"]).relative_to(folder.name)): row["where"]
        for row in mine
        if row["file"].startswith(f"{folder.name}/")
    }


def drafted(folder: Path, kinds: Sequence[str], *, strict: bool) -> Policy:
    """A policy for the tools of some kinds of runs."""
    seen = Seen()
    for _, run in runs_of(folder, kinds):
        seen.add(run)
    text = policy_text(seen.tools(), "runs", strict=strict)
    return Policy(check_policy(parse(text), "draft"), "draft")


def held(one: Decided) -> bool:
    """Whether a call is asked about or rejected."""
    return one.decision.outcome != "approve"


def row(label: str, policy: Policy, folder: Path, places: dict[str, int]) -> str:
    """One line of the table."""
    stopped = {
        path
        for path, run in runs_of(folder, ("attacked",))
        for one in decided(run, policy)
        if one.source.record == places.get(path) and held(one)
    }
    asked = [
        one for _, run in runs_of(folder, ("benign", "ignored")) for one in decided(run, policy)
    ]
    needless = sum(map(held, asked))
    effects = sum(policy.does(one.call.name) not in FREE for one in asked)
    return (
        f"| {label} | {len(stopped)} of {len(places)} | {needless} of {len(asked)} "
        f"({needless / len(asked):.1%}) | {needless} of {effects} |"
    )


def main() -> int:
    """Print the table."""
    folder, labels = Path(sys.argv[1]), Path(sys.argv[2])
    places, every = injected(labels, folder), ("attacked", "benign", "ignored")
    print("| Policy | Injected effects held | Needless of all calls | Needless of effects |")
    print("|---|---|---|---|")
    print(row("drafted", drafted(folder, every, strict=False), folder, places))
    print(row("every effect asked about", drafted(folder, every, strict=True), folder, places))
    print(
        row("drafted from benign runs", drafted(folder, ("benign",), strict=False), folder, places)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
