"""Servers on the loopback that speak the vendors' wire formats over a real socket, as they are told.

`Server` answers with `Reply` values in turn (the last one again and again), in the wire that the path asks for, and remembers
every request. For tests of models and of whatever talks through them.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Wire = Literal["anthropic", "openai", "responses", "gemini", "ollama"]
WIRES: tuple[Wire, ...] = ("anthropic", "openai", "responses", "gemini", "ollama")
Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A tool call; `arguments` is sent as it stands, broken or not. `namespace` is known to the wire `responses` alone."""

    name: str
    arguments: str = "{}"
    id: str = ""
    namespace: str = ""


@dataclass(frozen=True)
class Reply:
    """What one request is answered with.

    After so many pieces of text, `cut` breaks the connection, `stall` falls silent until the client leaves or the test ends,
    `quiet` ends the body as if it were whole, `fail` sends the vendor's error inside the stream and `noise` what is no JSON.
    A `status` other than 200 answers with the vendor's error of that `fault`.
    """

    text: tuple[str, ...] = ()
    thinking: str = ""
    signature: str = ""
    calls: tuple[Call, ...] = ()
    end: Literal["stop", "length", "refused", "broken"] = "stop"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    fault: Literal["", "overflow", "rate", "quota", "auth", "missing", "server", "rejected", "page"] = ""
    cut: int | None = None
    stall: int | None = None
    quiet: int | None = None
    fail: int | None = None
    noise: int | None = None
    usage: tuple[int, int, int, int] | None = (120, 30, 0, 0)


def say(*text: str, **more: Any) -> Reply:
    return Reply(text=text, **more)


@dataclass(frozen=True)
class Asked:
    wire: Wire
    path: str
    headers: dict[str, str]
    body: Json

    @property
    def words(self) -> str:
        """All of the request as text, to look for what must or must not be in it."""
        return json.dumps(self.body, ensure_ascii=False)


Script = Callable[[Asked], Reply]


@dataclass
class Server:
    """`replies` are given in turn; a `script` decides by the request instead."""

    wire: Wire
    url: str = ""
    replies: list[Reply] = field(default_factory=list)
    script: Script | None = None
    asked: list[Asked] = field(default_factory=list)
    # the client's end of the connection of each request
    ports: list[int] = field(default_factory=list)
    # set when the client closed a connection on which the server stalled
    left: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def next(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if self.script is not None:
            return self.script(asked)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


@contextmanager
def serve(wire: Wire, *replies: Reply, script: Script | None = None) -> Iterator[Server]:
    told = Server(wire, replies=list(replies), script=script)
    server = _Quiet(("127.0.0.1", 0), _handler(told))
    server.daemon_threads = True
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.005))
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield told
    finally:
        told.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that hung up is what some tests are about."""


def _handler(told: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            told.ports.append(self.client_address[1])
            reply = told.next(Asked(told.wire, self.path, headers, body))
            if reply.status != 200:
                self._refuse(reply)
            elif told.wire in WHOLE and not body.get("stream"):
                self._answer(WHOLE[told.wire](reply, body))
            else:
                self._stream(reply, body)

        def _answer(self, body: Json) -> None:
            raw = json.dumps(body, ensure_ascii=False).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _refuse(self, reply: Reply) -> None:
            raw = refusal(told.wire, reply)
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Content-Type", "text/html" if reply.fault == "page" else "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _stream(self, reply: Reply, body: Json) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            said = 0
            for event in EVENTS[told.wire](reply, body):
                if said == reply.quiet:
                    break
                if said == reply.cut:
                    # half of the event, then the line goes dead
                    self._chunk(event[: len(event) // 2])
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                if said == reply.stall:
                    self._wait()
                    return
                if said in (reply.fail, reply.noise):
                    self._chunk(
                        failure(told.wire) if said == reply.fail else _event('{"half": ', "content_block_delta")
                    )
                    break
                self._chunk(event)
                said += isinstance(event, _Text)
            self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

        def _wait(self) -> None:
            self.connection.settimeout(0.01)
            self.close_connection = True
            while not told.released.is_set():
                try:
                    if not self.connection.recv(1):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            told.left.set()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


class _Text(bytes):
    """An event that carries a piece of the answer's text."""


def _event(data: object, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"{head}data: {text}\n\n".encode()


def _ids(reply: Reply, prefix: str) -> list[tuple[str, Call]]:
    return [(call.id or f"{prefix}{number}", call) for number, call in enumerate(reply.calls)]


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def anthropic_events(reply: Reply, body: Json) -> Iterator[bytes]:
    sent, received, cached, stored = reply.usage or (0, 0, 0, 0)
    usage = {
        "input_tokens": sent - cached - stored,
        "output_tokens": 1 if reply.usage else 0,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": stored,
    }
    start = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "usage": usage,
    }
    yield _event(
        {"type": "message_start", "message": start | {"stop_reason": None, "stop_sequence": None}}, "message_start"
    )
    yield _event({"type": "ping"}, "ping")
    blocks: list[tuple[Json, list[Json]]] = []
    if reply.thinking:
        deltas = [{"type": "thinking_delta", "thinking": part} for part in _halves(reply.thinking)]
        deltas += [{"type": "signature_delta", "signature": reply.signature}] if reply.signature else []
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if reply.text:
        deltas = [{"type": "text_delta", "text": part} for part in reply.text]
        blocks.append(({"type": "text", "text": ""}, deltas))
    for ident, call in _ids(reply, "toolu_"):
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in _halves(call.arguments)]
        blocks.append(({"type": "tool_use", "id": ident, "name": call.name, "input": {}}, deltas))
    for index, (block, deltas) in enumerate(blocks):
        begun = {"type": "content_block_start", "index": index, "content_block": block}
        yield _event(begun, "content_block_start")
        for delta in deltas:
            event = _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            yield _Text(event) if "text" in delta else event
        yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
    why = {"length": "max_tokens", "refused": "refusal"}.get(reply.end, "tool_use" if reply.calls else "end_turn")
    last = {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}}
    yield _event(last | {"usage": {"output_tokens": received}}, "message_delta")
    yield _event({"type": "message_stop"}, "message_stop")


def openai_events(reply: Reply, body: Json) -> Iterator[bytes]:
    def chunk(delta: Json, why: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": why, "logprobs": None}
        return _event(_chunk_frame(body) | {"choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for part in reply.text:
        yield _Text(chunk({"content": part}))
    for index, (ident, call) in enumerate(_ids(reply, "call_")):
        function = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": ident, "type": "function", "function": function}]})
        for part in _halves(call.arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, _openai_why(reply))
    yield from _openai_tail(reply, body)


def ollama_events(reply: Reply, body: Json) -> Iterator[bytes]:
    """Ollama speaks as OpenAI does, but sends thoughts beside the text and every call in one piece."""

    def chunk(delta: Json, why: str | None = None) -> bytes:
        frame = _chunk_frame(body) | {"system_fingerprint": "fp_ollama"}
        return _event(frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": why}]})

    for part in _halves(reply.thinking):
        yield chunk({"role": "assistant", "content": "", "reasoning": part})
    for part in reply.text:
        yield _Text(chunk({"role": "assistant", "content": part}))
    for index, (ident, call) in enumerate(_ids(reply, "call_")):
        function = {"name": call.name, "arguments": call.arguments}
        made = {"id": ident, "index": index, "type": "function", "function": function}
        yield chunk({"role": "assistant", "content": "", "tool_calls": [made]})
    yield chunk({"role": "assistant", "content": ""}, _openai_why(reply))
    yield from _openai_tail(reply, body)


def _chunk_frame(body: Json) -> Json:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": body["model"]}


def _openai_why(reply: Reply) -> str:
    return {"length": "length", "refused": "content_filter"}.get(reply.end, "tool_calls" if reply.calls else "stop")


def _openai_tail(reply: Reply, body: Json) -> Iterator[bytes]:
    if reply.usage and body.get("stream_options", {}).get("include_usage"):
        sent, received, cached, _ = reply.usage
        usage = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
        usage |= {"prompt_tokens_details": {"cached_tokens": cached}}  # type: ignore[dict-item]
        yield _event(_chunk_frame(body) | {"choices": [], "usage": usage})
    yield _event("[DONE]")


def responses_events(reply: Reply, body: Json) -> Iterator[bytes]:
    numbers = iter(range(10_000))

    def event(kind: str, **more: Any) -> bytes:
        return _event({"type": kind, "sequence_number": next(numbers)} | more, kind)

    whole: Json = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_760_000_000,
        "model": body["model"],
        "status": "in_progress",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    yield event("response.created", response=whole)
    yield event("response.in_progress", response=whole)
    output: list[Json] = []
    if reply.text:
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        at: Json = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        empty = {"type": "output_text", "text": "", "annotations": []}
        yield event("response.output_item.added", output_index=0, item=item)
        yield event("response.content_part.added", part=empty, **at)
        for part in reply.text:
            yield _Text(event("response.output_text.delta", delta=part, logprobs=[], **at))
        done = empty | {"text": "".join(reply.text)}
        yield event("response.output_text.done", text=done["text"], logprobs=[], **at)
        yield event("response.content_part.done", part=done, **at)
        output.append(item | {"status": "completed", "content": [done]})
        yield event("response.output_item.done", output_index=0, item=output[-1])
    for ident, call in _ids(reply, "call_"):
        place = len(output)
        made = {"id": f"fc_{ident}", "type": "function_call", "call_id": ident, "name": call.name}
        made |= {"namespace": call.namespace} if call.namespace else {}
        yield event(
            "response.output_item.added", output_index=place, item=made | {"arguments": "", "status": "in_progress"}
        )
        for part in _halves(call.arguments):
            kind = "response.function_call_arguments.delta"
            yield event(kind, item_id=made["id"], output_index=place, delta=part)
        kind = "response.function_call_arguments.done"
        yield event(kind, item_id=made["id"], output_index=place, name=call.name, arguments=call.arguments)
        output.append(made | {"arguments": call.arguments, "status": "completed"})
        yield event("response.output_item.done", output_index=place, item=output[-1])
    cause = {"length": "max_output_tokens", "refused": "content_filter"}.get(reply.end)
    state = "incomplete" if cause else "completed"
    last = whole | {"status": state, "output": output, "incomplete_details": {"reason": cause} if cause else None}
    if reply.usage:
        sent, received, cached, _ = reply.usage
        last["usage"] = {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": received,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + received,
        }
    yield event(f"response.{state}", response=last)


def gemini_events(reply: Reply, body: Json) -> Iterator[bytes]:  # noqa: ARG001 (the model stands in the path)
    def chunk(parts: list[Json], why: str = "") -> bytes:
        candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
        if why:
            candidate["finishReason"] = why
        whole: Json = {"candidates": [candidate], "modelVersion": "gemini-scripted", "responseId": "r1"}
        if reply.usage:
            sent, received, cached, _ = reply.usage
            counts = {"promptTokenCount": sent, "candidatesTokenCount": received, "totalTokenCount": sent + received}
            whole["usageMetadata"] = counts | {"cachedContentTokenCount": cached}
        return _event(whole)

    for part in _halves(reply.thinking):
        yield chunk([{"text": part, "thought": True}])
    for part in reply.text:
        yield _Text(chunk([{"text": part}]))
    calls = []
    for ident, call in _ids(reply, "call_"):
        try:
            arguments = json.loads(call.arguments)
        except ValueError:
            # Gemini sends objects, and gives up on its answer where the model wrote none
            yield chunk([], "MALFORMED_FUNCTION_CALL")
            return
        signed = {"thoughtSignature": reply.signature} if reply.signature else {}
        calls.append({"functionCall": {"id": ident, "name": call.name, "args": arguments}} | signed)
    if calls:
        yield chunk(calls)
    yield chunk([{"text": ""}], {"length": "MAX_TOKENS", "refused": "SAFETY"}.get(reply.end, "STOP"))


EVENTS: dict[Wire, Callable[[Reply, Json], Iterator[bytes]]] = {
    "anthropic": anthropic_events,
    "openai": openai_events,
    "responses": responses_events,
    "gemini": gemini_events,
    "ollama": ollama_events,
}


def anthropic_whole(reply: Reply, body: Json) -> Json:
    """The answer in one piece, for a client that does not stream."""
    sent, received, cached, stored = reply.usage or (0, 0, 0, 0)
    usage = {"input_tokens": sent - cached - stored, "output_tokens": received}
    usage |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": stored}
    content: list[Json] = [{"type": "text", "text": "".join(reply.text)}] if reply.text else []
    for ident, call in _ids(reply, "toolu_"):
        content.append({"type": "tool_use", "id": ident, "name": call.name, "input": json.loads(call.arguments)})
    why = {"length": "max_tokens", "refused": "refusal"}.get(reply.end, "tool_use" if reply.calls else "end_turn")
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    return head | {"content": content, "stop_reason": why, "stop_sequence": None, "usage": usage}


def openai_whole(reply: Reply, body: Json) -> Json:
    sent, received, cached, _ = reply.usage or (0, 0, 0, 0)
    calls = [
        {"id": ident, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for ident, call in _ids(reply, "call_")
    ]
    message: Json = {"role": "assistant", "content": "".join(reply.text) or None, "refusal": None}
    message |= {"tool_calls": calls} if calls else {}
    choice = {"index": 0, "message": message, "finish_reason": _openai_why(reply), "logprobs": None}
    usage = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
    usage |= {"prompt_tokens_details": {"cached_tokens": cached}}  # type: ignore[dict-item]
    return _chunk_frame(body) | {"object": "chat.completion", "choices": [choice], "usage": usage}


WHOLE: dict[Wire, Callable[[Reply, Json], Json]] = {"anthropic": anthropic_whole, "openai": openai_whole}

_ANTHROPIC_KINDS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}
_ANTHROPIC_KINDS |= {413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}
_GEMINI_KINDS = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
_GEMINI_KINDS |= {500: "INTERNAL", 503: "UNAVAILABLE"}
# as vendors say it; whoever reads them must not depend on more than that they say it so
_OVERFLOWS: dict[Wire, str] = {
    "anthropic": "prompt is too long: 214342 tokens > 200000 maximum",
    "openai": "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
    "responses": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "gemini": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "ollama": "the request exceeds the available context size, try increasing it",
}
_OPENAI_CODES = {"overflow": "context_length_exceeded", "rate": "rate_limit_exceeded", "quota": "insufficient_quota"}
_OPENAI_CODES |= {"auth": "invalid_api_key", "missing": "model_not_found"}


def failure(wire: Wire) -> bytes:
    """The vendor's error inside a stream that had begun well: too much to do."""
    message = "Scripted: overloaded."
    if wire == "anthropic":
        return _event({"type": "error", "error": {"type": "overloaded_error", "message": message}}, "error")
    if wire == "gemini":
        return _event({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})
    if wire == "responses":
        error = {"type": "error", "code": "server_error", "message": message, "param": None, "sequence_number": 9}
        return _event(error, "error")
    return _event({"error": {"message": message, "type": "server_error", "param": None, "code": None}})


def refusal(wire: Wire, reply: Reply) -> bytes:
    """The vendor's body of an error. A proxy in between answers with a page."""
    if reply.fault == "page":
        return b"<html><body><h1>502 Bad Gateway</h1></body></html>"
    message = _OVERFLOWS[wire] if reply.fault == "overflow" else f"Scripted: {reply.fault or reply.status}."
    body: Json
    if wire == "anthropic":
        kind = "billing_error" if reply.fault == "quota" else _ANTHROPIC_KINDS.get(reply.status, "api_error")
        body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    elif wire == "gemini":
        body = {
            "error": {"code": reply.status, "message": message, "status": _GEMINI_KINDS.get(reply.status, "UNKNOWN")}
        }
    else:
        kind = "server_error" if reply.status >= 500 else "invalid_request_error"
        if wire == "ollama" and reply.fault == "overflow":
            kind = "exceed_context_size_error"
        code = None if wire == "ollama" else _OPENAI_CODES.get(reply.fault)
        body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return json.dumps(body).encode()
