from __future__ import annotations

import json
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Mapping, Union


@dataclass
class Came:
    """A request that came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Answer:
    status: int = 200
    body: Any = field(default_factory=lambda: {"ok": True})
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Seconds between the bytes of the body, which come at once when there are none.
    pace: float = 0


#: The connection is cut when the request has been read.
DROP = "drop"
#: Nothing is answered until the server ends.
SILENT = "silent"


class ScriptedServer:
    """Answers what it is told, one after the other, and keeps what came."""

    def __init__(self) -> None:
        self.came: list[Came] = []
        self.answers: list[Union[Answer, str]] = []
        self._ended = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                owner.came.append(Came(self.command, self.path, headers, self.rfile.read(length)))
                answer = owner.answers.pop(0) if owner.answers else Answer()
                if answer == SILENT:
                    owner._ended.wait()
                if isinstance(answer, str):
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                if "Content-Length" not in answer.headers:
                    self.send_header("Content-Length", str(len(body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for part in [body[at : at + 1] for at in range(len(body))] if answer.pace else [body]:
                    try:
                        self.wfile.write(part)
                    except OSError:
                        # Who has asked is gone.
                        return
                    owner._ended.wait(answer.pace)
                # Less than was announced: nothing more comes.
                if "Content-Length" in answer.headers:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
