"""What goes to a worker and what comes back: plain values, packed without anything executable."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from agentcheck.fleet.targets import Target

TRACEBACK = "AGENTCHECK_TRACEBACK"
"""The variable that has a fault of the tool's own told in full, on stderr."""

Status = Literal["done", "unchanged", "failed"]


class Asked(Struct, frozen=True, kw_only=True):
    """What is the same for all targets of a run.

    `flags` are settings under the keys of the configuration file, `config` the file to read
    instead of each target's own. `seconds` bound a target as a whole, the fetching of a repository
    too; `megabytes` bound the memory that a worker may ask for, 0 for no bound. `jobs` is the
    number of processes that may parse the files of one target. `cache` is the folder of the cache,
    "" for the place each machine has for it, None for none. `version` is that of the tool.
    """

    version: str
    flags: dict[str, Any] = {}
    config: str | None = None
    isolated: bool = False
    seconds: float = 900.0
    megabytes: int = 0
    jobs: int = 1
    cache: str | None = ""


class Job(Struct, frozen=True):
    """A target to look at; nothing is done where its content is still the one `known`."""

    target: Target
    asked: Asked
    known: str = ""
    scratch: str = ""


class Row(Struct, frozen=True):
    """A finding as the store keeps it: what it is, and where."""

    id: str
    fingerprint: str
    rule: str
    code: str
    title: str
    priority: str
    severity: str
    place: str


class Outcome(Struct, frozen=True, kw_only=True):
    """What looking at a target came to.

    `identity` names the content that was looked at, `page` is its audit as HTML, compressed with
    zlib. `fails` says that a finding is as severe as the target's settings fail on. `died` says
    that the worker ended in the midst of it. `peak` is the memory of the worker, in bytes.
    """

    status: Status
    reason: str = ""
    identity: str = ""
    commit: str | None = None
    files: int = 0
    lines: int = 0
    runs: int = 0
    skipped: int = 0
    seconds: float = 0.0
    peak: int = 0
    fails: bool = False
    died: bool = False
    findings: tuple[Row, ...] = ()
    page: bytes = b""


def failed(reason: str, **also: Any) -> Outcome:
    """The outcome of a target that could not be looked at."""
    return Outcome(status="failed", reason=" ".join(reason.split()), **also)


def pack(value: Job | Outcome) -> bytes:
    """One line of JSON, without its end."""
    return msgspec.json.encode(value)


job_in = msgspec.json.Decoder(Job).decode
outcome_in = msgspec.json.Decoder(Outcome).decode
