"""Calls that leave the process: over the network, or to a program, and what bounds their wait."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, Site

VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request")


class Outside(Struct, frozen=True):
    """A function or method that waits for something outside.

    `position` is where its time-out stands when given without a keyword. `bounded` where it has a
    finite one of its own, so that only an explicit None takes it away.
    """

    names: frozenset[str]
    kind: str
    position: int | None = None
    bounded: bool = False
    keyword: str = "timeout"


def _methods(owners: str, verbs: tuple[str, ...] = VERBS) -> frozenset[str]:
    return frozenset(f"{owner}.{verb}" for owner in owners.split() for verb in verbs)


# Defaults as documented: requests (none), httpx (5 s), aiohttp (300 s in all),
# urllib3 (none), the standard library (none, unless socket.setdefaulttimeout).
OUTSIDE = (
    Outside(_methods("requests requests.api requests.Session requests.sessions.Session"), "HTTP"),
    Outside(
        _methods("httpx httpx.Client httpx.AsyncClient", (*VERBS, "stream")), "HTTP", bounded=True
    ),
    Outside(frozenset({"httpx.Client", "httpx.AsyncClient"}), "HTTP", bounded=True),
    Outside(_methods("aiohttp.ClientSession", (*VERBS, "ws_connect")), "HTTP", bounded=True),
    Outside(frozenset({"aiohttp.ClientSession"}), "HTTP", bounded=True),
    Outside(frozenset({"urllib.request.urlopen"}), "HTTP", 2),
    Outside(_methods("urllib3 urllib3.PoolManager", ("request", "urlopen")), "HTTP"),
    Outside(frozenset({"http.client.HTTPConnection", "http.client.HTTPSConnection"}), "HTTP", 2),
    Outside(frozenset({"smtplib.SMTP"}), "mail", 3),
    Outside(frozenset({"smtplib.SMTP_SSL"}), "mail"),
    Outside(
        frozenset({"imaplib.IMAP4", "imaplib.IMAP4_SSL", "poplib.POP3", "poplib.POP3_SSL"}), "mail"
    ),
    Outside(frozenset({"ftplib.FTP", "ftplib.FTP_TLS"}), "FTP"),
    Outside(frozenset({"socket.create_connection"}), "socket", 1),
    Outside(
        frozenset(f"subprocess.{n}" for n in ("run", "call", "check_call", "check_output")),
        "subprocess",
    ),
    Outside(frozenset({"subprocess.Popen.communicate"}), "subprocess", 1),
    Outside(frozenset({"subprocess.Popen.wait"}), "subprocess", 0),
    Outside(
        frozenset(
            f"asyncio.create_subprocess_{made}.{wait}"
            for made in ("exec", "shell")
            for wait in ("communicate", "wait")
        ),
        "subprocess",
        keyword="",
    ),
)
_BY_NAME = {name: outside for outside in OUTSIDE for name in outside.names}
_LAST = frozenset(name.rpartition(".")[2] for name in _BY_NAME)


def outside_call(graph: AgentGraph, site: Site) -> tuple[str, Outside] | None:
    """What a call waits for outside, with the name it is known under; None for other calls."""
    func = site.call.func
    last = func.attr if type(func) is E.Attr else None
    if last is not None and last not in _LAST:
        return None
    for name in sorted(graph.resolver.dotted(func, site.fn)):
        if name in _BY_NAME:
            return name, _BY_NAME[name]
    return None


def outside_calls(graph: AgentGraph, fn: Fn) -> list[tuple[Site, str, Outside]]:
    """Every such call of one function."""
    found = [(site, outside_call(graph, site)) for site, _ in graph.program.calls(fn)]
    return [(site, *known) for site, known in found if known is not None]


def reaches_model(graph: AgentGraph, site: Site) -> bool:
    """Whether a call asks a model, itself or through the functions it enters."""
    return bool(graph.drives.ends_of(site))
