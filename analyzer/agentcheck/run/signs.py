"""Signs in the code of what kind of program it is; each names the place that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agentcheck.crosscheck import Answer
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.dispatch import find_dispatches
from agentcheck.graph.effect_words import Weight
from agentcheck.graph.effects import effects_of
from agentcheck.graph.people import asks_a_person
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.facts import FileFacts
from agentcheck.model.kind import code_kind

SCREENS = frozenset({"streamlit", "gradio", "chainlit", "textual", "prompt_toolkit", "questionary"})
SERVERS = frozenset(
    {"fastapi", "flask", "django", "starlette", "sanic", "uvicorn", "slack_bolt", "botbuilder"}
)
SCHEDULERS = frozenset(
    {"celery", "apscheduler", "schedule", "rq", "dramatiq", "airflow", "prefect", "temporalio"}
)
PERSON_CALLS = (
    "input", "raw_input", "ask", "prompt", "confirm", "chat_input", "text_input", "ainput",
    "prompt_async", "readline", "ask_user", "get_user_input", "human_input",
)  # fmt: skip
TENANT_NAMES = frozenset(
    {"user_id", "tenant_id", "org_id", "organization_id", "organisation_id", "account_id",
     "customer_id", "workspace_id", "current_user"}
)  # fmt: skip
# Stores of conversations that outlive the process: checkpointers of LangGraph, sessions of the
# OpenAI Agents SDK and of Google ADK, message histories of LangChain.
STORES = frozenset(
    {"SqliteSaver", "AsyncSqliteSaver", "PostgresSaver", "AsyncPostgresSaver", "RedisSaver",
     "AsyncRedisSaver", "MongoDBSaver", "AsyncMongoDBSaver", "SQLAlchemySession", "RedisSession",
     "OpenAIConversationsSession", "DatabaseSessionService", "VertexAiSessionService",
     "SQLChatMessageHistory", "RedisChatMessageHistory", "PostgresChatMessageHistory",
     "MongoDBChatMessageHistory", "FileChatMessageHistory", "DynamoDBChatMessageHistory"}
)  # fmt: skip
# Those that last as long as the process; SQLiteSession is in memory unless it is given a file.
MEMORIES = frozenset(
    {"MemorySaver", "InMemorySaver", "SQLiteSession", "InMemorySessionService",
     "InMemoryChatMessageHistory", "ConversationBufferMemory", "ConversationBufferWindowMemory",
     "ChatMemoryBuffer"}
)  # fmt: skip
PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")


def product(files: Iterable[FileFacts]) -> list[FileFacts]:
    """The files that are no tests."""
    return [file for file in files if code_kind(file.path) != "test"]


def imported(files: Iterable[FileFacts], roots: frozenset[str]) -> str | None:
    """The first import of one of some packages, as "file:line imports name"."""
    for file in files:
        for item in file.imports:
            root = item.module.partition(".")[0]
            if item.level == 0 and root in roots:
                return f"{file.path}:{item.span.line} imports {root}"
    return None


def imported_name(files: Iterable[FileFacts], names: frozenset[str]) -> str | None:
    """The first import of one of some names, as "file:line imports name"."""
    for file in files:
        for item in file.imports:
            if item.name in names:
                return f"{file.path}:{item.span.line} imports {item.name}"
    return None


def person_goes_on(graph: AgentGraph) -> str | None:
    """The first loop outside tests in which a person gives each turn."""
    for loop in graph.loops:
        if code_kind(loop.place.file) == "test":
            continue
        if any(bound.kind == "person" for bound in loop.bounds):
            return f"{loop.place.file}:{loop.place.span.line} goes on with a person turn by turn"
    return None


def person_asked(graph: AgentGraph) -> str | None:
    """The first call outside tests that waits for a person."""
    for name in PERSON_CALLS:
        for site in graph.program.call_index.get(name, ()):
            place = site.place
            if code_kind(place.file) != "test" and asks_a_person(graph.calls, site, 0):
                return f"{place.file}:{place.span.line} waits for a person"
    return None


def tenants(files: Iterable[FileFacts]) -> str | None:
    """The first function that is told whose request it serves."""
    for file in files:
        for function in file.functions:
            for param in function.params:
                if param.name in TENANT_NAMES:
                    return f"{file.path}:{param.span.line} takes {param.name}"
    return None


def tool_effects(graph: AgentGraph) -> Iterator[tuple[Weight, str]]:
    """What tools outside tests do to the world: the kind of effect, and the sign of it."""
    for tool in graph.tools:
        if code_kind(tool.place.file) != "test":
            for effect in effects_of(graph.tracer, tool):
                where = f"{effect.place.file}:{effect.place.span.line}"
                yield effect.weight, f"{where}: {tool.name}: {effect.why}"


def runs_what_models_write(answers: Iterable[Answer]) -> str | None:
    """The first place outside tests at which text that a model wrote is run."""
    for answer in answers:
        said = answer.assessment
        if answer.topic == "shell-or-eval-tool" and said.hit is not None:
            place = next((e for e in said.evidence if isinstance(e, CodeEvidence)), None)
            if place is not None and code_kind(place.file) != "test":
                return f"{place.file}:{place.line} runs what a model wrote"
    return None


def dispatched(graph: AgentGraph) -> str | None:
    """The first place outside tests at which tools are run, whichever those are."""
    for dispatch in find_dispatches(graph):
        place = dispatch.site.place
        if code_kind(place.file) != "test":
            return f"{place.file}:{place.span.line} runs tools that the model names"
    return None


def packaging(root: Path, files: Sequence[FileFacts]) -> str | None:
    """The packaging file at the root of what was scanned, if the code is packaged."""
    packaged = any(file.path.endswith("__init__.py") for file in files)
    return next((n for n in PACKAGING if packaged and (root / n).is_file()), None)
