"""What is to be said of ignore comments themselves: unused, expired, of no rule, of every rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from agentcheck.config.nearest import nearest
from agentcheck.model.card import Persona
from agentcheck.model.report import Note
from agentcheck.rule import Rule
from agentcheck.run.select import rank
from agentcheck.run.suppress import Comment


def notes_on(
    comments: Iterable[Comment], known: Sequence[Rule], judged: Sequence[Rule], persona: Persona
) -> tuple[Note, ...]:
    """Notes in the order of files and lines.

    A comment is called unused only where every rule it names is in `judged`: was asked, of whole
    folders, and did not fail. What a finding below the shown level needs is in use.
    """
    judged_names = frozenset(rule.name for rule in judged)
    found = [
        note
        for comment in comments
        for note in (
            *_expired(comment),
            *_unknown(comment, known),
            *(_blanket(comment) if persona != "regular" else ()),
            *_unused(comment, known, judged_names),
        )
    ]
    return tuple(sorted(found))


def _expired(comment: Comment) -> Iterator[Note]:
    if not comment.expired or comment.ignore.expires is None:
        return
    day = comment.ignore.expires.isoformat()
    if comment.used:
        text = f"expired on {day}; what it accepted is reported again: mend it or set a later date"
    else:
        text = f"expired on {day} and accepts nothing: remove the comment"
    yield _note(comment, "expired-ignore", text)


def _unknown(comment: Comment, known: Sequence[Rule]) -> Iterator[Note]:
    for name in comment.ignore.rules:
        if not _named(name, known):
            near = nearest(name, {n for r in known for n in (r.name, r.family, r.card.code)})
            hint = f'; did you mean "{near}"?' if near else "; `agentcheck rule` lists all"
            yield _note(comment, "unknown-ignore", f'no rule is called "{name}"{hint}')


def _blanket(comment: Comment) -> Iterator[Note]:
    if not comment.ignore.rules:
        text = "the comment names no rule and hides whatever comes later: write ignore[rule-name]"
        yield _note(comment, "blanket-ignore", text)


def _unused(comment: Comment, known: Sequence[Rule], judged: frozenset[str]) -> Iterator[Note]:
    if comment.expired:
        return
    names = comment.ignore.rules or ("",)
    idle = [name for name in names if name not in comment.used and _is_judged(name, known, judged)]
    if not idle:
        return
    told = ", ".join(idle) or "any rule"
    rest = "remove the comment" if len(idle) == len(names) else f"remove {told} from it"
    yield _note(comment, "unused-ignore", f"no finding of {told} is here: {rest}")


def _is_judged(name: str, known: Sequence[Rule], judged: frozenset[str]) -> bool:
    """Whether all rules it names were asked; of several, only those that code answers count."""
    rules = _named(name, known) if name else list(known)
    asked = [rule for rule in rules if rule.check] or rules
    return bool(asked) and all(rule.name in judged for rule in asked)


def _named(name: str, known: Sequence[Rule]) -> list[Rule]:
    return [rule for rule in known if rank(rule, (name,))]


def _note(
    comment: Comment,
    kind: Literal["unused-ignore", "expired-ignore", "unknown-ignore", "blanket-ignore"],
    text: str,
) -> Note:
    place = comment.place
    return Note(place.file, place.span.line, place.span.column, kind, text, place.cell)
