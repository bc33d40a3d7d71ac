"""Small targets written to disk, and what a scan of them reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentcheck.config import Settings, load_settings
from agentcheck.model.finding import Finding
from agentcheck.model.report import Report
from agentcheck.run import Request, run

LOOP = """\
from openai import OpenAI

client = OpenAI()


def answer(messages):
    while True:
        reply = client.chat.completions.create(model="m", messages=messages)
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message)
"""
UNBOUNDED = Settings(select=("unbounded-loop",))


def write(folder: Path, **files: str) -> Path:
    """Python files by path without `.py`; the folder."""
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def configured(folder: Path, text: str, **flags: Any) -> Settings:
    """The settings of a folder that has this text as its agentcheck.toml."""
    (folder / "agentcheck.toml").write_text(text, "utf-8")
    return load_settings(folder, flags=flags)


def scan(folder: Path, settings: Settings = UNBOUNDED, **more: Any) -> Report:
    return run(Request(paths=(str(folder),), jobs=1, **more), settings)


def only(report: Report) -> Finding:
    assert len(report.findings) == 1
    return report.findings[0]
