"""Where a person is asked, and where a loop waits for work from outside."""

from __future__ import annotations

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.text import dotted, last_name
from agentcheck.model import expr as E

PERSON_NAMES = frozenset(
    "input raw_input builtins.input getpass.getpass click.prompt click.confirm typer.prompt "
    "typer.confirm rich.prompt.Prompt.ask rich.prompt.Confirm.ask rich.prompt.IntPrompt.ask "
    "sys.stdin.readline aioconsole.ainput prompt_toolkit.prompt streamlit.chat_input "
    "streamlit.text_input streamlit.button chainlit.AskUserMessage chainlit.AskActionMessage "
    "easygui.ynbox tkinter.simpledialog.askstring inquirer.prompt".split()
)
PERSON_LAST = frozenset(
    "ainput prompt_async ask_user ask_human human_input get_user_input read_user_input user_input "
    "prompt_user chat_input get_human_input wait_for_approval request_approval".split()
)
PROMPT_METHODS = frozenset({"prompt", "input", "ask"})
WORK_LAST = frozenset(
    "recv receive receive_text receive_json receive_bytes accept blpop brpop xread xreadgroup "
    "consume poll_messages get_message readline dequeue".split()
)


def asks_a_person(calls: Calls, site: Site, depth: int = 3) -> bool:
    """Whether a call waits for somebody's word, itself or through helpers of the target."""
    assert isinstance(site.expr, E.Call)
    names = calls.resolver.dotted(site.expr.func, site.fn)
    if names & PERSON_NAMES:
        return True
    last = last_name(site.expr.func) or ""
    inner = calls.callees(site)
    if not inner:
        return last in PERSON_LAST or (last in PROMPT_METHODS and _is_console(site.expr.func))
    return depth > 0 and any(function_asks(calls, fn, depth - 1) for fn in inner)


def function_asks(calls: Calls, fn: Fn, depth: int = 2) -> bool:
    """Whether a function of the target asks a person somewhere in its body."""
    return any(asks_a_person(calls, site, depth) for site, _ in calls.program.calls(fn))


def _is_console(func: E.Expr) -> bool:
    """`console.input`, `session.prompt`, `Confirm.ask`, `questionary.text(...).ask`."""
    written = (dotted(func) or "").lower()
    words = ("console", "session", "prompt", "confirm", "questionary", "inquirer", "stdin")
    return any(word in written for word in words)


def waits_for_work(calls: Calls, site: Site) -> bool:
    """Whether a call blocks until something outside sends: a queue, a socket, a message."""
    assert isinstance(site.expr, E.Call)
    last = last_name(site.expr.func) or ""
    if calls.callees(site):
        return False
    if last in WORK_LAST:
        return True
    written = (dotted(site.expr.func) or "").lower()
    return last == "get" and "queue" in written.rpartition(".")[0]
