"""The scripted model as a server on this machine's loopback, for code in other processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from agentcheck.testing.clients.aio import MEANT_FOR
from agentcheck.testing.environment import changed, towards
from agentcheck.testing.wire.answer import Answer

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel

HOST = "127.0.0.1"


@contextmanager
def served(model: ScriptedModel) -> Iterator[None]:
    """Serve at `model.url` and set the environment, until the block ends."""
    with listening(model) as url, changed(towards(url)):
        model.url = url
        try:
            yield
        finally:
            model.url = ""


@contextmanager
def listening(model: ScriptedModel) -> Iterator[str]:
    """A server for the model; its URL."""
    server = _Server((HOST, 0), _Handler)
    server.model = model
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model: ScriptedModel


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        self._handle()

    def do_GET(self) -> None:
        self._handle()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's word
        """Say nothing: standard error is the test's."""

    def _handle(self) -> None:
        answer = self._answer(self._content())
        if answer.status:
            self._send(answer)
        if answer.lost:
            self.close_connection = True

    def _content(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        pieces: list[bytes] = []
        while size := int(self.rfile.readline().partition(b";")[0] or b"0", 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _answer(self, content: bytes) -> Answer:
        from agentcheck.testing.model import Runaway, Sent

        headers = {name.lower(): value for name, value in self.headers.items()}
        place = urlsplit(self.path)
        origin = urlsplit(headers.get(MEANT_FOR) or f"http://{HOST}")
        url = urlunsplit((origin.scheme, origin.netloc, place.path, place.query, ""))
        try:
            return self.server.model.answer(Sent(self.command, url, headers, content))
        except Runaway as stop:
            return self.server.model.refusal(place.path, str(stop))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        sized = "content-length" in answer.headers
        if not sized:
            self.send_header("transfer-encoding", "chunked")
        try:
            self._pieces(answer, sized=sized)
        except (BrokenPipeError, ConnectionResetError):  # the client gave up, as it may
            self.close_connection = True

    def _pieces(self, answer: Answer, *, sized: bool) -> None:
        time.sleep(answer.pause)
        self.end_headers()
        for place, piece in enumerate(answer.pieces):
            time.sleep(answer.pause if place else 0)
            self.wfile.write(piece if sized else b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if not sized and not answer.lost:
            self.wfile.write(b"0\r\n\r\n")
