"""Signs in the code of what kind of program it is; each names the place that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from agentcheck.crosscheck import Answer
from agentcheck.facts.brief import Brief
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.kind import code_kind

SCREENS = frozenset({"streamlit", "gradio", "chainlit", "textual", "prompt_toolkit", "questionary"})
SERVERS = frozenset(
    {"fastapi", "flask", "django", "starlette", "sanic", "uvicorn", "slack_bolt", "botbuilder"}
)
SCHEDULERS = frozenset(
    {"celery", "apscheduler", "schedule", "rq", "dramatiq", "airflow", "prefect", "temporalio"}
)
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


def product(files: Iterable[Brief]) -> list[Brief]:
    """The files that are no tests."""
    return [file for file in files if code_kind(file.path) != "test"]


def imported(files: Iterable[Brief], roots: frozenset[str]) -> str | None:
    """The first import of one of some packages, as "file:line imports name"."""
    for file in files:
        for item in file.imports:
            root = item.module.partition(".")[0]
            if item.level == 0 and root in roots:
                return f"{file.path}:{item.span.line} imports {root}"
    return None


def imported_name(files: Iterable[Brief], names: frozenset[str]) -> str | None:
    """The first import of one of some names, as "file:line imports name"."""
    for file in files:
        for item in file.imports:
            if item.name in names:
                return f"{file.path}:{item.span.line} imports {item.name}"
    return None


def tenants(files: Iterable[Brief]) -> str | None:
    """The first function that is told whose request it serves."""
    return next((f"{file.path}:{file.tenant}" for file in files if file.tenant), None)


def runs_what_models_write(answers: Iterable[Answer]) -> str | None:
    """The first place outside tests at which text that a model wrote is run."""
    for answer in answers:
        said = answer.assessment
        if answer.topic == "shell-or-eval-tool" and said.hit is not None:
            place = next((e for e in said.evidence if isinstance(e, CodeEvidence)), None)
            if place is not None and code_kind(place.file) != "test":
                return f"{place.file}:{place.line} runs what a model wrote"
    return None


def packaging(root: Path, files: Sequence[Brief]) -> str | None:
    """The packaging file at the root of what was scanned, if the code is packaged."""
    packaged = any(file.path.endswith("__init__.py") for file in files)
    return next((n for n in PACKAGING if packaged and (root / n).is_file()), None)
