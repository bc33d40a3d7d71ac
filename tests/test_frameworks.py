"""What the framework data say, how they are narrowed to a release, and where releases come from."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from agentcheck.frameworks.load import (
    FrameworkError,
    distributions,
    for_version,
    load,
    pinned,
    read,
    select,
)
from agentcheck.frameworks.schema import AgentKind, Entry, Framework, Limit, RunEntry

HEAD = 'name = "x"\ntitle = "X"\ndistributions = ["x"]\nmodules = ["x"]\nlatest = "2.0"\n'
LISTS = ("agent", "tool", "handoff", "run", "client", "model_call", "approval", "removed", "moved")
EVERY = load()


def framework(name: str, version: str | None = None) -> Framework:
    return for_version(next(f for f in load() if f.name == name), version)


def entries(of: Framework) -> list[Entry]:
    return [entry for kind in LISTS for entry in getattr(of, kind)]


def run(of: Framework, name: str) -> RunEntry:
    found = [entry for entry in of.run if name in entry.names]
    assert len(found) == 1, f"{name}: {len(found)} entries"
    return found[0]


def agent(of: Framework, name: str) -> AgentKind:
    found = [entry for entry in of.agent if name in entry.names]
    assert len(found) == 1, f"{name}: {len(found)} entries"
    return found[0]


def limits(of: Framework) -> list[Limit]:
    return [limit for e in of.run for limit in (e.limit, *e.also) if limit is not None]


@pytest.mark.parametrize("of", EVERY, ids=lambda of: of.name)
class TestEveryFramework:
    def test_is_in_a_file_of_its_name(self, of: Framework) -> None:
        import agentcheck.frameworks.load as module

        data = Path(str(module.__file__)).with_name("data")
        assert (data / f"{of.name}.toml").is_file()

    def test_names_things_under_its_own_import_roots(self, of: Framework) -> None:
        roots = {root for f in load() for root in f.modules}
        names = [name for entry in entries(of) for name in _names(entry)]
        strays = [n for n in names if not any(n == r or n.startswith(f"{r}.") for r in roots)]
        assert strays == []

    def test_says_where_each_fact_was_read(self, of: Framework) -> None:
        unsourced = [entry for entry in entries(of) if not entry.source]
        assert unsourced == []

    def test_gives_each_limit_a_default_that_is_a_number_or_none(self, of: Framework) -> None:
        odd = [x.default for x in limits(of) if x.default != "none" and not _number(x.default)]
        assert odd == []

    def test_takes_its_special_keywords_from_those_it_accepts(self, of: Framework) -> None:
        strangers = [
            (kind.names[0], keyword)
            for kind in of.agent
            if kind.keywords
            for keyword in (*kind.positional, kind.name_keyword, kind.model_keyword)
            if keyword and keyword not in kind.keywords
        ]
        assert strangers == []

    def test_has_one_run_entry_for_a_name_in_any_release(self, of: Framework) -> None:
        for version in (None, "0.0.1", "0.5", "1.0.0", "1.0.5", "1.5", "2.0"):
            names = [name for entry in for_version(of, version).run for name in entry.names]
            assert sorted(names) == sorted(set(names))

    def test_has_one_set_of_agent_keywords_for_a_name_in_any_release(self, of: Framework) -> None:
        for version in (None, "0.0.1", "0.5", "1.0.0", "1.0.5", "1.5", "2.0"):
            names = [name for entry in for_version(of, version).agent for name in entry.names]
            assert sorted(names) == sorted(set(names))

    def test_does_not_take_a_keyword_that_was_removed(self, of: Framework) -> None:
        newest = for_version(of, None)
        for gone in newest.removed:
            kinds = [kind for kind in newest.agent if gone.owner in kind.names and kind.keywords]
            assert all(gone.keyword not in kind.keywords for kind in kinds)


def _names(entry: Entry) -> list[str]:
    keys = ("names", "decorators", "constructors", "bases", "returned", "functions", "errors")
    return [name for key in keys for name in getattr(entry, key, ())]


def _number(text: str) -> bool:
    return not math.isnan(float(text))


def test_frameworks_are_sorted_and_each_is_there_once() -> None:
    names = [of.name for of in load()]
    assert names == sorted(names)
    assert {"openai-swarm", "openai-agents", "openai", "anthropic", "litellm"} < set(names)
    assert len(distributions()) >= len(names)


class TestSwarm:
    def test_counts_messages_and_has_no_limit_unless_given_one(self) -> None:
        entry = run(framework("openai-swarm"), "swarm.Swarm.run")
        assert entry.limit == Limit(
            keyword="max_turns", position=6, unit="messages", default="inf", infinite=("inf",)
        )
        assert entry.handoff_policy == "last-wins"
        assert entry.errors == ()

    def test_drops_agent_keywords_that_it_does_not_know(self) -> None:
        kind = agent(framework("openai-swarm"), "swarm.Agent")
        assert kind.unknown == "dropped"
        assert "tools" not in kind.keywords
        assert kind.parallel_default == "true"

    def test_lets_a_tools_exception_out_of_the_run(self) -> None:
        assert [tool.error_policy for tool in framework("openai-swarm").tool] == ["raises"]


class TestOpenAIAgents:
    def test_stops_after_ten_model_calls_by_default(self) -> None:
        for version in ("0.0.2", "0.8.4", None):
            limit = run(framework("openai-agents", version), "agents.Runner.run").limit
            assert limit is not None
            assert (limit.default, limit.unit) == ("10", "model-calls")

    def test_takes_none_for_no_limit_since_0_16_only(self) -> None:
        before = run(framework("openai-agents", "0.15.3"), "agents.Runner.run").limit
        since = run(framework("openai-agents", "0.16.0"), "agents.Runner.run").limit
        assert before is not None
        assert since is not None
        assert "None" not in before.infinite
        assert "None" in since.infinite

    def test_offers_approval_of_function_tools_since_0_8(self) -> None:
        def keywords(version: str) -> set[str | None]:
            tools = framework("openai-agents", version).tool
            return {t.approval_keyword for t in tools if "agents.function_tool" in t.decorators}

        assert keywords("0.7.0") == {None}
        assert keywords("0.8.0") == {"needs_approval"}

    def test_follows_the_first_of_several_handoffs(self) -> None:
        entry = run(framework("openai-agents"), "agents.Runner.run")
        assert entry.handoff_policy == "first-wins"


def test_langgraph_went_from_25_supersteps_to_10000_with_1_0_6() -> None:
    name = "langgraph.graph.state.CompiledStateGraph.invoke"
    found = [run(framework("langgraph", v), name).limit for v in ("1.0.5", "1.0.6", None)]
    assert [limit and limit.default for limit in found] == ["25", "10000", "10000"]


def test_agno_stopped_taking_keywords_with_2_and_says_what_to_write_instead() -> None:
    old, new = framework("agno", "1.8.1"), framework("agno", "2.0.0")
    assert "storage" in agent(old, "agno.agent.Agent").keywords
    assert "storage" not in agent(new, "agno.agent.Agent").keywords
    assert old.removed == ()
    instead = {(g.owner, g.keyword): g.instead for g in new.removed}
    assert instead["agno.agent.Agent", "storage"] == "db"


def test_what_is_gone_is_reported_from_its_release_on() -> None:
    assert framework("openai", "0.28.1").moved == ()
    assert "openai.ChatCompletion" in {gone.module for gone in framework("openai").moved}
    assert framework("anthropic", "0.125.0").removed == ()
    assert "temperature" in {gone.keyword for gone in framework("anthropic", "1.0").removed}


def test_old_model_calls_are_recognised_whatever_is_pinned() -> None:
    for version in (None, "0.28.1", "2.0"):
        functions = {f for call in framework("openai", version).model_call for f in call.functions}
        assert "openai.ChatCompletion.create" in functions


def test_a_suffix_that_other_libraries_use_too_needs_the_import() -> None:
    calls = [c for of in load() for c in of.model_call]
    by_suffix = {suffix: call for call in calls for suffix in call.suffixes}
    assert not by_suffix["chat.completions.create"].needs_import
    assert by_suffix["messages.create"].needs_import
    assert "threads.messages.create" in by_suffix["messages.create"].excludes
    assert "max_tokens" in by_suffix["messages.create"].telling_keywords


def test_calls_that_share_a_shape_keep_their_own_words() -> None:
    calls = {c.methods[0]: c for c in framework("openai").model_call if c.methods}
    assert calls["responses.create"].kind == "responses"
    assert calls["responses.retrieve"].kind == "poll"
    assert calls["responses.retrieve"].finish == calls["responses.create"].finish


def test_none_and_a_version_that_is_none_mean_the_newest() -> None:
    newest = framework("openai-agents")
    assert framework("openai-agents", "0.24.0") == newest
    assert framework("openai-agents", "not a version") == newest


def test_only_frameworks_that_may_be_imported_are_read() -> None:
    assert [of.name for of in load({"agents", "os.path"})] == ["openai-agents"]
    assert [of.name for of in load({"google.adk.agents"})] == ["google-adk"]
    assert [of.name for of in load({"google"})] == ["google-adk", "google-genai"]
    assert load({"os", "agent", "google.cloud"}) == ()


def test_what_a_function_returns_is_run_under_the_functions_name() -> None:
    of = framework("langgraph")
    for name in ("langgraph.prebuilt.create_react_agent", "langgraph.graph.StateGraph.compile"):
        limit = run(of, f"{name}.invoke").limit
        assert limit is not None
        assert limit.keyword == "config.recursion_limit"
    run(of, "langgraph_supervisor.create_supervisor.compile.stream")


def test_a_client_with_other_options_is_still_a_client() -> None:
    calls = {c.methods[0]: c for c in framework("openai").model_call if c.methods}
    assert "openai.OpenAI.with_options" in calls["chat.completions.create"].client
    (call,) = framework("langchain").model_call
    assert "langchain_openai.ChatOpenAI.bind_tools" in call.client


def test_pins_choose_the_release_of_each_framework() -> None:
    pins = {"openai-agents": "0.7.0", "openai": None}
    chosen = {of.name: of for of in select(pins, {"agents", "openai"})}
    assert chosen["openai-agents"] == framework("openai-agents", "0.7.0")
    assert chosen["openai"] == framework("openai")
    assert pinned(chosen["openai-agents"], pins) == "0.7.0"


class TestInvalidData:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("[[", "x.toml: "),
            (HEAD + 'colour = "red"', "x.toml: Object contains unknown field `colour`"),
            (
                HEAD + '[[run]]\nnames = ["x.go"]\nlimits = 3',
                "unknown field `limits` - at `$.run[0]`",
            ),
            (HEAD + '[[run]]\nnames = "x.go"', "x.toml: Expected `array`, got `str`"),
            (HEAD + '[[run]]\nshape = "no"', "No shape called 'no' - at `$.run[0].shape`"),
            (HEAD + "[[run]]\nshape = 3", "No shape called 3"),
            (HEAD + '[shape.a]\nshape = "a"\n[[run]]\nshape = "a"', "in a circle - at `$.run[0]"),
            (HEAD + "shape = 1", "x.toml: Expected `object` - at `$.shape`"),
            (HEAD + '[[run]]\nnames = []\nversions = "new"', "at `$.run[0].versions`"),
            (HEAD + '[[moved]]\nmodule = "x"\nsince = "soon"', "at `$.moved[0].since`"),
            (HEAD.replace("2.0", "last"), "x.toml: Invalid version: 'last' - at `$.latest`"),
        ],
    )
    def test_is_refused_with_the_file_and_the_path(self, text: str, says: str) -> None:
        with pytest.raises(FrameworkError, match=re.escape(says)):
            read(text, "x.toml")

    def test_an_entry_without_versions_holds_for_all(self) -> None:
        of = read(HEAD + '[[run]]\nnames = ["x.go"]', "x.toml")
        assert for_version(of, "0.0.1").run == for_version(of, None).run == of.run

    def test_a_prerelease_counts_as_a_release(self) -> None:
        of = read(HEAD + '[[run]]\nnames = ["x.go"]\nversions = ">=1"', "x.toml")
        assert len(for_version(of, "1.1rc1").run) == 1
        assert for_version(of, "0.9").run == ()
