"""The audit as Markdown."""

from __future__ import annotations

import re

import msgspec
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE, code, finding
from tests.report_samples import clean, hostile, large, make, ordinary

from agentcheck.model.diagram import Diagram, Edge, Node
from agentcheck.model.finding import Acceptance
from agentcheck.model.report import Asked, Note, Report, ReportedAssessment
from agentcheck.report import render

OURS = re.compile(
    r'<!-- agentcheck -->|<!-- -->|<a id="f\d+">|</a>|</?details>|</?summary>'
    r"|\d+ questions with nothing here to ask of"
)
WORST = ("&" * 5_000, "\U000e0041" * 5_000, "@a" * 5_000, "`" * 5_000, "a\n" * 5_000, "|" * 5_000)


def tokens(text: str) -> list[Token]:
    """Blocks and inlines of a page, in order, read as GitHub reads them."""
    found: list[Token] = []
    for token in (
        MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    ):
        found += [token, *(token.children or [])]
    return found


def shape(text: str) -> list[tuple[str, str]]:
    """What a page is built of, without its words."""
    plain = ("text", "code_inline", "html_inline", "text_special", "inline", "softbreak")
    return [(token.type, token.tag) for token in tokens(text) if token.type not in plain]


def test_an_audit_reads_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "markdown") == snapshot


def test_a_clean_audit_reads_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(clean(), "markdown") == snapshot


@pytest.mark.parametrize("text", [*filter(str.strip, HOSTILE), "\n".join(HOSTILE)])
def test_no_text_of_the_target_changes_the_page(text: str) -> None:
    page = render(hostile(text), "markdown")
    assert shape(page) == shape(render(hostile("harmless"), "markdown"))
    for token in tokens(page):
        if token.type in ("html_inline", "html_block"):
            assert not OURS.sub("", token.content).replace("The acceptance test", "").strip()


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE), "GH-12 x#9 WWW.evil.example"])
def test_no_text_of_the_target_links_or_calls_anybody(text: str) -> None:
    page = render(hostile(text), "markdown")
    assert "<!-- agentcheck -->" in page.splitlines()[0]
    for token in tokens(page):
        assert token.type not in ("link_open", "image")
        if token.type == "text":
            assert not re.search(r"(?i)@\w|://|www\.|#\d|gh-\d", token.content)


def test_code_spans_of_a_sentence_stay_code() -> None:
    sure = finding(1, (code(1, "x", "calls `run()` twice", role="primary"),), message="`a_b` is *")
    page = render(make((sure,)), "markdown")
    assert "calls `run()` twice" in page
    assert r"`a_b` is \*" in page


def test_a_bar_stays_within_its_cell() -> None:
    base = make(())
    met = ReportedAssessment("no-timeout", "no-timeout", "a|b", "met", "`x | y` \\| z", ())
    page = render(msgspec.structs.replace(base, assessments=(met,)), "markdown")
    widths = {
        sum(token.type in ("td_open", "th_open") for token in row) for row in _rows(tokens(page))
    }
    assert widths == {8}
    assert "a&#124;b" in page


def _rows(found: list[Token]) -> list[list[Token]]:
    rows: list[list[Token]] = []
    for token in found:
        if token.type == "tr_open":
            rows.append([])
        elif rows:
            rows[-1].append(token)
    return rows


def test_places_are_links_when_it_is_known_where_to() -> None:
    long = code(4, "call(", "here", role="primary", end_line=6, file="a b/(c).py")
    base = "https://git.example/desk/blob/6f0c2d4"
    page = render(make((finding(1, (long,)),)), "markdown", link_base=base, prefix="src")
    assert f"[`a b/(c).py:4`]({base}/src/a%20b/%28c%29.py#L4-L6)" in page
    lab = render(
        make((finding(1, (long,)),)), "markdown", link_base="https://lab.example/d/-/blob/6"
    )
    assert "(https://lab.example/d/-/blob/6/a%20b/%28c%29.py#L4-6)" in lab


def test_all_findings_and_fingerprints_are_there() -> None:
    report = ordinary()
    page = render(report, "markdown")
    for item in report.findings:
        assert re.search(rf"\b{item.id}\b", page)
        assert f"`{item.fingerprint}`" in page


@pytest.mark.parametrize("limit", [65_536, 20_000])
@pytest.mark.parametrize("count", [60, 1500])
def test_what_does_not_fit_is_counted(limit: int, count: int) -> None:
    page = render(large(count), "markdown", limit=limit)
    assert len(page) < limit
    shown = len(re.findall(r"^### F\d+ ", page, re.MULTILINE))
    listed = len(re.findall(r"^- F\d+ ", page, re.MULTILINE))
    assert shown > 0
    assert f"And {count - shown:,} more findings, not shown in full" in page
    more = re.search(r"^- and ([\d,]+) more findings, not listed", page, re.MULTILINE)
    assert listed + (int(more[1].replace(",", "")) if more else 0) == count
    brief = re.findall(r"^- \*\*F(\d+)\*\* ", page, re.MULTILINE)
    assert [int(number) for number in brief] == [*range(shown + 1, shown + 1 + len(brief))]
    left = count - shown - len(brief)
    assert not left or f"- and {left} more\n" in page
    assert [int(n) for n in re.findall(r"^### F(\d+) ", page, re.MULTILINE)] == [
        *range(1, shown + 1)
    ]


def test_acceptance_tests_give_way_to_findings() -> None:
    proof = Acceptance("it ends", "def test_it():\n" + "    step()\n" * 200)
    found = tuple(msgspec.structs.replace(item, acceptance=proof) for item in large(24).findings)
    page = render(make(found), "markdown")
    assert len(page) < 65_536
    assert len(re.findall(r"^### F\d+ ", page, re.M)) == 24
    folded = page.count("<summary>The acceptance test</summary>")
    assert 0 < folded < 24
    assert page.count("`agentcheck tests` writes the acceptance test") == 24 - folded


def test_without_a_limit_nothing_is_left_out() -> None:
    page = render(large(200), "markdown", limit=None)
    assert len(page) > 65_536
    assert len(re.findall(r"^### F\d+ ", page, re.MULTILINE)) == 200
    assert "want of room" not in page


@pytest.mark.parametrize("text", WORST)
def test_long_hostile_texts_do_not_break_the_limit(text: str) -> None:
    page = render(hostile(text), "markdown")
    assert len(page) < 65_536
    assert shape(page)[:4] == shape(render(hostile("harmless"), "markdown"))[:4]


@pytest.mark.parametrize("text", WORST)
def test_many_notes_and_questions_do_not_break_the_limit(text: str) -> None:
    notes = tuple(Note(f"{text}.py", line, 1, "unused-ignore", text) for line in range(1, 200))
    asked = tuple(Asked(text, (text,), (text,)) for _ in range(200))
    report = msgspec.structs.replace(large(40), notes=notes, asked=asked)
    page = render(report, "markdown")
    assert len(page) < 65_536
    assert "## Comments that accept findings" in page
    assert re.search(r"^### F1 ", page, re.M)


def test_suppressed_hidden_and_skipped_are_told() -> None:
    page = render(ordinary(), "markdown")
    assert "(not shown: 1 ignored, 1 in the baseline, 11 below the shown level)" in page
    assert "- `desk/old.py`: not valid Python: line 3, column 7" in page
    assert "- Does every model call end after a set time? Of `desk.search`: made elsewhere" in page


def _with(*answers: tuple[str, str]) -> Report:
    made = tuple(ReportedAssessment(r, r, "s", v, "w", ()) for r, v in answers)  # type: ignore[arg-type]
    return msgspec.structs.replace(clean(), assessments=made)


def test_a_question_stands_as_its_gravest_answer() -> None:
    page = render(
        _with(
            ("unbounded-loop", "met"),
            ("unbounded-loop", "not-met"),
            ("no-timeout", "met"),
            ("no-timeout", "met-differently"),
            ("handoff-race", "met"),
            ("handoff-race", "cannot-tell"),
            ("tool-args-unguarded", "met"),
            ("tool-args-unguarded", "not-applicable"),
            ("unguarded-side-effect", "partly"),
            ("unguarded-side-effect", "cannot-tell"),
            ("unbacked-success-claim", "partly"),
            ("unbacked-success-claim", "not-met"),
        ),
        "markdown",
    )
    assert (
        "6 questions: 2 met (1 of them a different way), 1 partly, 2 not met, 1 cannot tell, "
        "0 not applicable." in page
    )
    assert "| AC104 | Does every model call end after a set time? | met differently | 2 |" in page


def test_every_question_is_in_the_matrix_once_and_those_without_a_subject_are_folded() -> None:
    report = ordinary()
    page = render(report, "markdown")
    matrix, _, folded = page[page.index("\n## Questions") :].partition("<details>")
    assert "2 questions with nothing here to ask of</summary>" not in matrix
    for question in report.questions:
        row, line = f"| {question.code} |", f"- {question.code} {question.question}"
        assert (row in matrix) + (line in folded) == 1
    assert "| F1; met: desk.plan.draft: bounded by 8 (`desk/loop.py:30`) |" in matrix


GRAPH = Diagram(
    title="desk",
    nodes=(
        Node(id="a", kind="agent", label="```\n# Owned", file="desk.py", line=3),
        Node(
            id="b",
            kind="effect-tool",
            label='refund"]; click a "javascript:x"',
            file="b.py",
            line=1,
        ),
    ),
    edges=(Edge(source="a", target="b", kind="uses", file="desk.py", line=4),),
)


def test_the_agent_graph_is_a_picture_that_no_name_gets_out_of() -> None:
    page = render(make((), graph=GRAPH), "markdown")
    fences = [token for token in tokens(page) if token.type == "fence"]
    assert [token.info for token in fences] == ["mermaid"]
    assert "refund#34;#93;#59; click a" in fences[0].content
    assert "1 agent, 1 tool (1 changing the world)." in page
    assert "mermaid" not in render(make(()), "markdown")


@pytest.mark.parametrize("limit", [20_000, 65_536])
def test_a_graph_too_large_for_the_page_is_folded_and_says_so(limit: int) -> None:
    names = [f"agent {number} " + "x" * 90 for number in range(900)]
    nodes = tuple(
        Node(id=name, kind="agent", label=name, file=f"{name}.py", line=1) for name in names
    )
    drawn = Diagram(title="y" * 5_000, nodes=nodes, edges=())
    report = msgspec.structs.replace(large(60), graph=drawn)
    page = render(report, "markdown", limit=limit)
    assert len(page) < limit
    assert re.search(
        r"^900 agents\. Too large for Mermaid: \d+ more nodes are left out", page, re.M
    )
    assert re.search(r"^### F1 ", page, re.M)
