"""Places where a text is run: by the interpreter, by a shell, or as a process of its choice."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Site,
    argument,
    code_kind,
    descend,
    dotted,
    last_name,
    lazy_re,
    spoken,
    string,
)

_EVAL = frozenset({"exec", "eval", "builtins.exec", "builtins.eval"})
_SHELL = lazy_re(
    r"^(os\.(system|popen)|subprocess\.(getoutput|getstatusoutput)"
    r"|asyncio\.create_subprocess_shell|asyncio\.subprocess\.create_subprocess_shell)$"
)
_PROCESS = lazy_re(
    r"^(subprocess\.(run|call|check_call|check_output|Popen)|asyncio\.create_subprocess_exec)$"
)
_INTERPRETERS = lazy_re(r"^(/\S*/)?(bash|sh|zsh|python[\d.]*|node|ruby|perl|pwsh|powershell)$")
_BARE_SHELL = lazy_re(r"^(/\S*/)?(bash|sh|zsh|cmd(\.exe)?|powershell)\b")
_CODE_FLAG = lazy_re(r"^(-\w*c|-e|-Command|/c)$")
BOXES = lazy_re(
    r"\b(docker|podman|bwrap|firejail|nsjail|runsc|sandbox-exec|kubectl|lxc|unshare|chroot)\b"
)
NAMES = ("exec", "eval", "system", "popen", "getoutput", "getstatusoutput", "run", "call",
         "create_subprocess_shell", "create_subprocess_exec", "check_call", "check_output",
         "Popen")  # fmt: skip


class Sink(Struct, frozen=True, eq=False):
    """A place that runs text. `given` is the text; `how` ends the sentence "... is run ...".

    `scripts` are files that an interpreter is started on, `session` whether it is a shell that
    waits for commands on its standard input.
    """

    site: Site
    how: str
    given: tuple[E.Expr, ...] = ()
    scripts: tuple[E.Expr, ...] = ()
    session: bool = False
    boxed: str = ""


def find_sinks(graph: AgentGraph) -> Iterator[Sink]:
    """Every such place outside tests, in source order."""
    found: dict[int, Site] = {}
    for name in NAMES:
        for site in graph.program.call_index.get(name, ()):
            if code_kind(site.fn.file.path) != "test":
                found[id(site.expr)] = site
    for site in sorted(found.values(), key=lambda s: s.place):
        sink = _sink(graph, site)
        if sink is not None:
            yield sink


def _sink(graph: AgentGraph, site: Site) -> Sink | None:
    call, names = site.call, graph.resolver.dotted(site.call.func, site.fn)
    command = argument(call, "args", 0) or argument(call, "cmd", 0)
    if command is None or not names:
        return None
    if names & _EVAL:
        return Sink(site, f"by {last_name(call.func)}() in this process", (command,))
    if any(_SHELL.match(n) for n in names):
        return _shell(graph, site, command)
    if any(_PROCESS.match(n) for n in names):
        return _process(graph, site, command)
    return None


def _shell(graph: AgentGraph, site: Site, command: E.Expr) -> Sink:
    fixed = _fixed(graph, command, site.fn)
    if fixed and _BARE_SHELL.match(fixed) and argument(site.call, "stdin") is not None:
        return Sink(site, "by a shell that is kept open", session=True)
    return Sink(site, "by a shell", (command,), boxed=_boxed(spoken(_shown(graph, command, site))))


def _shown(graph: AgentGraph, command: E.Expr, site: Site) -> E.Expr:
    """The template behind a name, so that its first words can be read."""
    for origin in graph.tracer.local(command, site.fn):
        if origin.kind == "display" and origin.expr is not None:
            return origin.expr
    return command


def _process(graph: AgentGraph, site: Site, command: E.Expr) -> Sink | None:
    shell = argument(site.call, "shell")
    if isinstance(shell, E.Const) and shell.value is True:
        return _shell(graph, site, command)
    words = _words(graph, site, command)
    fixed = _fixed(graph, command, site.fn) or ""
    if not words and _BARE_SHELL.match(fixed) and argument(site.call, "stdin") is not None:
        return Sink(site, "by a shell that is kept open", session=True)
    if not words:
        return Sink(site, "as a program of the model's choice", (command,))
    said = [_fixed(graph, w, site.fn) or "" for w in words]
    boxed = _boxed(" ".join(said))
    runs = bool(_INTERPRETERS.match(said[0])) or dotted(words[0]) == "sys.executable"
    flag = next((i for i, w in enumerate(said) if _CODE_FLAG.match(w)), None)
    if runs and flag is not None:
        return Sink(site, "by an interpreter", tuple(words[flag + 1 : flag + 2]), boxed=boxed)
    if runs and len(words) == 1 and argument(site.call, "stdin") is not None:
        return Sink(site, "by a shell that is kept open", session=True)
    if runs:
        scripts = tuple(w for w in words[1:] if not (string(w) or "").startswith("-"))
        return Sink(site, "as a script", scripts=scripts[:1], boxed=boxed)
    if boxed or said[0]:
        return None
    return Sink(site, "as a program of the model's choice", (words[0],))


def _words(graph: AgentGraph, site: Site, command: E.Expr) -> list[E.Expr]:
    """The words of a command line given as a list, or as the arguments themselves."""
    if "exec" in (last_name(site.call.func) or ""):
        return [a.value for a in site.call.args if a.name is None and not a.star]
    for origin in graph.tracer.local(command, site.fn):
        shown = origin.expr
        if origin.kind == "display" and isinstance(shown, E.Items) and not origin.steps:
            return list(shown.items)
    return []


def _fixed(graph: AgentGraph, expr: E.Expr, fn: Fn) -> str | None:
    """The text of an expression that is spelled out; what else it may be is left aside."""
    values = [string(o.expr) for o in graph.tracer.local(expr, fn) if o.kind == "const"]
    klass = graph.program.self_class(fn)
    if isinstance(expr, E.Attr) and klass is not None and dotted(expr) == f"self.{expr.attr}":
        values += [string(b.expr) for b in graph.program.class_scope(klass).get(expr.attr, ())]
    return next((v for v in values if v), None)


def _boxed(text: str) -> str:
    found = BOXES.search(text)
    return found.group(1) if found else ""


def written_to_stdin(graph: AgentGraph, sink: Sink) -> Iterator[tuple[Site, E.Expr]]:
    """What is written to the standard input of a shell, in its class or its function."""
    klass = graph.program.self_class(sink.site.fn)
    hosts = list(klass.methods.values()) if klass else [sink.site.fn]
    for fn in hosts:
        for site, call in graph.program.calls(fn):
            name = dotted(call.func) or ""
            if name.endswith(("stdin.write", ".communicate", "stdin.send")) and call.args:
                yield site, call.args[0].value


def written_files(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, E.Expr, E.Expr]]:
    """Files that a function writes: the site, the path, the text."""
    for site, call in graph.program.calls(fn):
        if not (isinstance(call.func, E.Attr) and call.args):
            continue
        if call.func.attr == "write_text":
            yield site, call.func.value, call.args[0].value
        elif call.func.attr == "write":
            for origin in graph.tracer.local(call.func.value, fn):
                opened = origin.expr
                if isinstance(opened, E.Call) and last_name(opened.func) in _OPENERS:
                    path = opened.args[0].value if opened.args else call.func.value
                    yield site, path, call.args[0].value


_OPENERS = frozenset({"open", "NamedTemporaryFile", "aopen", "fdopen"})


def same_file(path: E.Expr, script: E.Expr) -> bool:
    """Whether two expressions name one file, to judge by the names in them."""
    return bool(_read(path) & _read(script))


def _read(expr: E.Expr) -> set[str]:
    said = {string(e) or "" for e in descend(expr) if isinstance(e, E.Const)}
    names = {e.id for e in descend(expr) if isinstance(e, E.Name)} - {"str", "os", "Path"}
    return names | {s for s in said if "." in s}
