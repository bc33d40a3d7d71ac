"""The values that fill the templates of each shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentcheck.acceptance.names import (
    Given,
    import_path,
    inside,
    is_dotted,
    is_identifier,
    literal,
)

# What is written for an argument that is made up, by what it is.
MADE_UP = {
    "text": "TEXT",
    "talk": "talk()",
    "off": "False",
    "client": "client_for({callee}, model)",
}


def runner(given: Given) -> dict[str, str]:
    """A class that runs agents, its methods, and the class of its agents."""
    needed, known = given.needed, given.known
    module, _, agent_class = needed["agent_class"].rpartition(".")
    bound, runner_import = given.imported(needed["runner"])
    agent, agent_import = given.imported(agent_class, bound)
    methods = dict.fromkeys([needed["run"], known.get("stream") or needed["run"]])
    values = {
        "Runner": bound,
        "runner_import": runner_import,
        "agent_module": module or "fill_in_agent_module",
        "Agent": agent,
        "agent_import": agent_import,
        "methods": ", ".join(f'"{method}"' for method in methods),
        "wiring": wiring(needed, known),
        **_session(given),
        **_setting(given),
    }
    limit = known.get("limit_param")
    own = {needed["agent_param"], needed["messages_param"]}
    return values | ({"limit": limit} if limit and limit not in own else {})


def wiring(needed: Mapping[str, str], known: Mapping[str, str]) -> str:
    """The names of parameters, as the keywords of `Runner`."""
    given = {
        "client": known.get("client_param", ""),
        "agent": needed["agent_param"],
        "messages": needed["messages_param"],
        "tools": needed["functions_field"],
    }
    return ", ".join(f'{key}="{name}"' for key, name in given.items() if name)


def _session(given: Given) -> dict[str, str]:
    if "session" not in given.known or "session_agent" not in given.known:
        return {}
    module, _, name = given.known["session"].rpartition(".")
    bound, imported = given.imported(name)
    return {
        "session_module": module,
        "session_import": imported,
        "session": bound,
        "session_agent": given.known["session_agent"],
    }


def _setting(given: Given) -> dict[str, str]:
    """The setting that a false value is given for, and that value."""
    falsy = given.raw.get("falsy", "")
    falsy = falsy if falsy in ("0", "False") else "''"
    return {"setting": given.known.get("setting", "fill_in_setting"), "falsy": falsy}


def entry(given: Given) -> dict[str, str]:
    """A function that asks a model, or a class and its method that does."""
    name, kind = given.needed["entry"], given.known.get("kind", "")
    bound, imported = given.imported(kind or name)
    label = f"{kind}.{name}" if kind else name
    tools = _tool_classes(given)
    values = {
        "origin": f'sys.modules["{given.needed["module"]}"]' if "driven" in given.known else bound,
        "entry_import": imported,
        "label": label,
        "callables": _callables(given, bound),
        "tool_import": "".join(f"\n    from {m} import {c}" for m, c in tools),
        "begin": _begin(given, bound, [c for _, c in tools]),
        "effects": tuple_of(literal(place) for _, place in pairs(given.raw.get("acts", ""))),
        "tools": tuple_of(
            f"({literal(n)}, {literal(p)})" for n, p in pairs(given.raw.get("tools", ""))
        ),
    }
    acts = pairs(given.raw.get("acts", ""))
    if acts:
        values["acts"] = tuple_of(f"({literal(n)}, {literal(p)})" for n, p in acts)
    return values


def _callables(given: Given, bound: str) -> str:
    """What takes settings: the function, or the class and its method; a graph takes none."""
    name, kind = given.needed["entry"], given.known.get("kind", "")
    if "driven" in given.known:
        return ""
    return f"{bound}, {bound}.{name}" if kind else bound


def _begin(given: Given, bound: str, tools: list[str]) -> str:
    """The body of `begin`: what is built and called, with arguments that are made up."""
    name, kind = given.needed["entry"], given.known.get("kind", "")
    driven = given.known.get("driven")
    if driven:
        start = "    from agentcheck.testing.agents import driven\n\n"
        return f'{start}    return driven({bound}, "{driven}", TEXT)'
    if not kind:
        arguments = _arguments(given.raw.get("entry_args", ""), bound)
        return f"    return {bound}({arguments}**taken({bound}, settings))"
    made = _arguments(given.raw.get("kind_args", ""), f"{bound}.{name}")
    listed = f"tools=[{', '.join(f'{tool}()' for tool in tools)}], " if tools else ""
    called = _arguments(given.raw.get("entry_args", ""), f"{bound}.{name}")
    return (
        f"    target = {bound}({made}{listed}**taken({bound}, settings))\n"
        f"    return target.{name}({called}**taken(target.{name}, settings))"
    )


def _arguments(written: str, callee: str) -> str:
    """`name=TEXT, ` and so on, of what the stage wrote as "name=text"."""
    found = []
    for part in written.split(",") if written else ():
        name, _, made = part.partition("=")
        if is_identifier(name) and made in MADE_UP:
            found.append(f"{name}={MADE_UP[made].format(callee=callee)}, ")
    return "".join(found)


def _tool_classes(given: Given) -> list[tuple[str, str]]:
    names = [n for n in given.raw.get("tool_classes", "").split(",") if "." in n and is_dotted(n)]
    parts = [name.rpartition(".") for name in names]
    return [(module, name) for module, _, name in parts if name not in given.taken]


def pairs(written: str) -> list[tuple[str, str]]:
    """The tools of "name=module:function,..." that can stand in a test."""
    found = []
    for part in written.split(",") if written else ():
        name, _, place = part.rpartition("=")
        module, _, function = place.partition(":")
        if name.isprintable() and name and is_dotted(module) and is_dotted(function):
            found.append((name, place))
    return found


def tuple_of(items: Iterable[str]) -> str:
    """The inside of a tuple display, with the comma that makes it one."""
    return "".join(f"{item}, " for item in items).rstrip(" ")


def tool(given: Given) -> dict[str, str]:
    """A tool, and the agent of a framework that has it."""
    name = given.needed["tool"]
    place = f"{given.needed['module']}:{name}"
    values = {
        "tool": name,
        "tool_name": plain(given.raw.get("tool_name", ""), name),
        "leave": f'allowed_or_skipped("{place}")\n    ' if given.raw.get("effect") else "",
    }
    if "agent" in given.known and "agent_module" in given.known:
        agent, imported = given.imported(given.known["agent"])
        values |= {
            "Agent": agent,
            "agent_import": imported,
            "agent_module": given.known["agent_module"],
            "agent_path": import_path(given.raw.get("agent_root", ".")),
            "framework": plain(given.raw.get("framework", ""), ""),
        }
    return values


def plain(text: str, otherwise: str) -> str:
    """A text that can stand between double quotes as it is."""
    plain = text.isprintable() and not set(text) & set("'\"\\{}$")
    return text if plain and text else otherwise


def module(given: Given) -> dict[str, str]:
    """A file, and what it imports that is not there."""
    file = inside(given.raw.get("file", "."))
    return {
        "file": literal(file),
        "shown": plain(file, "the file"),
        "folder": literal(inside(given.raw.get("folder", "."))),
        "missing": literal(given.known.get("missing", "")),
    }
