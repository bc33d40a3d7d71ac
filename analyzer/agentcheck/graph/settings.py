"""What a file beside the code says of an agent that is built with `config=`, as crews do."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.meanings import meanings
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import argument, read_key, string
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import AgentKind

KEYWORD = "config"
# Where a crew looks unless its class says otherwise: crewai 1.15.30 project/crew_base.py.
_BY_DEFAULT = {"agents_config": "config/agents.yaml", "tasks_config": "config/tasks.yaml"}


class Settings(Struct, frozen=True):
    """The texts under a key of a file. `values` is empty where the file could not be read."""

    key: str
    file: str
    values: Mapping[str, str]
    given: E.Expr


def settings(tracer: Tracer, site: Site, kind: AgentKind | None) -> Settings | None:
    """The settings that a constructor call asks for by `config=self.agents_config["writer"]`."""
    if kind is None or KEYWORD not in kind.keywords:
        return None
    given = argument(site.call, KEYWORD)
    key = read_key(given) if isinstance(given, (E.Index, E.Call)) else None
    base = given.value if isinstance(given, E.Index) else None
    if isinstance(given, E.Call) and isinstance(given.func, E.Attr):
        base = given.func.value
    if given is None or key is None or not isinstance(base, (E.Name, E.Attr)):
        return None
    file = _file(tracer, base, site.fn)
    if file is None:
        return None
    data = tracer.files.reader.data(file) if tracer.files is not None else None
    entry = data.get(key) if isinstance(data, dict) else None
    values = (
        {k: v.strip() for k, v in entry.items() if isinstance(v, str)}
        if isinstance(entry, dict)
        else {}
    )
    return Settings(key, file, values, given)


def _file(tracer: Tracer, base: E.Name | E.Attr, fn: Fn) -> str | None:
    """The file that an attribute of a crew's class names, from the folder of the class."""
    for given, host in meanings(tracer, base, fn):
        named = string(given)
        if named is not None and named.endswith((".yaml", ".yml")):
            return posixpath.normpath(posixpath.join(posixpath.dirname(host.file.path), named))
    named = _BY_DEFAULT.get(base.attr) if isinstance(base, E.Attr) else None
    return posixpath.join(posixpath.dirname(fn.file.path), named) if named else None
