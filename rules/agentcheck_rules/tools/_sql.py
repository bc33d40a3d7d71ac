"""Places that execute SQL, how statements are put together, and what limits what they may do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    CodeEvidence,
    E,
    Fn,
    Place,
    S,
    Site,
    Span,
    argument,
    code_kind,
    descend,
    last_name,
    lazy_re,
    related,
    spoken,
    string,
)
from agentcheck_rules.tools._written import Written

_EXECUTES = frozenset(
    "execute executescript executemany execute_query fetch fetchall fetchrow read_sql "
    "read_sql_query exec_driver_sql sql query run".split()
)
_DRIVERS = lazy_re(
    r"^(sqlite3|aiosqlite|psycopg2?|psycopg_pool|asyncpg|aiomysql|pymysql|MySQLdb|mysql|mariadb|"
    r"sqlalchemy|sqlmodel|duckdb|pyodbc|oracledb|cx_Oracle|snowflake|databricks|clickhouse_\w+|"
    r"trino|psycopg2)(\.|$)"
)
_RECEIVERS = lazy_re(r"(^|_)(cur|cursor|conn|connection|con|db|database|session|engine|pool)\d?$")
_STATEMENT = lazy_re(
    r"\b(select\s.*\bfrom|insert\s+into|update\s+.*\bset|delete\s+from|drop\s+table|create\s+table|"
    r"alter\s+table|pragma|describe|explain)\b",
    re.IGNORECASE | re.DOTALL,
)
_READ_ONLY = lazy_re(
    r"read[_ -]?only|mode=ro\b|immutable=1|query_only|set_authorizer|sqlite3\.Row_?only", re.I
)
_TESTS = lazy_re(
    r"^(startswith|match|fullmatch|search|sqlparse|parse_one|get_type|findall|complete_statement)$"
    r"|valid|safe|sanit|is_select|check_(sql|query|statement)|allow|forbid|quote_ident|guard|escape"
)


class Run(Struct, frozen=True, eq=False):
    """A call that executes a statement."""

    site: Site
    statement: E.Expr


def executed(graph: AgentGraph) -> Iterator[Run]:
    """Every call outside tests that executes SQL, in source order."""
    found = {id(s.expr): s for name in _EXECUTES for s in graph.program.call_index.get(name, ())}
    for site in sorted(found.values(), key=lambda s: s.place):
        if code_kind(site.fn.file.path) == "test":
            continue
        statement = argument(site.call, "sql", 1 if _is_frame(site) else 0)
        statement = statement or argument(site.call, "query") or argument(site.call, "statement")
        if _is_frame(site):
            statement = argument(site.call, "sql", 0)
        if statement is not None and _is_database(graph, site):
            yield Run(site, statement)


def _is_frame(site: Site) -> bool:
    return (last_name(site.call.func) or "").startswith("read_sql")


def _is_database(graph: AgentGraph, site: Site) -> bool:
    """By what the receiver resolves to, else by its name in a file that imports a driver."""
    func = site.call.func
    names = graph.resolver.dotted(func, site.fn)
    if any(_DRIVERS.match(n) or n.startswith("pandas.read_sql") for n in names):
        return True
    if not isinstance(func, E.Attr) or func.attr in ("run", "query", "sql", "fetch"):
        return False
    named = _RECEIVERS.search((last_name(func.value) or "").lower())
    return bool(named) and not graph.calls.callees(site) and _imports_driver(site.fn)


def _imports_driver(fn: Fn) -> bool:
    return any(not i.level and _DRIVERS.match(i.module) for i in fn.file.imports)


def sql_parts(graph: AgentGraph, expr: E.Expr, fn: Fn) -> tuple[str, list[E.Expr]]:
    """The parts of an expression that become text of a statement."""
    match expr:
        case E.Binary(op="+" | "%"):
            return "put in", [expr.left, *_items(expr.right)]
        case E.Template():
            return "put in", [p for p in expr.parts if not isinstance(p, E.Const)]
        case E.Logic():
            return "", list(expr.values)
        case E.Choice():
            return "", [expr.then, expr.otherwise]
        case E.Await() | E.Walrus():
            return "", [expr.value]
        case E.Call(func=E.Attr(attr="format", value=value)):
            return "put in", [value, *(a.value for a in expr.args)]
        case E.Call(func=E.Attr(attr="strip" | "rstrip" | "lstrip", value=value)):
            return "", [value]
        case E.Call(func=E.Attr(attr="join")):
            return "put in", [a.value for a in expr.args]
        case E.Call(func=func) if expr.args and graph.resolver.dotted(func, fn) & _WRAPS:
            return "", [expr.args[0].value]
        case _:
            return "", []


_WRAPS = {"str", "sqlalchemy.text", "sqlalchemy.sql.text", "psycopg.sql.SQL", "psycopg2.sql.SQL"}


def _items(expr: E.Expr) -> list[E.Expr]:
    return list(expr.items) if isinstance(expr, E.Items) else [expr]


def names_sql(graph: AgentGraph, run: Run, written: Written) -> bool:
    """Whether what is executed is SQL beyond doubt: by its words, or by the argument's name."""
    if any(w in written.name.lower() for w in ("sql", "query", "statement")):
        return True
    shown = [o.expr for o in graph.tracer.local(run.statement, run.site.fn) if o.expr is not None]
    return any(_STATEMENT.search(_said(e)) for e in (run.statement, *shown))


def _said(expr: E.Expr) -> str:
    texts = [string(e) for e in descend(expr) if isinstance(e, E.Const)]
    return " ".join(t for t in (*texts, spoken(expr)) if t)


def limited(graph: AgentGraph, run: Run, written: Written) -> tuple[str, CodeEvidence] | None:
    """A test of the statement on its way, or a connection that only reads."""
    near = list(dict.fromkeys([*written.through, written.first, run.site.fn]))
    near += [f for fn in near for s, _ in graph.program.calls(fn) for f in graph.calls.callees(s)]
    for fn in dict.fromkeys(near):
        for at in graph.program.statements(fn):
            if isinstance(at.stmt, S.If) and _tests_words(at.stmt.test):
                return "the statement is tested", related(at.place, "the text is tested here")
        for site, call in graph.program.calls(fn):
            if _TESTS.search(last_name(call.func) or ""):
                return "the statement is tested", related(site.place, "the text is tested here")
    for path in dict.fromkeys(fn.file.path for fn in near):
        place = _read_only(graph, path)
        if place is not None:
            return "the connection only reads", related(place, "this speaks of reading only")
    return None


def _tests_words(test: E.Expr) -> bool:
    """`"DROP" in sql.upper()`, `table not in TABLES`, a loop over forbidden words."""
    return any(isinstance(e, E.Compare) and {"in", "not in"} & set(e.ops) for e in descend(test))


def _read_only(graph: AgentGraph, path: str) -> Place | None:
    file = graph.program.files[path]
    for number, text in enumerate(file.lines, 1):
        if _READ_ONLY.search(text):
            return file.place(Span(number, 1, number, len(text) + 1))
    return None
