"""How a fault of openai/openai-cs-agents-demo, on the OpenAI Agents SDK, can be mended."""

from __future__ import annotations

from edits import Edit

MENDS: dict[str, list[Edit]] = {
    "compensation": [
        Edit(
            "airline/tools.py",
            'name_override="issue_compensation",',
            "after",
            "needs_approval=True,",
        )
    ],
}
FAULTS = {"compensation": "vouchers are issued with nobody asked"}
NEEDS = ("openai-agents", "openai-chatkit", "fastapi", "uvicorn", "pytest")
REPOSITORY = "openai/openai-cs-agents-demo"
FOLDER = "python-backend"


def shows(fault: str, topic: str, file: str, text: str) -> bool:  # noqa: ARG001 - as all of these
    """Whether a test of that topic, at that line of that file, is about the fault."""
    return topic == "unguarded-side-effect" and "issue_compensation" in text
