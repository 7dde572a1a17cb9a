"""The two connections of the stdio server to an agent: the gateway's unix socket, and its own worker process.

Each transports one stateless request of protocol 2026-07-28 and its response.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import field
from typing import Any, Final

import httpx2
from mcp import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp_types import CLIENT_CAPABILITIES_META_KEY, INTERNAL_ERROR, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_MODERN_VERSION

from everself.frozen import Frozen
from everself.interfaces.http.access import AGENT, PROJECT
from everself.storage.socket_address import socket_address

Answered = dict[str, Any]
_META: Final = {PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION, CLIENT_CAPABILITIES_META_KEY: {}}
# longer than the gateway's own time-out
_SECONDS: Final = 660.0
_MOST_LINE: Final = 64 * 2**20
_LEAVE: Final = 3.0
_BUSY: Final = (429, 503)
_TRIES: Final = 6
_LONGEST_PAUSE: Final = 5.0
_UNKNOWN: Final = "Whether it was done is not known; asked again with the same key, it is done once."


class Unreachable(Exception):
    """Nothing listens; the request was not sent."""


def _request(number: int, method: str, params: Mapping[str, Any]) -> Answered:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": _META}}


def _result(answer: Any) -> Answered:
    """The result of a response. Raises MCPError if it is an error."""
    if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
        raise MCPError(INTERNAL_ERROR, "The answer cannot be read.")
    error = answer.get("error")
    if error is not None:
        raise MCPError(int(error["code"]), str(error["message"]), error.get("data"))
    result: Answered = answer["result"]
    return result


class GatewayLink:
    def __init__(self, socket: str, agent: str, project: str) -> None:
        """Raises Unreachable if the socket's folder is missing."""
        # one connection per call: a kept connection may belong to a gateway that ended
        limits = httpx2.Limits(max_keepalive_connections=0)
        self._held = ExitStack()
        try:
            address = self._held.enter_context(socket_address(socket))
        except OSError as error:
            raise Unreachable from error
        transport = httpx2.AsyncHTTPTransport(uds=address, limits=limits)
        self.socket = socket
        named = {AGENT.decode(): agent, PROJECT.decode(): project}
        self._named = {key: value for key, value in named.items() if value}
        self._client = httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=_SECONDS)

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answered:
        """Send a request. Raises Unreachable if no gateway accepted it."""
        headers = {
            "accept": "application/json, text/event-stream",
            **self._named,
            MCP_PROTOCOL_VERSION_HEADER: LATEST_MODERN_VERSION,
            MCP_METHOD_HEADER: method,
        }
        if key := NAME_BEARING_METHODS.get(method):
            headers[MCP_NAME_HEADER] = encode_header_value(str(params.get(key, "")))
        try:
            answer = await self._post(_request(1, method, params), headers)
        except httpx2.ConnectError as error:
            raise Unreachable from error
        except httpx2.HTTPError as error:
            raise MCPError(INTERNAL_ERROR, f"The gateway did not answer. {_UNKNOWN}") from error
        try:
            said = answer.json()
        except ValueError as error:
            raise MCPError(INTERNAL_ERROR, f"The gateway's answer cannot be read. {_UNKNOWN}") from error
        if isinstance(said, dict) and "jsonrpc" not in said:
            words = (said.get("detail") or said.get("title"), said.get("next"))
            raise MCPError(INTERNAL_ERROR, " → ".join(str(one) for one in words if one))
        return _result(said)

    async def _post(self, body: Answered, headers: dict[str, str]) -> httpx2.Response:
        """Post a request; retried if the gateway is overloaded, because it has done nothing then."""
        for _ in range(_TRIES):
            answer = await self._client.post("/mcp", json=body, headers=headers)
            if answer.status_code not in _BUSY:
                break
            after = answer.headers.get("retry-after", "")
            await asyncio.sleep(min(_LONGEST_PAUSE, float(after) if after.isdigit() else 1.0))
        return answer

    async def close(self) -> None:
        await self._client.aclose()
        self._held.close()


class WorkerLink:
    """A process that opens the agent. The first request starts it, and it ends after `idle` seconds without requests, which frees the
    memory of index and model."""

    def __init__(self, agent: str, project: str, idle: float) -> None:
        self._named = (agent, project)
        self._idle = idle
        self._lock = asyncio.Lock()
        self._process: _Worker | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Answered]] = {}
        self._number = 0
        self._timer: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Future[None]] = set()

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answered:
        if self._timer is not None:
            self._timer.cancel()
        self._number += 1
        number = self._number
        answer: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        # counted from here, so that the worker is not ended before this request reaches it
        self._waiting[number] = answer
        try:
            async with self._lock:
                process = self._process or await self._start()
                process.asked.add(number)
            line = json.dumps(_request(number, method, params), ensure_ascii=True)
            # the reader reports a worker that just died
            with suppress(ConnectionError):
                process.input.write(line.encode() + b"\n")
                await process.input.drain()
            return _result(await answer)
        finally:
            self._waiting.pop(number, None)
            if not self._waiting:
                self._timer = asyncio.get_running_loop().call_later(self._idle, self._let_go)

    async def _start(self) -> "_Worker":
        command = (sys.executable, "-P", "-m", "everself.interfaces.mcp.worker", *self._named)
        pipe = asyncio.subprocess.PIPE
        made = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=_MOST_LINE)
        if made.stdin is None or made.stdout is None:
            raise RuntimeError("a process without its pipes")
        self._process = _Worker(made, made.stdin, made.stdout)
        self._reading = asyncio.ensure_future(self._read(self._process))
        return self._process

    async def _read(self, process: "_Worker") -> None:
        with suppress(ValueError, ConnectionError):
            while line := await process.output.readline():
                said = json.loads(line)
                waiting = self._waiting.get(said.get("id", 0)) if isinstance(said, dict) else None
                if waiting is not None and not waiting.done():
                    waiting.set_result(said)
        if self._process is process:
            self._process = None
        for number in process.asked & self._waiting.keys():
            if not self._waiting[number].done():
                error = MCPError(INTERNAL_ERROR, f"The worker ended without an answer. {_UNKNOWN}")
                self._waiting[number].set_exception(error)
        await process.end()

    def _let_go(self) -> None:
        task = asyncio.ensure_future(self._end(idle=True))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, *, idle: bool) -> None:
        """End the worker; if only because it is idle, then not while requests wait."""
        async with self._lock:
            if idle and self._waiting:
                return
            process, self._process = self._process, None
        if process is not None:
            await process.end()

    async def close(self) -> None:
        await self._end(idle=False)


class _Worker(Frozen):
    process: asyncio.subprocess.Process
    input: asyncio.StreamWriter
    output: asyncio.StreamReader
    # ids of the requests sent to it
    asked: set[int] = field(default_factory=set)

    async def end(self) -> None:
        """Close its stdin, which ends it. If it does not end, kill it: all acknowledged data is on disk."""
        self.input.close()
        try:
            async with asyncio.timeout(_LEAVE):
                await self.process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
