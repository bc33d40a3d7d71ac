"""Files with one fault each: its test fails today for that fault, and passes once it is mended."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.acceptance_samples import PROJECT
from tests.run_targets import scan

from agentcheck.acceptance import generate
from agentcheck.acceptance.scenarios import SCENARIOS, TOPICS
from agentcheck.acceptance.verify import Said, play_tests
from agentcheck.config import Settings
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding

FAULTY = PROJECT / "fixtures" / "agents" / "single_faults"
MENDED = PROJECT / "fixtures" / "agents" / "single_faults_mended"
WHY = {
    "approval_by_default": "answer ran pay_back with nobody asked, as if somebody had said yes",
    "approval_by_default_in_a_tool": "drop_note writes text though nobody said yes",
    "approval_kept_by_name": "answer ran pay_back again with other arguments, 2 times on 1",
    "choices_unguarded": "a chunk without choices ended answer: IndexError",
    "compaction_drops_system": "request 11 of answer no longer has the system message",
    "content_logged": "answer wrote to its log what was asked or answered",
    "denied_call_unanswered": "answer answered 0 of 2 calls that were denied",
    "empty_content_unguarded": "a reply without text ended answer: AttributeError",
    "finish_reason_unchecked": "answer gives the same result for finish_reason 'length' as for",
    "history_cut_splits_calls": "the provider would refuse what answer sends: request 9",
    "missing_import_target": "missing_import_target.py cannot be imported: cannot import name",
    "no_budget": "answer takes no budget of tokens or money",
    "parallel_calls_dropped": "one reply made 2 calls, and answer answered but 1 of them",
    "provider_error_unhandled": "one status 500 ended talk",
    "recursion_unbounded": "answer did not end by itself: it asked the model more than 60",
    "refusal_retried": "answer made a request that was refused by the model 3 times",
    "reply_parsed_unguarded": "a reply that is no JSON ended plan: JSONDecodeError",
    "retry_unbounded": "answer asked a provider that only fails with 500 more than 60 times",
    "shared_history": "the first request of another caller of chat holds",
    "shell_or_eval_tool": "report starts what the model wrote: /bin/sh -c agentcheck_7341",
    "tool_args_unguarded": "arguments that are no JSON ended answer",
    "tool_blocks_event_loop": "weigh_parcel sleeps 5 s in the thread of the event loop",
    "tool_choice_never_released": "each of the 20 requests of answer demanded a tool call",
    "tool_content_logged": "answer wrote to its log what look_up was told or answered",
    "tool_error_ends_run": "a tool that raised ended answer",
    "tool_output_as_instructions": "answer told the model in the words of the user what look_up",
    "tool_returns_nothing": "keep_in_mind returned None",
    "unbounded_context": "request 30 of talk holds more than 200000 tokens",
    "unbounded_loop": "answer did not end by itself: it asked the model more than 60",
    "unconfined_path_tool": "save_note writes a file of another folder that was named outright",
    "unconfined_url_tool": "read_page asked 169.254.169.254 because the model named it",
    "unguarded_side_effect": "answer ran pay_back, and nobody was asked",
    "unknown_tool_crashes": "a tool that does not exist ended Desk.run: AttributeError",
    "usage_unread": "the result of answer holds none of the sums [107, 3111, 3218]",
}


SHAPES = ("runner", "entry", "tool", "module")


class Played(NamedTuple):
    """What the test of each file's own fault says of it, and of the file once it is mended."""

    today: dict[str, Said]
    mended: dict[str, Said]


def own(findings: tuple[Finding, ...]) -> list[Finding]:
    """Those findings that are about the fault for which their file is named."""
    found = []
    for finding in findings:
        place = finding.primary
        topic = finding.topic.replace("-", "_")
        if isinstance(place, CodeEvidence) and Path(place.file).stem.startswith(topic):
            found.append(finding)
    return found


@pytest.fixture(
    scope="module", params=["a stand-in", pytest.param("the SDK", marks=pytest.mark.slow)]
)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """With the client of OpenAI's SDK, and as where that is not installed: much quicker."""
    folder = tmp_path_factory.mktemp("single_faults")
    if request.param == "a stand-in":
        (folder / "openai.py").write_text("raise ImportError('it is hidden')")
    findings = own(scan(FAULTY, Settings(persona="auditor")).findings)
    written = generate.write_tests(findings, FAULTY, folder)
    about = {  # of two findings in one file, the last
        path.name: Path(place.file).stem
        for path, finding in zip(written, findings, strict=True)
        if isinstance(place := finding.primary, CodeEvidence)
    }
    runs = [play_tests(written, target, sys.executable, 60) for target in (FAULTY, MENDED)]
    return Played(*({about[name]: said for name, said in run.items()} for run in runs))


def test_every_file_has_its_test(played: Played) -> None:
    files = {path.stem for path in FAULTY.glob("*.py")} - {"desk"}
    assert set(played.today) == files == set(WHY)


@pytest.mark.parametrize("fault", sorted(WHY))
def test_the_test_of_a_fault_fails_today_and_passes_once_it_is_mended(
    fault: str, played: Played
) -> None:
    assert played.today[fault].verdict == "fails", played.today[fault]
    assert played.today[fault].why.startswith(WHY[fault])
    assert played.mended[fault] == Said("passes")


def test_no_file_was_written_and_no_money_paid_back(played: Played) -> None:
    assert played.today
    left = [p for p in FAULTY.parent.rglob("*") if p.suffix == ".txt" and "paid" in p.name]
    assert left == []


def test_the_page_lists_the_topics_of_each_way_to_run() -> None:
    page = (PROJECT / "docs" / "testing.md").read_text(encoding="utf-8")
    table = page.partition("| what is run | topics |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`([a-z-]+)`", row) for row in table.splitlines()[2:]]
    wanted = [[s.topic for s in SCENARIOS if s.shape == shape] for shape in SHAPES]
    assert [sorted(row) for row in rows] == [sorted(topics) for topics in wanted]
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert f"a finding that a run can show: {len(TOPICS)}\n" in readme


def test_the_rules_have_nothing_more_to_say_of_what_is_mended() -> None:
    assert own(scan(MENDED, Settings(persona="auditor")).findings) == []
