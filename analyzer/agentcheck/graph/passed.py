"""Where what callers pass for a parameter comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn
from agentcheck.graph.origin import MANY, Origin, Origins

if TYPE_CHECKING:
    from agentcheck.graph.origins import Tracer


class Passed:
    """The origins that parameters have in callers, kept once they are whole."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._known: dict[tuple[Fn, str], Origins] = {}

    def above(self, origin: Origin) -> Origins:
        """The origins of what callers pass for a parameter, read through the same steps."""
        key = (origin.fn, origin.param or "")
        known = self._known.get(key)
        if known is None:
            known = self._find(*key)
            if self._tracer.idle:
                self._known[key] = known
        more = origin.steps
        return tuple([above.step(*more) for above in known]) if more else known

    def _find(self, fn: Fn, name: str) -> Origins:
        """The origins of what callers pass for a parameter, with its own default."""
        param = next((p for p in fn.facts.params if p.name == name), None)
        if param is None:
            return ()
        tracer, calls = self._tracer, self._tracer.calls
        found, missing = list[Origin](), False
        for site in calls.callers(fn)[:MANY]:
            given = calls.argument(site, fn, param)
            if given is not None:
                found.extend(tracer.local(given, site.fn))
            missing = missing or calls.leaves_out(site, fn, param)
        if found and missing and param.default is not None:
            found.extend(tracer.local(param.default, tracer.program.parent(fn) or fn))
        return tuple(found)
