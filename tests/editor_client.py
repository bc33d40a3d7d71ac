"""An editor as the language server meets it: a process that speaks JSON-RPC over two pipes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
PATIENCE = 60.0  # seconds for an answer, on a machine that is busy with other tests


class Editor:
    """A client of `agentcheck server`, started as a user's editor starts it.

    `abilities` are the client capabilities it announces; `folder` is the workspace, None for none;
    `patience` are the seconds that an answer may take.
    """

    def __init__(
        self,
        folder: Path | None,
        abilities: Json,
        *options: str,
        cwd: Path | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._patience = patience
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentcheck", "server", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or folder,
            env=env,
        )
        self._numbers = iter(range(1, 1_000_000))
        self._versions: dict[str, int] = {}
        self._came: queue.Queue[Json | None] = queue.Queue()
        self.notes: list[Json] = []
        threading.Thread(target=self._read, daemon=True).start()
        folders = [{"uri": folder.as_uri(), "name": folder.name}] if folder else None
        self.capabilities = self.ask(
            "initialize",
            {"processId": None, "rootUri": None, "workspaceFolders": folders}
            | {"capabilities": abilities},
        )["capabilities"]
        self.tell("initialized", {})

    def ask(self, method: str, params: Json | None) -> Any:
        """The result of a request. Fails for an error and where none comes."""
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        answer = self.until(lambda one: one.get("id") == number and "method" not in one)
        assert "error" not in answer, answer
        return answer["result"]

    def tell(self, method: str, params: Json | None) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def until(self, wanted: Any) -> Json:
        """The next message of which `wanted` is true; all others are kept in `notes`."""
        while True:
            message = self._came.get(timeout=self._patience)
            assert message is not None, self.process.stderr and self.process.stderr.read()
            if "method" in message and "id" in message:  # the server asks: it may
                self._send({"id": message["id"], "result": None})
            if wanted(message):
                return message
            self.notes.append(message)

    def enter(self, folder: Path) -> None:
        """Add a folder to the workspace."""
        self._folders([folder], [])

    def reset(self, folder: Path) -> None:
        """Close every document, and take a folder out of the workspace."""
        for uri in self._versions:
            self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        self._versions.clear()
        self.notes.clear()
        self._folders([], [folder])

    def _folders(self, added: list[Path], removed: list[Path]) -> None:
        event = {
            "added": [{"uri": path.as_uri(), "name": path.name} for path in added],
            "removed": [{"uri": path.as_uri(), "name": path.name} for path in removed],
        }
        self.tell("workspace/didChangeWorkspaceFolders", {"event": event})

    def open(self, path: Path | str, text: str, language: str = "python") -> None:
        """Open a document: a path, or an address that is none of a file."""
        uri = path if isinstance(path, str) else path.as_uri()
        self._versions[uri] = 1
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, path: Path | str, text: str) -> None:
        """Replace the text of a document that is open."""
        uri = path if isinstance(path, str) else path.as_uri()
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        params = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.tell("textDocument/didChange", params)

    def about(self, method: str, path: Path | str) -> None:
        """Tell that a document was saved or closed."""
        uri = path if isinstance(path, str) else path.as_uri()
        self.tell(method, {"textDocument": {"uri": uri}})
        if method == "textDocument/didClose":
            del self._versions[uri]

    def diagnostics(self, path: Path | str) -> list[Json]:
        """What the server says next of a document; of an open one in its present version."""
        uri = path if isinstance(path, str) else path.as_uri()
        version = self._versions.get(uri)

        def told(one: Json) -> bool:
            if one.get("method") != "textDocument/publishDiagnostics":
                return False
            params = one["params"]
            return params["uri"] == uri and params.get("version") in (version, None)

        found: list[Json] = self.until(told)["params"]["diagnostics"]
        return found

    def actions(self, path: Path, place: Json, only: list[str] | None = None) -> list[Json]:
        """The code actions for a range."""
        context: Json = {"diagnostics": []} | ({"only": only} if only else {})
        params = {"textDocument": {"uri": path.as_uri()}, "range": place, "context": context}
        found: list[Json] = self.ask("textDocument/codeAction", params)
        return found

    def hover(self, path: Path, position: Json) -> Any:
        """What is shown at a position."""
        params = {"textDocument": {"uri": path.as_uri()}, "position": position}
        return self.ask("textDocument/hover", params)

    def leave(self) -> tuple[int, str]:
        """Shut the server down in order: its exit code, and what it wrote to stderr."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.gone()

    def gone(self) -> tuple[int, str]:
        """The exit code and stderr of a server that ends by itself."""
        code = self.process.wait(timeout=PATIENCE)
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            return code, stream.read().decode()

    def close(self) -> None:
        """End the process whatever it does."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _send(self, message: Json) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            try:
                head = stream.readline()
                if not head:
                    break
                length = int(head.partition(b":")[2]) if head.startswith(b"Content-Length") else 0
                if length:
                    while stream.readline().strip():
                        pass
                    self._came.put(json.loads(stream.read(length)))
            except ValueError:  # closed by `close`
                break
        self._came.put(None)


def applied(text: str, edits: list[Json]) -> str:
    """The text after edits whose positions count UTF-16 code units, as LSP has them by default."""
    data = text.encode("utf-16-le")
    starts = _line_starts(text)
    for edit in sorted(edits, key=lambda one: _offset(starts, one["range"]["start"]), reverse=True):
        start, end = (_offset(starts, edit["range"][side]) for side in ("start", "end"))
        data = data[:start] + edit["newText"].encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")


def at(text: str, place: Json) -> str:
    """What stands at a range of UTF-16 code units."""
    starts = _line_starts(text)
    data = text.encode("utf-16-le")
    return data[_offset(starts, place["start"]) : _offset(starts, place["end"])].decode("utf-16-le")


def _line_starts(text: str) -> list[int]:
    """The byte offset in UTF-16 at which each line starts."""
    lines = text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n")
    assert "\r" not in text, "these helpers count line feeds"
    starts, offset = [], 0
    for line in lines:
        starts.append(offset)
        offset += 2 * len(f"{line}\n".encode("utf-16-le")) // 2
    return starts


def _offset(starts: list[int], position: Json) -> int:
    return starts[position["line"]] + 2 * int(position["character"])
