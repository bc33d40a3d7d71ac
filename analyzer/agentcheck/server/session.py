"""One session with an editor: what is open, what was looked at, and what is to be looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from lsprotocol.types import (
    LogMessageParams,
    MessageType,
    PublishDiagnosticsParams,
    ShowMessageParams,
)
from pygls.lsp.server import LanguageServer

from agentcheck.server.buffers import Buffer, Texts, is_read, overlay, path_of
from agentcheck.server.client import Abilities, abilities
from agentcheck.server.diagnose import Shown, Sight, diagnosed
from agentcheck.server.look import Look, Options, Superseded, look
from agentcheck.server.progress import signs_of_life
from agentcheck.server.worker import in_thread

DELAY = 0.3
"""Seconds without a change before a text is looked at; more where a look takes long."""
LONGEST_DELAY = 2.0


class Watched:
    """A folder of the workspace, or a file outside of all.

    `wanted` counts the changes, `begun` is the count that the last look began with. `shown` is what
    the editor shows, by file, under the `uris` that it calls them by, and `texts` are those that it
    was told of.
    """

    def __init__(self) -> None:
        self.wanted = 0
        self.begun = 0
        self.busy = False
        self.timer: asyncio.TimerHandle | None = None
        self.work: asyncio.Task[None] | None = None
        self.look: Look | None = None
        self.shown: dict[Path, list[Shown]] = {}
        self.texts = Texts({})
        self.uris: dict[Path, str] = {}
        self.problem = ""


class Session:
    """Looks again whenever something changes, one look at a time, and tells the editor."""

    def __init__(self, server: LanguageServer, options: Options) -> None:
        self._server = server
        self._options = options
        self._watched: dict[Path, Watched] = {}
        self._one_at_a_time = asyncio.Lock()

    @property
    def able(self) -> Abilities:
        """What the client can show."""
        return abilities(self._server.client_capabilities)

    def buffers(self) -> dict[Path, Buffer]:
        """The open documents that a scan would read, by path."""
        documents = self._server.workspace.text_documents.values()
        made = (Buffer(d.uri, path_of(d.uri), d.source, d.version) for d in documents)
        return {buffer.path: buffer for buffer in made if is_read(buffer.path)}

    def folders(self) -> list[Path]:
        """The folders of the workspace, inner ones first."""
        uris = list(self._server.workspace.folders)
        if not uris and self._server.workspace.root_uri:
            uris = [self._server.workspace.root_uri]
        found = {path_of(uri) for uri in uris}
        return sorted(found, key=lambda path: len(path.parts), reverse=True)

    def target(self, path: Path) -> Path:
        """What is looked at for a file: the folder that it is in, else the file itself."""
        return next((folder for folder in self.folders() if path.is_relative_to(folder)), path)

    def touch(self, uri: str, *, typing: bool = False) -> None:
        """Look again at what a document belongs to; once it rests, where somebody is `typing`."""
        path = path_of(uri)
        if is_read(path):
            target = self.target(path)
            self.look_at(target, self._delay(target) if typing else 0.0)

    def _delay(self, target: Path) -> float:
        """A look that takes long is begun only when it is likely to be of use."""
        watched = self._watched.get(target)
        report = watched.look.report if watched and watched.look else None
        seconds = (report.summary.seconds if report else None) or 0.0
        return min(max(DELAY, seconds / 4), LONGEST_DELAY)

    def look_at(self, target: Path, delay: float = 0.0) -> None:
        """Look at a folder or file, once nothing has changed for `delay` seconds."""
        watched = self._watched.setdefault(target, Watched())
        watched.wanted += 1
        if watched.timer is not None:
            watched.timer.cancel()
        loop = asyncio.get_running_loop()
        watched.timer = loop.call_later(delay, self._begin, target, watched)

    def look_everywhere(self) -> None:
        """Look at every folder of the workspace, and at what is open outside of all."""
        for target in {*self.folders(), *self._watched}:
            self.look_at(target)

    def leave(self, target: Path) -> None:
        """Show nothing any more of a folder that left the workspace, or of a file that was shut."""
        watched = self._watched.pop(target, None)
        if watched is not None:
            watched.wanted += 1
            if watched.timer is not None:
                watched.timer.cancel()
            self._publish(watched, {})

    def shown(self, path: Path) -> tuple[Watched, list[Shown]] | None:
        """What the editor shows of a file, if the file is still as it was when looked at."""
        watched = self._watched.get(self.target(path))
        buffer = self.buffers().get(path)
        if watched is None or watched.look is None or buffer is None:
            return None
        same = watched.texts[path] == buffer.text
        return (watched, watched.shown.get(path, [])) if same else None

    def sight(self, texts: Texts, buffers: dict[Path, Buffer]) -> Sight:
        """How places in these texts are told to this client."""

        def uri(path: Path) -> str:
            return buffers[path].uri if path in buffers else path.as_uri()

        codec = self._server.workspace.position_codec
        return Sight(texts, codec, uri, related=self.able.related)

    def _begin(self, target: Path, watched: Watched) -> None:
        watched.timer = None
        if not watched.busy:
            watched.busy = True
            watched.work = asyncio.get_running_loop().create_task(self._work(target, watched))

    async def _work(self, target: Path, watched: Watched) -> None:
        """Look until nothing has changed meanwhile; a change that is waited for looks later."""
        try:
            while watched.begun != watched.wanted and watched.timer is None:
                await self._look(target, watched)
        finally:
            watched.busy = False

    async def _look(self, target: Path, watched: Watched) -> None:
        async with self._one_at_a_time:
            watched.begun = begun = watched.wanted
            buffers, steps = self.buffers(), [""]
            changed = overlay(buffers.values())

            def tell(step: str) -> None:
                steps.append(step)
                if watched.wanted != begun:
                    raise Superseded

            try:
                async with self._signs(steps):
                    found = await in_thread(lambda: look(target, changed, self._options, tell))
            except Superseded:
                return
        if watched.wanted == begun:
            self._take(watched, found, buffers)

    def _signs(self, steps: list[str]) -> AbstractAsyncContextManager[None]:
        return signs_of_life(self._server, steps) if self.able.progress else nullcontext()

    def _take(self, watched: Watched, found: Look, buffers: dict[Path, Buffer]) -> None:
        """Show what a look came to; what was shown stays where there was a problem."""
        self._complain(watched, found.problem)
        if found.problem:
            return
        watched.look, watched.texts = found, Texts(buffers)
        self._publish(watched, diagnosed(found, self.sight(watched.texts, buffers)))

    def _publish(self, watched: Watched, found: dict[Path, list[Shown]]) -> None:
        buffers = self.buffers()
        gone: Iterable[Path] = watched.shown.keys() - found.keys()
        watched.shown = found
        for path in (*gone, *found):
            buffer = buffers.get(path)
            if buffer is not None:
                watched.uris[path] = buffer.uri
            self._server.text_document_publish_diagnostics(
                PublishDiagnosticsParams(
                    uri=watched.uris.get(path) or path.as_uri(),
                    version=buffer.version if buffer else None,
                    diagnostics=[one.diagnostic for one in found.get(path, ())],
                )
            )

    def _complain(self, watched: Watched, problem: str) -> None:
        """Tell of a problem once, not at every letter that is typed."""
        if problem and problem != watched.problem:
            told = f"agentcheck: {problem}"
            self._server.window_show_message(ShowMessageParams(MessageType.Error, told))
            self._server.window_log_message(LogMessageParams(MessageType.Error, told))
        watched.problem = problem
