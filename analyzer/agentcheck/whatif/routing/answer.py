"""The tiers of recorded calls, and what they would have cost, as an answer."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.event import ModelCall, Run
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Column, Figure, Row, Table
from agentcheck.model.whatif_settings import TIERS, RoutingSettings, Tier
from agentcheck.trace.mask import excerpt
from agentcheck.trace.prices import model_name, prices_dated
from agentcheck.whatif.routing.calls import (
    Routed,
    at_tier,
    calls_of,
    cascaded,
    classified,
)
from agentcheck.whatif.tally import Tally, difference, share

SHOWN = 40
"""Calls that are shown whose tiers disagree."""
RECORDED = "as recorded"
ROUTED, CASCADED, HINDSIGHT = "routed up front", "cascaded", "in hindsight"
_NO_PRICE = "no model is configured for a tier, or it has no price"
_UNPRICED = "the model of some calls, or its price, is not known"
_NOTES = (
    (
        "The tier in hindsight is a rule of thumb on the length of a reply and its words. A short "
        "reply may have been hard: a call of a tool is short, and which tool to call may not be "
        "plain. The tier beforehand is a rule on the words of the last ask, in English."
    ),
    (
        "Every way is priced with the same tokens, though models count them differently and write "
        "more or less. What is not as recorded is priced without a cache, for models do not share "
        "one."
    ),
    (
        "In a cascade every weaker model is tried first and known to have failed, which a real one "
        "has to find out. In hindsight each call goes to its tier at once: what costs less than "
        "that gave calls to a weaker tier."
    ),
)


class Routing:
    """Takes in runs one by one; see `answer`."""

    def __init__(self, settings: RoutingSettings | None = None) -> None:
        self._settings = settings or RoutingSettings()
        self._runs = 0
        self._calls, self._counted, self._blind = Tally(), Tally(), Tally()
        self._pairs = {(a, b): Tally() for a in TIERS for b in TIERS}
        self._by_tier = {tier: Tally() for tier in TIERS}
        self._differ, self._asked = Tally(), Tally()
        self._weaker = {name: Tally() for name in self._ways()}
        self._costs = {name: Tally() for name in self._ways()}
        self._tokens = {(tier, kind): Tally() for tier in TIERS for kind in ("given", "made")}
        self._shown: list[Row] = []

    def _ways(self) -> tuple[str, ...]:
        always = (f"always {tier}" for tier in TIERS)
        return (RECORDED, *always, ROUTED, CASCADED, HINDSIGHT)

    def add(self, run: Run) -> None:
        """Take in one run."""
        self._runs += 1
        for found in calls_of(run, self._settings):
            if isinstance(found, ModelCall):
                self._blind.add(found.source)
            else:
                self._add(found)

    def _add(self, routed: Routed) -> None:
        source, ask = routed.call.source, routed.ask.tier
        self._calls.add(source)
        if routed.counted:
            self._counted.add(source)
        self._pairs[ask, routed.tier].add(source)
        self._by_tier[routed.tier].add(source)
        self._tokens[routed.tier, "given"].add(source, routed.given)
        self._tokens[routed.tier, "made"].add(source, routed.made)
        for name, cost in self._priced(routed):
            self._costs[name].add(source, cost)
        for name, tier in (*((f"always {each}", each) for each in TIERS), (ROUTED, ask)):
            if TIERS.index(tier) < TIERS.index(routed.tier):
                self._weaker[name].add(source)
        if ask != routed.tier:
            self._differ.add(source)
            if len(self._shown) < SHOWN:
                self._shown.append(_shown(routed))

    def _priced(self, routed: Routed) -> Iterator[tuple[str, float | None]]:
        settings = self._settings
        yield RECORDED, routed.cost
        for tier in TIERS:
            yield f"always {tier}", at_tier(routed, tier, settings)
        question = classified(routed, settings)
        reply = at_tier(routed, routed.ask.tier, settings)
        both = None if question is None or reply is None else question + reply
        if question != 0:
            self._asked.add(routed.call.source, question)
        yield ROUTED, both
        yield CASCADED, cascaded(routed, settings)
        yield HINDSIGHT, at_tier(routed, routed.tier, settings)

    def answer(self) -> Answer:
        """The calls by tier, what each way to route them costs, and where tiers disagree."""
        calls = self._calls.counted("calls", "call", "model calls with their reply")
        differ = self._differ.counted(
            "tiers disagree", "call", "calls whose ask foretold another tier than the reply showed"
        )
        part = share("share that disagrees", differ, calls, "calls whose tiers disagree, of all")
        how = "questions of the router by call"
        asked = self._asked.summed("classification", "usd", how, _NO_PRICE)
        counted = self._counted.counted("counted", "call", "calls whose tokens are recorded")
        return Answer(
            topic="routing",
            title="Routing",
            question="What would the calls have cost if each had gone to the cheapest model?",
            runs=self._runs,
            figures=(calls, counted, differ, part, asked),
            tables=(self._ways_table(), self._tiers(), self._against(), self._disagree()),
            settings=self._told(),
            notes=(*self._unmapped(), *_NOTES),
            open=tuple(self._open()),
        )

    def _ways_table(self) -> Table:
        columns = (
            Column("way"),
            Column("cost", "usd"),
            Column("less than recorded", "usd"),
            Column("of recorded", "share"),
            Column("to a weaker tier", "call"),
        )
        first = self._cost(RECORDED)
        rows = [Row((RECORDED, first, None, None, None))]
        for name in self._ways()[1:]:
            cost = self._cost(name)
            how = "calls that went to a weaker tier than that in hindsight"
            weaker = self._weaker[name].counted(f"{name}: weaker", "call", how)
            rows.append(Row((name, cost, *_compared(name, cost, first), weaker)))
        return Table("Ways to route", columns, tuple(rows), says="All calls, with their tokens.")

    def _cost(self, name: str) -> Figure:
        why = _UNPRICED if name == RECORDED else _NO_PRICE
        return self._costs[name].summed(f"{name}: cost", "usd", "the cost of each call", why)

    def _tiers(self) -> Table:
        columns = (
            Column("tier in hindsight"),
            Column("model"),
            Column("calls", "call"),
            Column("of all", "share"),
            Column("input", "token"),
            Column("output", "token"),
        )
        calls = self._calls.counted("calls", "call", "")
        rows = tuple(Row((tier, *self._tier(tier, calls))) for tier in TIERS)
        return Table("Tiers", columns, rows)

    def _tier(self, tier: Tier, calls: Figure) -> Iterator[str | Figure | None]:
        how = "calls of this tier by their replies"
        count = self._by_tier[tier].counted(f"{tier}: calls", "call", how)
        yield self._settings.models.get(tier)
        yield count
        yield share(f"{tier}: of all", count, calls, "calls of this tier, of all")
        for kind, name in (("given", "input"), ("made", "output")):
            tokens = self._tokens[tier, kind]
            yield tokens.summed(f"{tier}: {name}", "token", f"tokens {kind} of each call")

    def _against(self) -> Table:
        columns = (
            Column("foretold by the ask"),
            *(Column(f"{tier} in hindsight", "call") for tier in TIERS),
        )
        rows = tuple(Row((ask, *(self._pair(ask, tier) for tier in TIERS))) for ask in TIERS)
        return Table("Beforehand against hindsight", columns, rows)

    def _pair(self, ask: Tier, tier: Tier) -> Figure:
        how = f"calls foretold {ask} that were {tier}"
        return self._pairs[ask, tier].counted(f"{ask} then {tier}", "call", how)

    def _disagree(self) -> Table:
        columns = (
            Column("foretold"),
            Column("in hindsight"),
            Column("output", "token", "tokens of the reply, recorded or estimated"),
            Column("model"),
            Column("ask"),
        )
        more = self._differ.count - len(self._shown)
        return Table("Calls whose tiers disagree", columns, tuple(self._shown), more)

    def _told(self) -> dict[str, str | int | float]:
        settings = self._settings
        told: dict[str, str | int | float] = {
            "small below tokens": settings.small_below,
            "large above tokens": settings.large_above,
            "words that reason": settings.reasoning_words,
            "words of a short ask": settings.short_words,
            "classified": settings.classify,
            "prices": prices_dated(),
        }
        told |= {f"model for {tier}": model for tier, model in settings.models.items()}
        if settings.model:
            told["model where none is named"] = settings.model
        return told

    def _unmapped(self) -> Iterator[str]:
        bare = [tier for tier in TIERS if tier not in self._settings.models]
        if bare:
            told = f"No model is configured for {', '.join(bare)}"
            yield f"{told}: name one for each tier under [what-if.routing.models]."

    def _open(self) -> Iterator[Open]:
        total, blind = self._calls.count, self._blind.count
        unpriced = self._costs[RECORDED].unknown
        told = (
            ("No reply is recorded", "no tier can be told", blind, total + blind),
            ("Usage is not recorded", "tokens are estimates", total - self._counted.count, total),
            ("The cost is not known", _UNPRICED, unpriced, total),
        )
        for text, so, count, whole in told:
            if count:
                yield Open("not-carried", f"{text} of {count:,} of {whole:,} calls: {so}.")
        if not total:
            yield Open("not-exercised", "No run records a model call with its reply.")


def _compared(name: str, cost: Figure, first: Figure) -> tuple[Figure | None, Figure | None]:
    """A cost against the recorded one; nothing where either is not known of every call."""
    if cost.at_least or first.at_least:
        return None, None
    less = difference(f"{name}: saved", first, cost, "what it costs less than recorded")
    return less, share(f"{name}: of recorded", cost, first, "its cost by the recorded cost")


def _shown(routed: Routed) -> Row:
    cells = (
        routed.ask.tier,
        routed.tier,
        routed.made,
        model_name(routed.call),
        excerpt(routed.asked, most=120),
    )
    return Row(cells, (routed.call.source,))
