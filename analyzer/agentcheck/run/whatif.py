"""Recorded runs -> answers to "what if"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agentcheck import __version__
from agentcheck.model.report import Skipped, Tool
from agentcheck.model.whatif_report import WhatIf
from agentcheck.run.request import Tell, silent
from agentcheck.run.traces import each_run, require_traces
from agentcheck.trace.reading import ANY, Reading
from agentcheck.whatif import Asks


def what_if(
    traces: Sequence[str],
    make: Callable[[], Sequence[Asks]],
    tell: Tell = silent,
    *,
    root: Path | None = None,
    targets: Mapping[str, str] | None = None,
    reading: Reading = ANY,
) -> WhatIf:
    """Replay every run of the files once, let every question that `make` gives see it, drop it.

    `root` is the folder that names of files are relative to, the working directory by default.
    `targets` are the tools that hand over by what the code shows, with the agent they lead to.
    `reading` says which readers the files are offered.
    Raises UsageError for a file that does not exist and where the files hold not one run.
    """
    require_traces(traces)
    asks = make()
    runs, skipped = 0, list[Skipped]()
    for run in each_run(traces, root or Path.cwd(), tell, reading, targets or {}, skipped):
        runs += 1
        for one in asks:
            one.add(run)
    return WhatIf(
        tool=Tool("agentcheck", __version__),
        traces=tuple(traces),
        runs=runs,
        answers=tuple(one.answer() for one in asks),
        skipped=tuple(skipped),
    )
