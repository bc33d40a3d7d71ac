"""Where a forge shows the scanned folder, read from git's own files; git is not run.

Only what can be spelled without doubt becomes an address, for the configuration is the target's:
user names, passwords and tokens of a remote are left out, and so is whatever follows a path.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

from agentcheck.model.pattern import lazy_re
from agentcheck.run.commit import commit_of, common_folder, enclosing, read_text

# Where github.com and gitlab.com answer SSH on the port of HTTPS.
_SSH_HOSTS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
_SECTION = lazy_re(r'\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_URL = lazy_re(r'url\s*=\s*"?([^\s"#;]+)', re.IGNORECASE)
_HOST = r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"
_PATH = r"(?P<path>(?:[A-Za-z0-9_.~-]+/)+[A-Za-z0-9_.~-]+?)(?:\.git)?/?"
_WEB = lazy_re(rf"(?P<scheme>https?)://(?:[^/\s]*@)?{_HOST}(?P<port>:\d+)?/{_PATH}")
# The port of SSH says nothing of the port of the pages.
_SSH = lazy_re(rf"(?:(?:git\+)?ssh|git)://(?:[^/\s]*@)?{_HOST}(?::\d+)?/{_PATH}")
_SCP = lazy_re(rf"(?:[^@/:\s]+@)?{_HOST}:/?(?!/){_PATH}")


class Whereabouts(Struct, frozen=True):
    """Where a scanned folder stands in its repository, and where a forge shows that repository.

    `prefix` is the way from the top of the work tree, "" for the top itself and outside of git.
    `link_base` is the address of the files at the commit, "" where it cannot be told.
    """

    prefix: str = ""
    link_base: str = ""


def whereabouts(root: Path) -> Whereabouts:
    """The whereabouts of a scanned folder."""
    folder = Path(os.path.realpath(root))
    found = enclosing(folder)
    if found is None:
        return Whereabouts()
    top, git = found
    prefix = folder.relative_to(top).as_posix()
    shown = prefix.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    commit = commit_of(folder)
    base = blobs(remote_of(git), commit) if commit else ""
    return Whereabouts("" if shown == "." else shown, base)


def remote_of(git: Path) -> str:
    """The address of the remote `origin`, else of the first remote; "" for none."""
    remotes: dict[str, str] = {}
    name: str | None = None
    for line in read_text(common_folder(git) / "config").splitlines():
        section, url = _SECTION.match(line.strip()), _URL.match(line.strip())
        if section:
            name = (section[2] or "") if section[1].lower() == "remote" else None
        elif url and name is not None:
            remotes.setdefault(name, url[1])
    return remotes.get("origin") or next(iter(remotes.values()), "")


def blobs(remote: str, commit: str) -> str:
    """The address under which GitHub or GitLab show the files of a commit.

    "" for other forges, whose addresses are built otherwise, and for what is no remote address.
    """
    web = _web(remote)
    forge = _forge(web)
    if forge == "github" and web.count("/") == 4:
        return f"{web}/blob/{commit}"
    return f"{web}/-/blob/{commit}" if forge == "gitlab" else ""


def repository_of(root: Path) -> str | None:
    """The address of the pages of a scanned folder's repository; None where that cannot be told."""
    found = enclosing(Path(os.path.realpath(root)))
    return pages(remote_of(found[1])) or None if found else None


def pages(remote: str) -> str:
    """The address under which a browser finds a repository.

    "" for a remote that is reached by SSH on a forge other than GitHub and GitLab.
    """
    web = _web(remote)
    return web if _forge(web) or _WEB.fullmatch(remote) else ""


def _web(remote: str) -> str:
    """The address of a remote for HTTP, without names, passwords and what follows its path."""
    found = _WEB.fullmatch(remote) or _SSH.fullmatch(remote) or _SCP.fullmatch(remote)
    if found is None or {".", ".."} & set(found["path"].split("/")):
        return ""
    parts, host = found.groupdict(), found["host"].lower()
    host = f"{_SSH_HOSTS.get(host, host)}{parts.get('port') or ''}"
    return f"{parts.get('scheme') or 'https'}://{host}/{found['path']}"


def _forge(web: str) -> str:
    host = web.partition("://")[2].partition("/")[0].partition(":")[0]
    return next((name for name in ("github", "gitlab") if name in host.split(".")), "")
