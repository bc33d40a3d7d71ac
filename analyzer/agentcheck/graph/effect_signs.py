"""Kinds of call that change the world: one row each."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from agentcheck.graph.effect_words import Weight
from agentcheck.model.pattern import lazy_re

Needs = Literal["nothing", "given", "a verb", "a command"]


class Sign(Struct, frozen=True):
    """A kind of call that has an effect, and what else must hold before it counts as one.

    A file that a tool writes or deletes at a place of its own choosing is its own business
    ("given"); a POST may be a search ("a verb"); a fixed command may only look ("a command").
    """

    pattern: re.Pattern[str]
    weight: Weight
    says: str
    needs: Needs = "nothing"


def _sign(pattern: str, weight: Weight, says: str, needs: Needs = "nothing") -> Sign:
    return Sign(lazy_re(pattern), weight, says, needs)


DESKTOP = "drives mouse and keyboard"
_HTTP = r"^(requests|httpx|aiohttp)(\.\w+)*\."
_PROCESS = "starts a process"
SIGNS = (
    _sign(_HTTP + r"(put|patch|delete)$", "change", "sends a changing HTTP request"),
    _sign(_HTTP + r"post$", "change", "sends an HTTP POST", "a verb"),
    _sign(r"^smtplib\.\w+\.(send_message|sendmail)$", "message", "sends mail"),
    _sign(
        r"^subprocess\.(run|call|check_call|check_output|getoutput|getstatusoutput|Popen)$",
        "code",
        _PROCESS,
        "a command",
    ),
    _sign(r"^os\.(system|popen|exec\w*|spawn\w*)$", "code", _PROCESS, "a command"),
    _sign(r"^asyncio\.create_subprocess_\w+$", "code", _PROCESS, "a command"),
    _sign(r"^(builtins\.)?(exec|eval)$", "code", "runs code it was given", "given"),
    _sign(r"^os\.(remove|unlink|rmdir|removedirs)$", "destructive", "deletes a file", "given"),
    _sign(r"^shutil\.(rmtree|move)$", "destructive", "deletes or moves files", "given"),
    _sign(r"^os\.(rename|replace)$", "change", "renames a file", "given"),
    _sign(r"^pathlib\.Path\.(unlink|rmdir)$", "destructive", "deletes a file", "given"),
    _sign(r"^pathlib\.Path\.write_(text|bytes)$", "change", "writes a file", "given"),
    _sign(
        r"^pyautogui\.(\w*[cC]lick|type\w*|write|press|hotkey|key\w+|drag\w*|move\w*|scroll)$",
        "change",
        DESKTOP,
    ),
    _sign(r"^stripe\.(\w+\.)+(create|modify|cancel|capture|confirm)$", "money", "moves money"),
    _sign(r"^twilio\..*\.create$", "message", "sends a message"),
    _sign(r"\.chat_postMessage$", "message", "posts a message"),
)
SQL = lazy_re(
    r"^\s*(?:insert|update|delete|replace|drop|alter|truncate|create)\b\W*"
    r"(?:(?:or|replace|ignore|into|from|table|if|not|exists)\b\W*)*(\w+)?",
    re.IGNORECASE,
)
# Tables in which a program keeps its own books.
BOOKS = lazy_re(
    r"session|state|cache|log|memor|histor|checkpoint|conversation|message|thread|trace",
    re.IGNORECASE,
)
