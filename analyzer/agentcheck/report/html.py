"""The audit as one HTML file: nothing is loaded, nothing is sent, and it reads without scripts.

Every text from the target is escaped by the templates and shown with its control characters
visible. The page's own style sheets and script are named by their hashes in its content security
policy, so that nothing else could run even if something got through.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from agentcheck.model.card import CONFIDENCES, PRIORITIES, SEVERITIES
from agentcheck.model.finding import Finding
from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Report
from agentcheck.report import cases_words, runs_words, whatif_words, words
from agentcheck.report.escape import one_line, visible
from agentcheck.report.html_frames import html_frames, link
from agentcheck.report.html_runs import drawing
from agentcheck.report.markdown_text import SPAN
from agentcheck.report.options import Options
from agentcheck.report.overview import counted, known_by, overview, runs_of, urgent

if TYPE_CHECKING:
    from jinja2 import Environment

_STYLE = lazy_re(r"<style>(.*?)</style>", re.DOTALL)


def page(report: Report, options: Options) -> str:
    """The audit as a page that stands alone."""
    from markupsafe import Markup

    css = "\n".join(map(asset, ("audit.css", "runs.css", "whatif.css")))
    js = asset("audit.js")
    graph = _graph(report)
    styles = [css, *_STYLE.findall(graph)]
    context = overview(report)
    findings = context["findings"]
    return (
        templates()
        .get_template("audit.html.j2")
        .render(
            context,
            policy=security_policy(styles, js),
            frames=lambda finding: html_frames(finding.evidence, options),
            link=lambda item: link(item, options),
            css=Markup(css),  # noqa: S704 the project's own files
            js=Markup(js),  # noqa: S704
            graph=Markup(graph),  # noqa: S704 the drawing escapes what it shows
            tiles=counted(findings),
            unseen_count=sum(f.suppressed is not None for f in report.findings)
            + report.summary.hidden
            + report.summary.outside,
            first=urgent(findings),
            idle=[row for row in context["rows"] if row.verdict == "not-applicable"],
            facets=list(_facets(findings)),
            told=report.expectations and cases_words.counted(report.expectations),
            aside=[finding for finding in report.findings if finding.suppressed],
        )
    )


def _graph(report: Report) -> str:
    if report.graph is None or not report.graph.nodes:
        return ""
    from agentcheck.report.diagram import render_diagram

    return render_diagram(report.graph, "svg")


def security_policy(styles: list[str], script: str = "") -> str:
    """What a page may load and run: these style sheets and this script of its own, nothing else."""
    allowed = " ".join(map(_hash, styles))
    runs = _hash(script) if script else "'none'"
    return (
        f"default-src 'none'; style-src {allowed}; script-src {runs}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    """A source of the content security policy (CSP level 3, hash-source)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def asset(name: str) -> str:
    """A style sheet or script of the project's own."""
    return files("agentcheck_templates").joinpath(name).read_text("utf-8").strip()


@cache
def templates() -> Environment:
    """Templates that escape every text from the target and show its control characters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("agentcheck_templates", ""),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"code": _code, "prose": _prose, "path": _path}
    made.globals |= {
        "files_of": words.files_of,
        "plural": words.plural,
        "place": words.place,
        "runs_of": runs_of,
        "known_by": known_by,
        "ran_of": words.ran,
        "answered": words.answered,
        "owned": words.owned,
        "fix_option": words.fix_option,
        "noted": words.noted,
        "w": runs_words,
        "drawing": drawing,
        "whatif": whatif_words,
        "case_place": cases_words.place,
    }
    return made


def _shown(value: Any) -> Any:
    """A text on one line with its control characters visible; the template escapes it for HTML."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return one_line(value) if "\n" in value else visible(value)
    return value


def _code(text: str) -> Any:
    """Code of several lines, escaped, its line ends kept."""
    from markupsafe import Markup, escape

    lines = (escape(visible(line.expandtabs(4))) for line in text.rstrip().split("\n"))
    return Markup("\n").join(lines)


def _prose(text: str) -> Any:
    """A sentence, what it quotes between backticks set as code."""
    from markupsafe import Markup, escape

    made, end, line = Markup(), 0, one_line(text)
    for match in SPAN.finditer(line):
        made += escape(line[end : match.start()]) + Markup("<code>{}</code>").format(match[2])
        end = match.end()
    return made + escape(line[end:])


def _path(text: str) -> Any:
    """A path or a dotted name that may go on in a new line behind a slash, and before a dot."""
    from markupsafe import Markup, escape

    shown = str(escape(one_line(text)))
    return Markup(shown.replace("/", "/<wbr>"))  # noqa: S704 it is escaped above


def _facets(findings: tuple[Finding, ...]) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """What findings can be filtered by: the attribute, its legend, and its values with words."""
    yield "priority", "Priority", _values(PRIORITIES, {f.priority for f in findings})
    yield "severity", "Severity", _values(SEVERITIES, {f.severity for f in findings})
    yield "confidence", "Confidence", _values(CONFIDENCES, {f.confidence.defect for f in findings})
    known = {witness for finding in findings for witness in finding.known_by}
    yield "known", "Known by", _values(("code", "trace", "run"), known)
    verdicts = ("confirmed", "contradicted", "not-exercised", "not-checkable", "no-runs")
    yield "runs", "Recorded runs", _values(verdicts, {f.trace.verdict for f in findings})
    rules = {finding.rule: finding.code for finding in findings}
    yield "rule", "Rule", [(rule, rule) for rule in sorted(rules, key=lambda r: rules[r])]


def _values(order: tuple[str, ...], there: set[Any]) -> list[tuple[str, str]]:
    return [(value, value.replace("-", " ")) for value in order if value in there]
