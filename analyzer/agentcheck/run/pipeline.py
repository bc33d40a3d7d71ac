"""The pipeline itself, of a run that has to look for itself; see `agentcheck.run`."""

from __future__ import annotations

from agentcheck.config import Settings
from agentcheck.config.rule_tables import rule_options
from agentcheck.crosscheck import crosscheck
from agentcheck.model.report import Report
from agentcheck.run.ask import Asker
from agentcheck.run.assemble import assemble
from agentcheck.run.baseline import read_baseline, with_renames
from agentcheck.run.code import read_code
from agentcheck.run.examined import examined, in_parts
from agentcheck.run.findings import Lens, make_findings
from agentcheck.run.focus import Focus
from agentcheck.run.memory import Memory
from agentcheck.run.profile import infer_profile
from agentcheck.run.request import Request, Tell
from agentcheck.run.select import answerable, known_rules, selected
from agentcheck.run.since import read_changes
from agentcheck.run.suppress import Suppressor
from agentcheck.run.traces import read_traces, require_traces
from agentcheck.run.watch import Watch


def look(request: Request, settings: Settings, tell: Tell, memory: Memory) -> Report:
    """Read, link, ask and report; what is worth it goes into the memory. Raises UsageError."""
    known = known_rules()
    rules = answerable(selected(known, settings), request, settings)
    asker = Asker(rules, rule_options(known, settings))
    baseline = read_baseline(settings.baseline)
    require_traces(request.traces)
    watch = Watch(request, settings)

    of_tests = any(rule.card.of_tests for rule in rules)
    memory.recall()
    whole = not in_parts(request)
    code = read_code(request, settings, tell, memory, tests=of_tests, link=whole)
    watch.know(code.graph)
    changes = read_changes(request.since, code.root)
    baseline = with_renames(baseline, code.root)
    traced = read_traces(request, code, settings, asker, watch, tell)
    tell(f"asking {len(asker.rules)} rules")
    found = examined(request, settings, asker, code, memory)

    files, answers = code.files, found.answers
    profile = infer_profile(code.root, files, found.clues, settings.profile, answers)
    joined = crosscheck(answers, traced.said, code.graph)
    if request.runs_only:
        joined = [one for one in joined if "trace" in one.known_by]
    suppressor = Suppressor(files, settings, baseline)
    lens = Lens(suppressor, Focus(settings.focus, rules), known, baseline, changes)
    findings = make_findings(joined, profile, settings, lens)

    report = assemble(request, asker, found, traced, profile, findings, lens, settings)
    if not asker.failed:
        memory.keep(report, code)
    if request.verify is not None:
        from agentcheck.run.verify import Known, with_verified

        there = Known(findings.names, frozenset(rule.name for rule in asker.rules))
        report = with_verified(report, request.verify, there, tell)
    return watch.told(report, asker.rules)
