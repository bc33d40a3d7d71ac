"""The features of the language server, and its start."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lsprotocol import types as t
from pygls.lsp.server import LanguageServer

from agentcheck import __version__
from agentcheck.server.actions import FIX_ALL, KINDS, Bench, fix_all, quick_fixes
from agentcheck.server.buffers import path_of
from agentcheck.server.hovering import hover
from agentcheck.server.look import Options
from agentcheck.server.places import contains, meet
from agentcheck.server.session import DELAY, Session

_GLOBS = ("**/*.py", "**/*.ipynb", "**/pyproject.toml", "**/agentcheck.toml")


def serve(options: Options) -> int:
    """Speak with an editor over stdin and stdout until it leaves.

    0 where it asked for a shutdown first, else 1, as the protocol has it (LSP 3.17, exit).
    """
    # pygls logs every message that it does not know; an editor shows stderr to people.
    logging.getLogger("pygls").setLevel(logging.ERROR)
    server, left = made(options), list[bool]()

    @server.feature(t.SHUTDOWN)
    def leaving(_: None) -> None:
        left.append(True)

    with _streams() as (read, write):
        server.start_io(read, write)
    return 0 if left else 1


@contextmanager
def _streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The process's stdin and stdout, for the protocol alone.

    What else is printed goes to stderr. A worker that is forked closes `sys.stdin`, and would wait
    for ever for a lock that the thread which reads the protocol holds.
    """
    with os.fdopen(os.dup(0), "rb") as read, os.fdopen(os.dup(1), "wb") as write:
        os.dup2(2, 1)
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - as long as we live
        yield read, write


def made(options: Options) -> LanguageServer:
    """A server with all its features.

    Documents come whole at each change: pygls applies partial ones by lines that end wherever
    `str.splitlines` ends one, at a form feed for one, which the protocol does not.
    """
    server = LanguageServer(
        "agentcheck", __version__, text_document_sync_kind=t.TextDocumentSyncKind.Full
    )
    session = Session(server, options)
    _documents(server, session, on_save=options.on_save)
    _workspace(server, session)
    _asked(server, session)
    return server


def _documents(server: LanguageServer, session: Session, *, on_save: bool) -> None:
    @server.feature(t.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: t.DidOpenTextDocumentParams) -> None:
        session.touch(params.text_document.uri)

    @server.feature(t.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: t.DidChangeTextDocumentParams) -> None:
        if not on_save:
            session.touch(params.text_document.uri, typing=True)

    @server.feature(t.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: t.DidSaveTextDocumentParams) -> None:
        session.touch(params.text_document.uri)

    @server.feature(t.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: t.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if session.target(path) == path:
            session.leave(path)
        else:
            session.touch(params.text_document.uri)


def _workspace(server: LanguageServer, session: Session) -> None:
    @server.feature(t.INITIALIZED)
    def ready(_: t.InitializedParams) -> None:
        if session.able.watches:
            server.client_register_capability(t.RegistrationParams([_watchers()]))
        session.look_everywhere()

    @server.feature(t.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def elsewhere(params: t.DidChangeWatchedFilesParams) -> None:
        for target in {session.target(path_of(change.uri)) for change in params.changes}:
            if target in session.folders():
                session.look_at(target, DELAY)

    @server.feature(t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def moved(params: t.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            session.leave(path_of(folder.uri))
        session.look_everywhere()


def _watchers() -> t.Registration:
    watchers = [t.FileSystemWatcher(glob_pattern=glob) for glob in _GLOBS]
    options = t.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
    method = t.WORKSPACE_DID_CHANGE_WATCHED_FILES
    return t.Registration(id="agentcheck-files", method=method, register_options=options)


def _asked(server: LanguageServer, session: Session) -> None:
    @server.feature(t.TEXT_DOCUMENT_CODE_ACTION, t.CodeActionOptions(code_action_kinds=[*KINDS]))
    def actions(params: t.CodeActionParams) -> list[t.CodeAction]:
        return _actions(session, params)

    @server.feature(t.TEXT_DOCUMENT_HOVER)
    def hovered(params: t.HoverParams) -> t.Hover | None:
        found = session.shown(path_of(params.text_document.uri))
        if found is None:
            return None
        over = [one for one in found[1] if contains(one.diagnostic.range, params.position)]
        return hover(over, markdown=session.able.markdown)


def _actions(session: Session, params: t.CodeActionParams) -> list[t.CodeAction]:
    found = session.shown(path_of(params.text_document.uri))
    if found is None or found[0].look is None:
        return []
    watched, shown = found
    buffers = session.buffers()
    sight = session.sight(watched.texts, buffers)
    bench = Bench(found[0].look.root, buffers, sight, session.able.versioned)
    made: list[t.CodeAction] = []
    if _wants(params, t.CodeActionKind.QuickFix.value):
        here = [one for one in shown if meet(one.diagnostic.range, params.range)]
        made += quick_fixes(here, bench)
    if _wants(params, FIX_ALL, asked_for=True):
        made += fix_all(shown, bench)
    return made


def _wants(params: t.CodeActionParams, kind: str, *, asked_for: bool = False) -> bool:
    """Whether a client wants actions of a kind; `asked_for` ones only where it names them."""
    only = params.context.only
    if only is None:
        return not asked_for
    return any(kind == one or kind.startswith(f"{one}.") for one in map(_text, only))


def _text(kind: t.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, t.CodeActionKind) else kind
