"""Pages of the web come over a real socket, and no way leads to a private address."""

import asyncio
import gzip
import json
import socket
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from everself.config.sections import Fetch
from everself.conversation.tools.outside._fetch import fetch_tool
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext
from everself.models.chat.protocol import JsonObject
from everself.search.scopes import Scope, SessionKind

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

MAIN = ToolContext(Scope(SessionKind.MAIN), "s", "m", "", by_owner=True)
Answer = tuple[int, dict[str, str], bytes]


def call(tool: Tool, arguments: JsonObject, setting: ToolContext = MAIN) -> Outcome:
    async def scene() -> Outcome:
        return await tool.run(arguments, setting)

    return asyncio.run(scene())


class Web:
    """A server on loopback that answers by path, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.wait = threading.Event()
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append((self.path, self.headers["Host"], dict(self.headers)))
                if self.path == "/slow":
                    web.wait.wait(20)
                    return
                status, headers, body = web.answers.get(self.path, (404, {"Content-Type": "text/plain"}, b"nothing"))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                # whoever has read enough hangs up
                with suppress(OSError):
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self) -> None:
        self.wait.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.close()


def settings(web: Web, **changes: Any) -> Fetch:
    return Fetch(enabled=True, private_hosts=(f"127.0.0.1:{web.port}",), **changes)


def get(web: Web, path: str, setting: ToolContext = MAIN, **changes: Any) -> Outcome:
    url = path if "://" in path else f"http://127.0.0.1:{web.port}{path}"
    tool = fetch_tool(settings(web, **changes))
    return call(tool, {"url": url}, setting)


def told(outcome: Outcome) -> dict[str, Any]:
    found = json.loads(outcome.content)
    assert isinstance(found, dict)
    return found


def html(body: str, **headers: str) -> Answer:
    return 200, {"Content-Type": "text/html; charset=utf-8", **headers}, body.encode()


def redirect(url: str) -> Answer:
    return 302, {"Location": url}, b""


def test_a_page_comes_as_text_with_its_origin(web: Web) -> None:
    web.answers["/a"] = html("<title>T</title><p>Hello <a href=b>there</a>")
    outcome = get(web, "/a")
    url = f"http://127.0.0.1:{web.port}/a"
    assert not outcome.failed
    assert outcome.origin == url
    assert told(outcome) == {
        "url": url,
        "status": 200,
        "title": "T",
        "text": f"Hello there <http://127.0.0.1:{web.port}/b>",
    }


def test_other_text_comes_as_it_is(web: Web) -> None:
    web.answers["/j"] = (200, {"Content-Type": "application/json"}, b'{"a": "<b>"}')
    assert told(get(web, "/j"))["text"] == '{"a": "<b>"}'


@pytest.mark.parametrize(
    "kind", ["image/png", "application/octet-stream", "application/pdf", "video/mp4", "multipart/mixed"]
)
def test_anything_but_text_is_refused(web: Web, kind: str) -> None:
    web.answers["/i"] = (200, {"Content-Type": kind}, b"\x89PNG")
    outcome = get(web, "/i")
    assert outcome.failed
    assert kind in outcome.content


def test_a_missing_page_is_told_as_failed(web: Web) -> None:
    outcome = get(web, "/none")
    assert outcome.failed
    assert told(outcome)["status"] == 404


def test_redirects_are_followed_as_often_as_is_said(web: Web) -> None:
    web.answers |= {"/1": redirect("/2"), "/2": redirect("/3"), "/3": html("<p>end")}
    assert told(get(web, "/1"))["text"] == "end"
    assert get(web, "/1").origin.endswith("/3")
    assert "more than 1 times" in get(web, "/1", max_redirects=1).content


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost:{port}/secret",
        "http://127.0.0.1:1/secret",
        "http://2130706433:{port}/secret",
        "http://0x7f.1:{port}/secret",
        "http://[::ffff:127.0.0.1]:{port}/secret",
        "http://[::1]:{port}/secret",
        "http://0.0.0.0:{port}/secret",
        "http://169.254.169.254/latest/meta-data/",
        "//localhost:{port}/secret",
        "file:///etc/passwd",
        "gopher://127.0.0.1:{port}/_x",
        "ftp://127.0.0.1/x",
        "http://user:pass@127.0.0.1:{port}/secret",
        "http://[bad",
        "javascript:alert(1)",
    ],
)
def test_no_redirect_leads_to_a_private_address_or_another_protocol(web: Web, target: str) -> None:
    place = target.format(port=web.port)
    web.answers |= {"/go": redirect(place), "/secret": html("<p>SECRET")}
    outcome = get(web, "/go")
    assert outcome.failed
    assert "SECRET" not in outcome.content
    assert [path for path, _, _ in web.asked] == ["/go"]
    if "://" in place:
        assert get(web, place).failed
    assert "/secret" not in [path for path, _, _ in web.asked]


def test_a_name_is_resolved_once_and_connected_to_as_it_was_checked(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    asked: list[str] = []

    def resolve(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        asked.append(name)
        return real("127.0.0.1" if name == "wiki.example" else name, port, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    web.answers["/w"] = html("<p>wiki")
    url = f"http://wiki.example:{web.port}/w"
    refused = get(web, url)
    assert refused.failed
    assert web.asked == []
    tool = fetch_tool(Fetch(enabled=True, private_hosts=("wiki.example",)))
    asked.clear()
    outcome = call(tool, {"url": url})
    assert told(outcome)["text"] == "wiki"
    assert web.asked[0][1] == f"wiki.example:{web.port}"
    assert asked.count("wiki.example") == 1


def test_guests_do_not_reach_what_is_private(web: Web) -> None:
    web.answers["/a"] = html("<p>x")
    guest = ToolContext(Scope(SessionKind.GUEST, person="p"), "s", "m", "", by_owner=False)
    assert get(web, "/a", guest).failed
    assert web.asked == []


def test_a_proxy_of_the_environment_is_not_asked(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{web.port}")
    assert get(web, "http://localhost:1/x").failed
    assert web.asked == []


def test_only_so_much_of_a_page_is_read(web: Web) -> None:
    web.answers["/big"] = (200, {"Content-Type": "text/plain"}, b"a" * 500_000)
    found = told(get(web, "/big", max_bytes=10_000))
    assert found["text"] == "a" * 10_000
    assert "10,000 bytes" in found["cut"]
    short = told(get(web, "/big", max_chars=100))["text"]
    assert len(short) < 200


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_packed_page_is_unpacked_within_the_limit(web: Web, encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    headers = {"Content-Type": "text/plain", "Content-Encoding": encoding}
    web.answers["/small"] = (200, headers, pack(b"small"))
    web.answers["/bomb"] = (200, headers, pack(b"\n" * 5_000_000))
    assert told(get(web, "/small"))["text"] == "small"
    assert "cut" in told(get(web, "/bomb"))


@pytest.mark.parametrize(("encoding", "body"), [("gzip, gzip", b""), ("br", b""), ("gzip", b"no gzip at all")])
def test_a_page_packed_otherwise_is_refused(web: Web, encoding: str, body: bytes) -> None:
    web.answers["/p"] = (200, {"Content-Type": "text/plain", "Content-Encoding": encoding}, body)
    assert get(web, "/p").failed


@pytest.mark.slow
def test_a_page_that_does_not_come_is_words(web: Web) -> None:
    outcome = get(web, "/slow", timeout=1)
    assert outcome.failed
    assert "within 1 s" in outcome.content


def test_a_server_that_is_not_there_is_words() -> None:
    tool = fetch_tool(Fetch(enabled=True, private_hosts=("127.0.0.1",)))
    outcome = call(tool, {"url": "http://127.0.0.1:1/"})
    assert outcome.failed
    assert "cannot be read" in outcome.content


def test_an_address_with_a_secret_in_it_is_not_sent(web: Web) -> None:
    outcome = get(web, f"/?q=sk-ant-api03-{'a1B2' * 24}AA")
    assert outcome.failed
    assert web.asked == []


@pytest.mark.parametrize(
    "url", [None, 3, "", "x", "/a", "http://h/" + "x" * 3000, "http://localhost:99999/", "http://\udcff/"]
)
def test_what_is_no_address_is_words(web: Web, url: object) -> None:
    tool = fetch_tool(settings(web))
    assert call(tool, {"url": url}).failed


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=EUC-KR", "안녕".encode("euc-kr"), "안녕"),
        ("text/html", '<meta charset="shift_jis"><p>日本'.encode("shift_jis"), "日本"),
        ("text/html; charset=punycode", b"<p>plain", "plain"),
        ("text/html; charset=zip", b"<p>\xff", "\ufffd"),
        ("text/plain", "\ufeffä".encode(), "ä"),
    ],
)
def test_the_page_is_decoded_as_it_says(web: Web, kind: str, body: bytes, text: str) -> None:
    web.answers["/c"] = (200, {"Content-Type": kind}, body)
    assert told(get(web, "/c"))["text"] == text
