"""Looking at one target, in a process that is there for it: the same run as `scan` and `trace`."""

from __future__ import annotations

import errno
import hashlib
import os
import traceback
import zlib
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, time

import msgspec
from msgspec.structs import asdict, replace

from agentcheck import __version__
from agentcheck.cache.folder import cache_folder
from agentcheck.config import Settings, layers, settings_of
from agentcheck.config.find import find_table
from agentcheck.fleet.address import without_user
from agentcheck.fleet.clone import CloneError, clone, head_of
from agentcheck.fleet.identity import content_of
from agentcheck.fleet.job import TRACEBACK, Asked, Job, Outcome, Row, failed
from agentcheck.fleet.targets import Target
from agentcheck.model.errors import UsageError
from agentcheck.model.report import Report
from agentcheck.model.verdict import fails, open_findings
from agentcheck.run.commit import commit_of
from agentcheck.run.request import Request


def look(job: Job) -> Outcome:
    """What a job comes to; what is wrong with the target becomes the reason of a failure."""
    started = perf_counter()
    try:
        outcome = _of_git(job) if job.target.kind == "git" else _of_path(job)
    except (UsageError, CloneError) as error:
        outcome = failed(without_user(str(error), job.target.where))
    except Exception as error:  # noqa: BLE001 - a fault of the tool costs one target, not the fleet
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
        outcome = failed(_of_fault(error, job))
    return replace(outcome, seconds=round(perf_counter() - started, 3))


def _of_fault(error: Exception, job: Job) -> str:
    """Why a target failed that nobody foresaw. Memory that is not given shows in several ways."""
    bound = job.asked.megabytes
    none_left = isinstance(error, OSError) and error.errno == errno.ENOMEM
    unloaded = bound and isinstance(error, ImportError)  # a library that could not be mapped
    if isinstance(error, MemoryError) or none_left or unloaded:
        return f"out of memory: {bound} MB are too few" if bound else "out of memory"
    if isinstance(error, OSError):
        return f"{error.filename or job.target.name}: {error.strerror or error}"
    return f"internal error: {type(error).__name__}: {error}"


def _of_git(job: Job) -> Outcome:
    """A repository elsewhere is asked for its commit; only another than the known is fetched."""
    asked, target = job.asked, job.target
    deadline = time() + asked.seconds
    head = head_of(target.where, target.ref, asked.seconds)
    if head is None:
        raise CloneError(f"no commit, branch or tag {target.ref or 'HEAD'} there")
    identity = f"commit {head} {_asked(asked)}"
    if identity == job.known:
        return Outcome(status="unchanged", identity=identity, commit=head)
    folder = clone(target.where, target.ref, Path(job.scratch), max(deadline - time(), 1.0))
    own = find_table(folder)
    # A configuration above the scratch folder is not the repository's.
    outside = asked.config is None and own is not None and not own[0].is_relative_to(folder)
    settings = _settings(folder, replace(asked, isolated=asked.isolated or outside))
    made = _audited(_request(target, asked, str(folder), settings), settings, str(folder))
    return replace(made, identity=identity)


def _of_path(job: Job) -> Outcome:
    """What lies on this machine is known by its content."""
    where = Path(job.target.where)
    start = where if where.is_dir() else where.parent
    settings = _settings(start if job.target.kind == "folder" else Path(), job.asked)
    request = _request(job.target, job.asked, job.target.where, settings)
    identity = f"content {content_of(request, settings)}"
    if identity == job.known:  # the commit may be another one: of files that are not read
        commit = commit_of(start) if request.paths else None
        return Outcome(status="unchanged", identity=identity, commit=commit)
    return replace(_audited(request, settings, job.target.where), identity=identity)


def _settings(start: Path, asked: Asked) -> Settings:
    """Raises UsageError for a configuration that is none."""
    config = Path(asked.config) if asked.config else None
    return settings_of(layers(start, config=config, isolated=asked.isolated, flags=asked.flags))


def _asked(asked: Asked) -> str:
    """A name for what settings are given from outside: flags and the file that all share."""
    digest = hashlib.sha256(msgspec.msgpack.encode([asked.flags, asked.isolated], order="sorted"))
    if asked.config is not None:
        digest.update(Path(asked.config).read_bytes())
    return digest.hexdigest()[:16]


def _request(target: Target, asked: Asked, where: str, settings: Settings) -> Request:
    named = settings.cache_dir if target.kind != "git" else None
    cache = asked.cache or (str(cache_folder(named)) if asked.cache is not None else None)
    traces = target.kind == "traces"
    return Request(
        paths=() if traces else (where,),
        traces=(where,) if traces else (),
        runs_only=traces,
        jobs=asked.jobs,
        cache=cache,
        drawn=not traces,
        traced=not traces,
        glance=traces,
    )


def _audited(request: Request, settings: Settings, where: str) -> Outcome:
    """Run, and keep what the store and the page behind the index need. Raises UsageError."""
    from agentcheck.report import render
    from agentcheck.report.prepare import prepare
    from agentcheck.run import run
    from agentcheck.run.remote import whereabouts

    report = run(request, settings)
    placed = asdict(whereabouts(Path(where))) if request.paths else {}
    page = render(report, "html", **placed)
    shown = prepare(replace(report, assessments=()))
    return Outcome(
        status="done",
        commit=report.target.commit,
        files=report.target.files or len(request.traces),
        lines=report.target.lines,
        runs=report.target.runs,
        skipped=len(report.skipped),
        fails=fails(report, settings.fail_on),
        findings=tuple(_rows(shown)),
        page=zlib.compress(page.encode()),
    )


def _rows(report: Report) -> Iterator[Row]:
    """The open findings, each with the title of its rule: that of a finding names its subject."""
    from agentcheck.report.words import place

    titles = {question.rule: question.title for question in report.questions}
    for f in open_findings(report):
        title = titles.get(f.rule, f.title)
        kind = (f.rule, f.code, title, f.priority, f.severity)
        yield Row(f.id, f.fingerprint, *kind, place(f.primary))


def same_version(job: Job) -> Outcome | None:
    """A failure where this machine has another version of the tool than the one that asks."""
    if job.asked.version == __version__:
        return None
    return failed(f"the worker has agentcheck {__version__}, asked by {job.asked.version}")
