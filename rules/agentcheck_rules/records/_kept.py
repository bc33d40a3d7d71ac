"""What an agent loop's package keeps of a run: logs, traces, rows, files, events."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    E,
    Fn,
    Import,
    Place,
    Site,
    last_name,
    lazy_re,
    string,
)

# Packages whose import means that something is recorded.
RECORDERS = frozenset(
    "logging structlog loguru logfire opentelemetry openinference langfuse langsmith agentops "
    "mlflow wandb weave braintrust helicone honeyhive phoenix arize opik traceloop lunary "
    "sentry_sdk ddtrace posthog prometheus_client sqlite3 aiosqlite sqlalchemy sqlmodel pymongo "
    "motor redis psycopg psycopg2 asyncpg peewee duckdb boto3 kafka aiokafka csv tensorboard "
    "langgraph django supabase firebase_admin literalai promptlayer".split()
)
_TELLS = lazy_re(
    r"^_?(emit|publish|notify|track|record|trace|log|report|persist|save|dispatch|write|append|"
    r"add|put|send)_?\w*(event|step|run|trace|span|log|record|turn|checkpoint|session|history|"
    r"transcript|telemetry|usage|metric)s?$|^_?(emit|callback|on_[a-z]\w*|run_hooks?|fire)$|"
    r"(callback|hook)s?$|start_(as_current_)?(span|trace)"
)
_DUMPS = frozenset({"dump", "writerow", "write_text", "execute", "insert_one", "to_json"})


def package_of(graph: AgentGraph, loop: AgentLoop) -> set[str]:
    """The files of its program in the loop's own folder and below, and what its file imports."""
    path = loop.fn.file.path
    folder = path.rpartition("/")[0]
    inside = {f for f in graph.program.mates(path) if f.startswith(f"{folder}/")}
    return (inside if folder else {path}) | graph.program.modules.imported_by(path) | {path}


def recorder(graph: AgentGraph, files: set[str]) -> Place | None:
    """The import of something that records, in any of the files."""
    for path in sorted(files):
        file = graph.program.files.get(path)
        for imported in file.imports if file is not None else ():
            if _root(imported) in RECORDERS and file is not None:
                return file.place(imported.span)
    return None


def _root(imported: Import) -> str:
    """The package of an absolute import; a module of the target that is named for logs counts."""
    words = f"{imported.module}.{imported.name or ''}".lower()
    if re.search(r"logg(er|ing)|tracing|telemetry|observab|callbacks?\b|event_?bus", words):
        return "logging"
    return "" if imported.level else imported.module.partition(".")[0]


def told(graph: AgentGraph, functions: list[Fn]) -> Site | None:
    """A call that hands an event of the run to somebody, or writes a row or a file of it."""
    for fn in functions:
        for site, call in graph.program.calls(fn):
            name = last_name(call.func) or ""
            if _TELLS.search(name) or name in _DUMPS or _appends_to_file(call):
                return site
    return None


def _appends_to_file(call: E.Call) -> bool:
    modes = [string(a.value) for a in call.args]
    return last_name(call.func) == "open" and any(m in ("a", "w", "ab", "wb", "a+") for m in modes)


def printing(graph: AgentGraph, functions: list[Fn]) -> Iterator[tuple[Fn, Site]]:
    """The functions among them that print, each with its first print."""
    for fn in functions:
        for site, call in graph.program.calls(fn):
            if isinstance(call.func, E.Name) and call.func.id == "print":
                yield fn, site
                break
