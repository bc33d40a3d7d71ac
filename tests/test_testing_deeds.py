"""What a call does to the machine is told and refused; waiting takes no time; the log is read."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentcheck.testing.deeds import deeds_of, watched
from agentcheck.testing.entry import ask_for, ask_with, wants_more
from agentcheck.testing.harness import NotShownError, play, typed
from agentcheck.testing.hurry import hurried
from agentcheck.testing.importing import is_about
from agentcheck.testing.logs import logged
from agentcheck.testing.standin import stand_in
from agentcheck.testing.tools import reached_by


def read(path: str) -> str:
    return Path(path).read_text()


def put(path: str, text: str) -> None:
    Path(path).write_text(text)


def drop(path: str) -> None:
    os.remove(path)  # noqa: PTH107 - as targets write it


def move(path: str) -> None:
    shutil.move(path, f"{path}.moved")


def swallow(path: str) -> str:
    try:
        os.unlink(path)  # noqa: PTH108 - as targets write it
    except OSError as error:
        return str(error)
    return "deleted"


@pytest.mark.parametrize(
    ("function", "kind"),
    [(read, "reads"), (put, "writes"), (drop, "writes"), (move, "writes"), (swallow, "writes")],
)
def test_what_becomes_of_a_file_is_told_and_it_stays_as_it_is(
    function: Callable[..., Any], kind: str, tmp_path: Path
) -> None:
    file = tmp_path / "kept.txt"
    file.write_text("as it was")
    touched = [deed for deed in deeds_of(function, ("path",), str(file)) if deed.touches(file)]
    assert touched[0].kind == kind
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]
    assert file.read_text() == "as it was"


def work_out(formula: str) -> Any:
    return eval(formula)  # noqa: S307 - that is what is told


def start(command: str) -> int:
    return os.system(command)  # noqa: S605 - it is refused


def start_awaited(command: str) -> Any:
    return asyncio.run(asyncio.create_subprocess_shell(command))


def start_waiting(command: str) -> str:
    return subprocess.run(command, shell=True, check=False, text=True).stdout  # noqa: S602


@pytest.mark.parametrize(
    ("function", "kind"),
    [(work_out, "runs"), (start, "starts"), (start_awaited, "starts"), (start_waiting, "starts")],
)
def test_what_is_run_of_a_text_is_told_and_no_process_started(
    function: Callable[..., Any], kind: str
) -> None:
    deeds = deeds_of(function, ("formula", "command"), "agentcheck_word")
    told = [deed for deed in deeds if any("agentcheck_word" in what for what in deed.what)]
    assert [deed.kind for deed in told] == [kind]


def test_a_call_that_never_got_anywhere_shows_nothing() -> None:
    def broken(path: str) -> str:
        return path.no_such_thing  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(NotShownError, match="broken could not be called"):
        deeds_of(broken, ("path",), "x")


def test_nothing_is_told_after_the_watch(tmp_path: Path) -> None:
    with watched() as deeds:
        pass
    (tmp_path / "free.txt").write_text("written")
    assert deeds == []


def test_the_hosts_that_a_tool_asks_are_told() -> None:
    from urllib.request import urlopen

    def page(url: str) -> bytes:
        data: bytes = urlopen(url).read()  # noqa: S310 - it is refused
        return data

    def fixed(order: str) -> str:
        return order

    assert reached_by(page, ("url",), "http://inside.example/x") == ["inside.example"]
    with pytest.raises(NotShownError, match="fixed takes none of url"):
        reached_by(fixed, ("url",), "http://inside.example/x")


def test_waiting_takes_no_time_and_the_clock_runs_ahead() -> None:
    async def wait() -> None:
        await asyncio.sleep(4000)

    started = time.monotonic()
    with hurried():
        begun = time.time()
        time.sleep(3000)
        asyncio.run(wait())
        assert time.time() - begun >= 7000
    assert time.monotonic() - started < 3000


def test_what_is_logged_from_info_on_is_read_whatever_the_level() -> None:
    logger = logging.getLogger("desk")
    with logged() as lines:
        logger.debug("for those who look for faults")
        logger.info("order %s", 7)
        logger.warning("late")
    logger.info("afterwards")
    assert lines == ["order 7", "late"]


TOOL = {
    "type": "function",
    "function": {
        "name": "file_write",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "times": {"type": "integer"}},
            "required": ["path", "times"],
        },
    },
}


def asked(script: Any, tools: list[Any]) -> Any:
    """What a model of the script calls, or says, where these tools are offered."""
    offered = {"tools": tools} if tools else {}

    def once(model: Any) -> Any:
        question = [{"role": "user", "content": "Begin."}]
        reply = stand_in(model).chat.completions.create(model="m", messages=question, **offered)
        message = reply.choices[0].message
        return [c.function.arguments for c in message.tool_calls or ()] or message.content

    return play(script, once).result


def test_a_tool_that_is_not_offered_is_not_asked_for() -> None:
    assert asked(ask_for("FileWriteTool"), [TOOL]) == ['{"path": "text", "times": 1}']
    assert asked(ask_for("other"), [TOOL]) == "Done."
    assert asked(ask_with("file_write", "marked"), [TOOL]) == ['{"path": "marked", "times": 1}']
    assert asked(ask_with("other", "marked"), [TOOL]) == "Done."
    assert asked(wants_more, []) == "Tell me more."


def test_a_session_that_nobody_types_in_any_more_did_not_break() -> None:
    def session(_model: Any) -> None:
        while True:
            input()

    def hurt(_model: Any) -> None:
        raise EOFError("a file ended")

    with typed("one line"):
        run = play(wants_more, session)
    assert isinstance(run.error, EOFError)
    assert run.broke is None
    assert isinstance(play(wants_more, hurt).broke, EOFError)


@pytest.mark.parametrize(
    ("statement", "wanted", "about"),
    [
        ("import json.no_such_part", "json.no_such_part", True),
        ("import json.no_such_part", "json.no_such_part.thing", True),
        ("from json import no_such_name", "json.no_such_name", True),
        ("from json import no_such_name", "json.other_name", False),
        ("import no_such_package.part", "no_such_package.part", False),
        ("import no_such_package", "no_such_package", True),
        ("import json.no_such_part", "json.tool", False),
        ("from json.no_such_part import other", "email.no_such_part", False),
    ],
)
def test_an_import_error_is_about_what_is_not_there(
    statement: str, wanted: str, about: bool
) -> None:
    with pytest.raises(ImportError) as raised:
        exec(statement)  # noqa: S102 - a statement of this file
    assert is_about(raised.value, wanted) is about
