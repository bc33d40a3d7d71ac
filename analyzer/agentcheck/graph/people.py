"""Where a person is asked, and where a loop waits for work from outside."""

from __future__ import annotations

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.text import dotted, last_name, string
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
    "consume poll_messages get_message readline dequeue receive_message receive_messages "
    "next_event get_updates recvfrom recv_json recv_string recv_multipart wait_for_message "
    "wait_for_event blmove brpoplpush basic_get pull_messages".split()
)
QUEUES = frozenset(
    f"{module}.{name}.get"
    for module, names in {
        "queue": "Queue SimpleQueue LifoQueue PriorityQueue",
        "asyncio": "Queue LifoQueue PriorityQueue",
        "multiprocessing": "Queue JoinableQueue SimpleQueue",
        "janus": "Queue",
    }.items()
    for name in names.split()
)
# Receivers whose `poll` or `get` waits for messages.
_SOURCES = ("consumer", "poller", "subscriber", "subscription", "socket", "inbox", "mailbox")
SLEEPS = frozenset(
    "time.sleep asyncio.sleep trio.sleep anyio.sleep gevent.sleep eventlet.sleep".split()
)


def asks_a_person(calls: Calls, site: Site, depth: int = 3) -> bool:
    """Whether a call waits for somebody's word, itself or through helpers of the target."""
    func = site.call.func
    if not PERSON_NAMES.isdisjoint(calls.resolver.dotted(func, site.fn)):
        return True
    inner = calls.callees(site)
    if not inner:
        last = last_name(func) or ""
        return last in PERSON_LAST or (last in PROMPT_METHODS and _is_console(func))
    return depth > 0 and any(function_asks(calls, fn, depth - 1) for fn in inner)


def function_asks(calls: Calls, fn: Fn, depth: int = 2) -> bool:
    """Whether a function of the target asks a person somewhere in its body.

    Within fewer calls nobody is asked who is not within more.
    """
    if depth >= calls.asking.get(fn, depth + 1):
        return True
    if depth <= calls.silent.get(fn, -1):
        return False
    asks = any(asks_a_person(calls, site, depth) for site, _ in calls.program.calls(fn))
    if calls.resolver.idle:
        (calls.asking if asks else calls.silent)[fn] = depth
    return asks


def _is_console(func: E.Expr) -> bool:
    """`console.input`, `session.prompt`, `Confirm.ask`, `questionary.text(...).ask`."""
    written = (dotted(func) or "").lower()
    words = ("console", "session", "prompt", "confirm", "questionary", "inquirer", "stdin")
    return any(word in written for word in words)


def waits_for_work(calls: Calls, site: Site) -> bool:
    """Whether a call itself blocks until something outside sends: a queue, a socket, a message."""
    last = last_name(site.call.func) or ""
    if calls.callees(site):
        return False
    if last in WORK_LAST or calls.resolver.dotted(site.call.func, site.fn) & QUEUES:
        return True
    base = (dotted(site.call.func) or "").lower().rpartition(".")[0]
    if last == "wait_for":
        return bool(site.call.args) and string(site.call.args[0].value) is not None
    if last in ("get", "poll", "pull"):
        return ("queue" in base and last == "get") or any(word in base for word in _SOURCES)
    return False


def sleeps(calls: Calls, site: Site) -> bool:
    """Whether a call only lets time pass."""
    return bool(calls.resolver.dotted(site.call.func, site.fn) & SLEEPS)
