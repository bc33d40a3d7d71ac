"""The mended parcel desk keeps the promises that its faulty twin breaks."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from agentcheck.testing import Call, Failure, Reply, ScriptedModel, asks, sequence
from agentcheck.testing.standin import stand_in

AGENTS = Path(__file__).parents[1] / "fixtures" / "agents"
ASK = [{"role": "user", "content": "Please pay me back for P-1."}]
METHODS = ["run", "run_and_stream"]


@pytest.fixture(autouse=True)
def own_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both desks use the same module names: each test starts and ends without them."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in {"relay", "tools", "main", "claims"}:
            del sys.modules[name]


def desk(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(AGENTS / name)
    monkeypatch.syspath_prepend(AGENTS / name / "app")
    return importlib.import_module(module)


@pytest.fixture
def relay(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return desk("parcel_desk_mended", "relay", monkeypatch)


def run(runner: Any, method: str, agent: Any, **limits: int) -> Any:
    result = getattr(runner, method)(agent, ASK, **limits)
    return result if method == "run" else list(result)[-1]["response"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("says_yes", [True, False])
def test_a_refund_waits_for_a_yes(relay: ModuleType, method: str, says_yes: bool) -> None:
    paid, asked = [], []

    def refund(parcel: str) -> str:
        paid.append(parcel)
        return f"Paid back {parcel}."

    def approve(name: str, arguments: dict[str, Any]) -> bool:
        asked.append((name, arguments))
        return says_yes

    model = ScriptedModel(sequence(asks(Call("refund", {"parcel": "P-1"}))))
    agent = relay.Agent(functions=[refund], ask_first={"refund"})
    run(relay.Relay(client=stand_in(model), approve=approve), method, agent)
    assert asked == [("refund", {"parcel": "P-1"})]
    assert paid == (["P-1"] if says_yes else [])
    [answer] = model.requests[1].answers.values()
    assert answer.startswith("Paid" if says_yes else "Denied")


@pytest.mark.parametrize("method", METHODS)
def test_the_budget_ends_a_run_and_usage_is_the_sum(relay: ModuleType, method: str) -> None:
    def track() -> str:
        return "on its way"

    model = ScriptedModel(Reply(calls=(Call("track"),), usage=(10, 5)))
    agent = relay.Agent(functions=[track])
    response = run(relay.Relay(client=stand_in(model)), method, agent, token_budget=40)
    assert response.stop_reason == "token_budget"
    assert (response.usage.calls, response.usage.total) == (3, 45)
    assert response.messages[-1]["role"] == "tool"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
def test_the_result_says_why_it_stopped(relay: ModuleType, method: str, reason: str) -> None:
    model = ScriptedModel(Reply("Well", finish=reason, usage=(10, 5)))
    response = run(relay.Relay(client=stand_in(model)), method, relay.Agent())
    assert (response.stop_reason, response.usage.total) == (reason, 15)


@pytest.mark.parametrize("method", METHODS)
def test_a_provider_that_fails_leaves_the_conversation(relay: ModuleType, method: str) -> None:
    def track() -> str:
        return "on its way"

    model = ScriptedModel(sequence(asks("track"), then=Failure(500)))
    response = run(relay.Relay(client=stand_in(model)), method, relay.Agent(functions=[track]))
    assert response.stop_reason == "provider_error"
    assert response.error.startswith("Error code: 500")
    assert [message["role"] for message in response.messages] == ["assistant", "tool"]


def test_an_unknown_keyword_is_dropped_by_the_faulty_desk_and_refused_by_the_mended(
    monkeypatch: pytest.MonkeyPatch, relay: ModuleType
) -> None:
    with pytest.raises(ValidationError):
        relay.Agent(description="You look for lost parcels.")
    for name in [name for name in sys.modules if name.partition(".")[0] == "relay"]:
        del sys.modules[name]
    faulty = desk("parcel_desk", "relay", monkeypatch)
    agent = faulty.Agent(description="You look for lost parcels.")
    assert agent.instructions == faulty.Agent().instructions


@pytest.mark.parametrize("app", ["main", "claims"])
def test_the_mended_programs_start(app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk("parcel_desk_mended", app, monkeypatch).talk


def test_one_faulty_program_imports_a_module_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert desk("parcel_desk", "main", monkeypatch).talk
    with pytest.raises(ModuleNotFoundError, match=r"relay\.presets"):
        desk("parcel_desk", "claims", monkeypatch)


def test_the_recorded_runs_are_what_the_faulty_desk_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    main = desk("parcel_desk", "main", monkeypatch)
    agents = {main.front_desk.name, main.depot.name, main.refunds.name}
    lines = (AGENTS / "parcel_desk" / "runs.jsonl").read_text().splitlines()
    runs = {run["id"]: run["messages"] for run in map(json.loads, lines)}
    replies = {key: [m for m in run if m["role"] == "assistant"] for key, run in runs.items()}
    assert {reply["sender"] for said in replies.values() for reply in said} == agents
    assert len(replies["to-and-fro"]) > 25
    assert max(len(reply.get("tool_calls", ())) for reply in replies["lost-and-refund"]) == 2
    assert "tool_calls" not in replies["where-is-it"][-1]
