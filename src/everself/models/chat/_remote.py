"""A chat model over HTTP: streams its reply and retries only while nothing of the reply was delivered.

Uses pydantic-ai's direct API. Follows no redirect, so that a key never reaches another host. Keeps no state between requests except
connections, if the event loop keeps some. Closing the stream closes the connection. Knows no memory, tool or price.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from everself.clock import monotonic
from everself.errors import ModelFailed, ModelFault
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.models.call_switch import check_allowed
from everself.models.chat._failures import Failures
from everself.models.chat._rendering import render_parameters, render_settings, render_turns, render_user, wants_back
from everself.models.chat.connections import IDLE_SECONDS, MOST_IDLE, client_for
from everself.models.chat.model_table import ModelFacts
from everself.models.chat.protocol import (
    ChatRequest,
    ModelTurn,
    ReplyCall,
    ReplyEnd,
    ReplyPart,
    ReplyText,
    ReplyThinking,
    ToolCall,
    ToolTurn,
    Usage,
)
from everself.models.chat.vendors import ModelAccount, build, load

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import StreamedResponse

_log = get_logger(__name__)

# Maximum number of attempts. A silent server costs the user minutes, a busy one seconds.
_TRIES: Mapping[ModelFault, int] = MappingProxyType({"rate": 4, "server": 4, "network": 3, "timeout": 2, "shape": 2})

# Headers to send. The vendors' packages would add an organisation, a project and headers from the environment.
_HEADERS = (
    *("host", "accept", "connection", "content-", "transfer-encoding", "user-agent"),
    *("authorization", "x-api-key", "x-goog-api-", "anthropic-"),
)


class StreamTimeouts(Frozen):
    """Seconds. `stall` is the longest wait for a byte; all waits between attempts together stay within `wait`."""

    stall: float = 120.0
    connect: float = 10.0
    first: float = 0.5
    wait: float = 60.0
    # asyncio.sleep by default
    sleep: Callable[[float], Awaitable[None]] | None = None


class RemoteChatModel:
    """One model of one vendor."""

    def __init__(self, account: ModelAccount, known: ModelFacts, patience: StreamTimeouts = StreamTimeouts()) -> None:  # noqa: B008 (frozen, so it may be shared)
        self._account = account
        self._known = known
        self._patience = patience
        self._failures = Failures(account, patience.stall)
        # models of one account share connections; no cookies are sent
        self._shared = (account.provider, account.url, account.key.key if account.key is not None else "", patience)
        self._prepared = False

    def __repr__(self) -> str:
        return f"Remote({self.name})"

    @property
    def name(self) -> str:
        return self._account.name

    @property
    def window(self) -> int:
        return self._known.window

    @property
    def most_output(self) -> int:
        return self._known.most_output

    @property
    def note(self) -> str:
        """A note for the user about guessed numbers; empty if they are known."""
        return self._known.note

    @property
    def paid(self) -> bool:
        return self._account.wire != "ollama" and not self._account.local

    @property
    def takes_images(self) -> bool:
        """Always True: which models accept images is not known here, and a model that does not returns an error."""
        return True

    def prepare(self) -> None:
        """Import the vendor's packages ahead of the first request. Raises ModelFailed if they are missing."""
        load(self._account)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ReplyPart, None]:
        """Close it with `contextlib.aclosing` if it is not read to the end; that closes the connection."""
        check_allowed()
        tries, waited, native = 0, 0.0, True
        while True:
            begun = False
            tries += 1
            sent_at = monotonic()
            try:
                # an abandoned generator does not close the generator it reads from
                async with aclosing(self._attempt(request, native=native)) as attempt:
                    async for piece in attempt:
                        begun = True
                        if isinstance(piece, ReplyEnd):
                            _log_answer(self.name, piece, monotonic() - sent_at, tries)
                        yield piece
                return
            except ModelFailed as failure:
                _log.warning("%s failed at attempt %d (%s).", self.name, tries, failure.reason)
                if begun:
                    raise
                if failure.reason == "other" and request.schema is not None and native:
                    # a server without schema support refuses the request; ask for the schema in the prompt instead
                    native = False
                    continue
                wait = self._wait(failure, tries, waited)
                if wait is None:
                    raise
            waited += wait
            await self._sleep(wait)

    def _wait(self, failure: ModelFailed, tries: int, waited: float) -> float | None:
        """Seconds until the next attempt; None if there is none."""
        if tries >= _TRIES.get(failure.reason, 1):
            return None
        asked = failure.retry_after
        wait = asked if asked is not None else self._patience.first * 2 ** (tries - 1)
        return wait if waited + wait <= self._patience.wait else None

    async def _sleep(self, seconds: float) -> None:
        import asyncio

        await (self._patience.sleep or asyncio.sleep)(seconds)

    async def _attempt(self, request: ChatRequest, *, native: bool) -> AsyncGenerator[ReplyPart, None]:
        """One request and its answer. Errors of the vendor or the network become ModelFailed."""
        import asyncio

        if not self._prepared:
            # importing the vendors' packages takes a second, during which the user may cancel
            await asyncio.to_thread(self.prepare)
            self._prepared = True
        import httpx2
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.exceptions import AgentRunError, UserError

        begun = False
        async with client_for(self._shared, self._client) as client:
            model = build(self._account, client)
            try:
                async with (
                    model_request_stream(
                        model,
                        render_turns(request, self._account.wire),
                        model_settings=render_settings(request, self._account.wire, model),
                        model_request_parameters=render_parameters(request, model, native=native),
                        instrument=False,
                    ) as answer,
                    aclosing(_said(answer)) as said,
                ):
                    async for piece in said:
                        begun = True
                        yield piece
                    response, usage = answer.get(), answer.usage
            # without a cause: an exception of the client contains the request, and the request the key
            except (AgentRunError, UserError, httpx2.HTTPError, httpx2.StreamError, OSError, ValueError) as error:
                raise self._failures.read(error, begun=begun) from None
        for last in self._ended(request, response, usage, begun=begun):
            yield last

    def _ended(self, request: ChatRequest, response: "ModelResponse", usage: Any, *, begun: bool) -> list[ReplyPart]:
        """The final parts. Calls are delivered only with a complete answer, so that none is run from a broken one."""
        if response.finish_reason is None:
            raise self._failures.broke_off(begun=begun)
        calls = [
            ReplyCall(ToolCall(call.tool_call_id, call.tool_name, _json(call.args))) for call in response.tool_calls
        ]
        if response.finish_reason == "error":
            raise self._failures.malformed()
        why: Literal["stop", "tools", "length", "refused"] = "tools" if calls else "stop"
        if response.finish_reason == "length":
            why = "length"
        elif response.finish_reason == "content_filter":
            why = "refused"
        vendor = response if why == "tools" and wants_back(response, self._account.wire) else None
        return [*calls, ReplyEnd(_usage(usage, request, response), why, vendor)]

    def _client(self) -> "httpx2.AsyncClient":
        import httpx2

        timeout = httpx2.Timeout(self._patience.stall, connect=self._patience.connect)

        async def settle(request: "httpx2.Request") -> None:
            # the vendors' packages have a default time-out of ten minutes
            request.extensions["timeout"] = timeout.as_dict()
            for name in [*request.headers]:
                if not name.startswith(_HEADERS):
                    del request.headers[name]

        # no proxy for connections to this machine
        return httpx2.AsyncClient(
            follow_redirects=False,
            trust_env=not self._account.local,
            verify=_certificates() if self._account.url.startswith("https:") else False,
            timeout=timeout,
            limits=httpx2.Limits(max_keepalive_connections=MOST_IDLE, keepalive_expiry=IDLE_SECONDS),
            event_hooks={"request": [settle]},
        )


def _log_answer(name: str, end: ReplyEnd, seconds: float, tries: int) -> None:
    _log.info(
        "%s answered in %.0f ms at attempt %d (%s): %d tokens in, %d out, %d from the cache.",
        *(name, seconds * 1000, tries, end.why),
        *(end.usage.sent, end.usage.received, end.usage.cached),
    )


async def _said(answer: "StreamedResponse") -> AsyncGenerator[ReplyPart, None]:
    """Text and thinking as they arrive."""
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ThinkingPart,
        ThinkingPartDelta,
    )

    async for event in answer:
        match event:
            case PartStartEvent(part=TextPart(content=text)) if text:
                yield ReplyText(text)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                yield ReplyText(text)
            case PartStartEvent(part=ThinkingPart(content=text)) if text:
                yield ReplyThinking(text)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=thought)) if thought:
                yield ReplyThinking(thought)


def _json(arguments: object) -> str:
    """The arguments as JSON; some vendors send them parsed."""
    if isinstance(arguments, str):
        return arguments or "{}"
    return json.dumps(arguments or {}, ensure_ascii=False)


def _usage(told: Any, request: ChatRequest, response: "ModelResponse") -> Usage:
    if told.input_tokens or told.output_tokens:
        return Usage(told.input_tokens, told.output_tokens, told.cache_read_tokens, told.cache_write_tokens)
    from everself.text.tokens import estimate

    sent = [request.prefix, request.delta, *(tool.description for tool in request.tools)]
    for turn in request.turns:
        if isinstance(turn, ModelTurn):
            sent += [turn.text, *(call.arguments for call in turn.calls)]
        elif isinstance(turn, ToolTurn):
            sent += [back.content for back in turn.returns]
        else:
            sent.append(render_user(turn))
    received = [response.text or "", *(_json(call.args) for call in response.tool_calls)]
    return Usage(sum(map(estimate, sent)), sum(map(estimate, received)), told=False)


_CONTEXTS: list[Any] = []


def _certificates() -> Any:
    """The TLS context, cached: loading the certificates takes 50 ms."""
    if not _CONTEXTS:
        import httpx2

        _CONTEXTS.append(httpx2.create_ssl_context())
    return _CONTEXTS[0]
