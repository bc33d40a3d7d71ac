"""One look at a folder or file: a scan of it in which the editor's texts stand over the disk's."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from msgspec import Struct

from agentcheck.cache.folder import cache_folder
from agentcheck.cache.version import rule_packages
from agentcheck.config import Settings, load_settings
from agentcheck.model.errors import UsageError
from agentcheck.model.report import Report, Skipped
from agentcheck.run import Request, run
from agentcheck.run.code import NothingRead
from agentcheck.run.request import Tell


class Options(Struct, frozen=True, kw_only=True):
    """What the command was told: options of `agentcheck scan`, and whether typing is no reason to
    look."""

    config: Path | None = None
    isolated: bool = False
    no_cache: bool = False
    jobs: int | None = None
    on_save: bool = False


class Superseded(Exception):  # noqa: N818 - what happened, not a fault
    """A text was changed while it was looked at: the answer is not wanted any more."""


class Look(Struct, frozen=True):
    """What a look came to: a report, or only what could not be read, or a problem in one line.

    `root` is the folder that the names of files in the report begin at.
    """

    root: Path
    report: Report | None = None
    skipped: tuple[Skipped, ...] = ()
    problem: str = ""


def look(target: Path, overlay: dict[str, bytes], options: Options, tell: Tell) -> Look:
    """Look at a folder or a file. Raises what `tell` raises, and nothing else.

    What a look leaves behind is cycles of hundreds of megabytes; a server that waited until the
    collector comes to them of itself would hold several at once.
    """
    try:
        return _looked(target, overlay, options, tell)
    finally:
        _forget()
        gc.collect()


def _forget() -> None:
    """Let rules forget what they worked out of a graph last, and with it the graph."""
    tops = {package.partition(".")[0] for package in rule_packages()}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops:
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear) and getattr(value, "__module__", "") == name:
                    clear()


def _looked(target: Path, overlay: dict[str, bytes], options: Options, tell: Tell) -> Look:
    root = target if target.is_dir() else target.parent
    try:
        settings = load_settings(root, config=options.config, isolated=options.isolated)
        report = run(_request(target, overlay, options, settings), settings, tell)
    except NothingRead as nothing:
        return Look(root, skipped=nothing.skipped)
    except UsageError as error:
        return Look(root, problem=" ".join(str(error).split()))
    except Superseded:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours must not take the editor's session
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return Look(root, problem=f"internal error, please report it: {told}")
    return Look(root, report, report.skipped)


def _request(
    target: Path, overlay: dict[str, bytes], options: Options, settings: Settings
) -> Request:
    return Request(
        paths=(str(target),),
        jobs=options.jobs,
        tests=False,
        cache=None if options.no_cache else str(cache_folder(settings.cache_dir)),
        overlay=overlay,
    )
