"""A fleet on a terminal: one line a target by rank, what failed, and the rules that fire most."""

from __future__ import annotations

from agentcheck.model.fleet import Fleet, FleetTarget
from agentcheck.report import fleet_words as w
from agentcheck.report.canvas import Canvas, filled
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import plural

_HEADS = (("fix now", 8), ("high", 6), ("all", 6), ("/1000 lines", 12), ("since", 9))
_NUMBERS = sum(width for _, width in _HEADS)
_ROWS, _RULES = 40, 5


def page(fleet: Fleet, options: Options) -> str:
    """The whole table; `verbose` leaves nothing out."""
    canvas = Canvas(options)
    done = [target for target in fleet.targets if target.status == "done"]
    most = len(done) if options.verbose else _ROWS
    width = min(max((len(w.short(t)) for t in done), default=6), max(canvas.width - _NUMBERS, 16))
    if done:
        heads = "".join(filled(head, size, right=True) for head, size in _HEADS)
        canvas.line((filled("target", width) + heads, "bold"))
    for target in done[:most]:
        _row(canvas, target, width)
    if len(done) > most:
        canvas.line((f"and {plural(len(done) - most, 'more target')}; -v shows all", "dim"))
    for target in w.failures(fleet):
        said = one_line(f"{target.name}: {target.reason}")
        canvas.flow((("failed ", "bold red"), (said, "")), hang=4)
    _rules(canvas, fleet, len(fleet.rules) if options.verbose else _RULES)
    canvas.flow(((w.total(fleet), "bold"),), hang=2)
    return canvas.text()


def _row(canvas: Canvas, target: FleetTarget, width: int) -> None:
    dense = "" if target.per_1000_lines is None else f"{target.per_1000_lines:.2f}"
    counts = (f"{target.fix_now:,}", f"{target.high:,}", f"{target.findings:,}")
    cells = zip((*counts, dense, w.moved(target)), _HEADS, strict=True)
    numbers = "".join(filled(text, size, right=True) for text, (_, size) in cells)
    style = "red" if target.fix_now else ("yellow" if target.findings else "green")
    canvas.line((filled(one_line(w.short(target)), width), style), (numbers, ""))


def _rules(canvas: Canvas, fleet: Fleet, most: int) -> None:
    for rule in fleet.rules[:most]:
        spread = f"{plural(rule.findings, 'finding')} in {plural(rule.targets, 'target')}"
        canvas.flow(((f"{rule.code} {rule.rule}: ", "dim"), (spread, "dim")), hang=2)
