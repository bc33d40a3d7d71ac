"""The fix for a keyword that a class does not have: the one that is meant."""

from __future__ import annotations

from agentcheck.rule import Agent, E, Fix, S, Site, edit_rename
from agentcheck_rules.handoffs._keywords import Accepts, meant

_ALIKE = 0.85  # a slip of the pen; `reasoning` is not meant for `reasoning_model`


def rename(agent: Agent, arg: E.Arg, known: Accepts) -> Fix | None:
    """The argument under the keyword that is meant; None where that is given already.

    Safe where the call raises whenever it is reached, its class is read in the target, and one
    keyword alone is spelled alike: what works today does not come by there. A keyword that is
    dropped without a word is not safe to rename: the agent is then told what it never was.
    """
    keyword = arg.name or ""
    new, by_spelling = meant(keyword, known, _ALIKE)
    if new is None or _is_given(agent, new) or _is_wanted_twice(agent, arg, known, new):
        return None
    certain = known.certain and by_spelling and not known.dropped and not _is_tried(agent.site)
    what = f"Rename `{keyword}` to `{new}`."
    return Fix("safe" if certain else "unsafe", what, (edit_rename(agent.site.fn, arg, new),))


def _is_given(agent: Agent, keyword: str) -> bool:
    """Whether the call may give a keyword already, by name, by position or in a `**`."""
    args = agent.call.args
    if any(a.name == keyword or a.star for a in args):
        return True
    plain = sum(1 for a in args if a.name is None)
    positional = agent.data.positional if agent.data and agent.klass is None else None
    return plain > 0 if positional is None else keyword in positional[:plain]


def _is_wanted_twice(agent: Agent, arg: E.Arg, known: Accepts, new: str) -> bool:
    """Whether another unknown keyword of the call means the same."""
    others = [a.name for a in agent.call.args if a.name and a is not arg]
    return any(name not in known.names and meant(name, known, _ALIKE)[0] == new for name in others)


def _is_tried(site: Site) -> bool:
    """Whether something around the call may catch what it raises, as for an older release."""
    return any(isinstance(ctx.stmt, S.Try) for ctx in site.around())
