"""A real server on the loopback that answers as it is told, and remembers what it was asked."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """`answers` are given in turn, the last one again and again: (status, headers, body or a function of the request)."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    # held back until the test ends, where an answer is to come too late
    released: threading.Event = field(default_factory=threading.Event)
    late: bool = False
    # claims more bytes than it sends
    cut: bool = False

    def answer(self, body: Any, status: int = 200, **headers: str) -> None:
        self.answers.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, body))


@pytest.fixture
def service() -> Iterator[Service]:
    told = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(data))
            told.asked.append(asked)
            if told.late:
                told.released.wait(20)
            status, headers, body = told.answers[min(len(told.asked), len(told.answers)) - 1]
            made = body(asked.body) if isinstance(body, Callable) else body  # type: ignore[arg-type]
            raw = made if isinstance(made, bytes) else json.dumps(made).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw) + (50 if told.cut else 0)))
            self.end_headers()
            self.wfile.write(raw)
            if told.cut:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that hung up is what some tests are about."""

    server = Quiet(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield told
    told.released.set()
    server.shutdown()
    thread.join()
    server.server_close()
