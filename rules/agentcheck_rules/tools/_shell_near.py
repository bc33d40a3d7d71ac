"""Whether an agent has a shell or an interpreter beside its other tools."""

from __future__ import annotations

import re

from agentcheck.rule import AgentGraph, CodeEvidence, code_kind, lazy_re, related
from agentcheck_rules.tools._interpreters import find_sinks

_SHELL = lazy_re(
    r"(^|_)(bash|shell|terminal|powershell|cmd|command|commands|subprocess)($|_)|"
    r"(^|_)(run|exec|execute)_?(python|code|script|program|sh)"
)


def shell_near(graph: AgentGraph, path: str) -> CodeEvidence | None:
    """A tool that runs commands or code, in the file or in its package; None where there is none.

    A package is the file's folder with what lies below it and, where it has an `__init__.py`, the
    folder above with its other parts, as far as they belong to the same program.
    """
    folder, modules = path.rpartition("/")[0], graph.program.modules
    above = folder.rpartition("/")[0] if f"{folder}/__init__.py" in modules.paths else folder
    own = modules.component(path)
    for tool in graph.tools:
        if modules.component(tool.place.file) != own:
            continue
        if _SHELL.search(_snake(tool.name)) and _below(tool.place.file, above):
            return related(tool.place, "this tool runs commands anyway")
    for sink in find_sinks(graph):
        named = _SHELL.search(_snake(sink.site.fn.qualname))
        near = modules.component(sink.site.fn.file.path) == own
        if named and near and sink.given and _below(sink.site.fn.file.path, above):
            return related(sink.site.place, "commands are run here anyway")
    return None


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\.", "_", name).lower()


def _below(path: str, folder: str) -> bool:
    return code_kind(path) != "test" and (path.startswith(f"{folder}/") if folder else True)
