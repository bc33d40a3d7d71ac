"""One line for everything that can go wrong."""

from __future__ import annotations

from agentcheck.model.errors import UsageError


def explain(error: Exception) -> str:
    """What to tell the user: what, where, how to mend it."""
    if isinstance(error, UsageError):
        return one_line(str(error))
    told = getattr(error, "format_message", None)
    if told is not None:  # wrong options and arguments, as typer words them
        said = one_line(told()).rstrip(".")
        return f"{said}{'' if said.endswith('?') else ';'} see agentcheck --help"
    if isinstance(error, MemoryError):
        return "out of memory; scan fewer files at once or pass a smaller --jobs"
    what = f"{type(error).__name__}: {error}"
    return f"internal error, please report it with AGENTCHECK_TRACEBACK=1 set: {one_line(what)}"


def one_line(text: str) -> str:
    """The text with line ends and control characters shown instead of sent."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))
