"""Reading a file of cases: YAML, JSON or TOML, small, and nothing in it is run."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.expect.cases import Cases

LARGEST = 1024 * 1024
"""Bytes of a file of cases."""
_FORMS = (".yaml", ".yml", ".json", ".toml")


def load_cases(path: str) -> Cases:
    """The cases of a file. Raises UsageError: what is wrong, where, how to mend it."""
    from agentcheck.expect.cases import check_cases

    return check_cases(read_data(path, "cases"), path)


def read_data(path: str, what: str) -> Any:
    """The plain data of a small file of YAML, JSON or TOML; `what` says what it holds.

    Raises UsageError: what is wrong, where, how to mend it.
    """
    return _parsed(_text(path, what), path)


def _text(path: str, what: str) -> str:
    if not path.lower().endswith(_FORMS):
        raise UsageError(f"{path}: {what} are read from {', '.join(_FORMS)}; rename the file")
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"{path}: the {what} cannot be read: {why}; check the path") from None
    except ValueError:
        raise UsageError(f"{path}: this is no path; check it") from None
    if len(data) > LARGEST:
        raise UsageError(f"{path}: more than {LARGEST // 1024} KiB; split the {what} over files")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start + 1} is no UTF-8; save it as UTF-8") from None


def _parsed(text: str, path: str) -> Any:
    try:
        if path.lower().endswith(".json"):
            return json.loads(text, object_pairs_hook=_unique)
        if path.lower().endswith(".toml"):
            return tomllib.loads(text)
        from agentcheck.expect.yaml12 import parse

        return parse(text)
    except RecursionError:
        raise UsageError(f"{path}: nested too deeply; make it flatter") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}; mend it there") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" stands twice in one object')
        found[key] = value
    return found
