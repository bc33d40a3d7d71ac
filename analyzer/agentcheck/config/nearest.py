"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(wrong: str, known: Iterable[str]) -> str | None:
    """The known word that is most like a wrong one, if any is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(wrong, sorted(known), n=1, cutoff=0.6)), None)


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """`did you mean "x"?`, or all known words where none is near."""
    words = sorted(known)
    near = nearest(wrong, words)
    return f'did you mean "{near}"?' if near else f"known: {', '.join(words)}"
