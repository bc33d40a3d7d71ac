"""How long an audit of a large file of recorded runs takes, and how much memory.

    python benchmarks/large_traces.py [MEGABYTES]

Writes a JSON Lines file of that size (200 by default) to a temporary folder, runs
`agentcheck trace` on it, and prints runs, seconds and the peak of resident memory.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TURNS = 20
WORDS = "the parcel left the depot and is on its way to the customer " * 8


def run_line(number: int) -> str:
    """One recorded run of a parcel desk as a line: a lookup and its result on every turn."""
    messages: list[dict[str, object]] = [{"role": "user", "content": f"Parcel {number}? {WORDS}"}]
    for turn in range(TURNS):
        arguments = json.dumps({"parcel": number, "turn": turn})
        call = {
            "id": f"call_{turn}",
            "type": "function",
            "function": {"name": "track_parcel", "arguments": arguments},
        }
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": WORDS})
    messages.append({"role": "assistant", "content": "It is on its way."})
    return json.dumps({"messages": messages}) + "\n"


def lines(size: int) -> Iterator[str]:
    """Runs until their lines come to `size` bytes."""
    written = number = 0
    while written < size:
        line = run_line(number)
        yield line
        written += len(line)
        number += 1


def main() -> None:
    """Write, run, print."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.jsonl")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines(megabytes * 1_000_000))
        command = [sys.executable, "-m", "agentcheck", "trace", str(path), "--isolated"]
        started = time.perf_counter()
        done = subprocess.run(
            [*command, "--exit-zero", "--output-format", "json"], capture_output=True, check=True
        )
        seconds = time.perf_counter() - started
    runs = json.loads(done.stdout)["target"]["runs"]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(f"{megabytes} MB, {runs} runs: {seconds:.1f} s, peak {peak:.0f} MB\n")


if __name__ == "__main__":
    main()
