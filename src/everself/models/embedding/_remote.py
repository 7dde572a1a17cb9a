"""An embedding service over HTTP: one request, one answer, every failure classified.

Follows no redirect, so that a key never reaches another host, and limits the size of an answer. Does not retry and does not check
numbers: `CheckedEmbedder` does.
"""

import json
import math
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from everself import clock
from everself.config import Secret
from everself.config.installation import install_command
from everself.errors import BadConfig, EmbeddingFailed, EmbeddingFault
from everself.frozen import Frozen
from everself.models.addresses import LOOPBACK, header_value, is_address
from everself.models.call_switch import check_allowed
from everself.models.embedding._wire_formats import WireFormat
from everself.models.embedding.protocol import Purpose

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

_DAY = 86_400.0
_STATUS: Mapping[int, EmbeddingFault] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "missing",
    408: "timeout",
    429: "rate",
}
_CODES: Mapping[str, EmbeddingFault] = {
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "API_KEY_INVALID": "auth",
    "invalid_api_key": "auth",
}
_WORDS: Mapping[EmbeddingFault, str] = {
    "auth": "does not accept the key",
    "quota": "reports that the quota is used up",
    "rate": "limits the request rate",
    "missing": "does not know the model or the address",
    "timeout": "gave up waiting",
    "network": "is in trouble",
}


def read_refusal(provider: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> EmbeddingFailed:
    """The failure for an answer with a status other than 200."""
    details = _details(body)
    reason: EmbeddingFault = "network" if status >= 500 else _STATUS.get(status, "other")
    reason = next((_CODES[code] for code in _codes(details) if code in _CODES), reason)
    wait = _retry_after(headers, now)
    if wait is None:
        wait = next((found for item in details if (found := _seconds(item.get("retryDelay"))) is not None), None)
    words = f"{provider} {_WORDS.get(reason, 'refused')} (status {status})."
    mend = f"everself config set provider.{provider}.apiKey KEY" if reason == "auth" and provider != "remote" else ""
    return EmbeddingFailed(words, reason=reason, retry_after=wait, mend=mend)


def _details(body: bytes) -> list[dict[str, object]]:
    """The objects in an error body that may contain a code: the error, then its details."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return []
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return []
    more = error.get("details")
    return [error, *(item for item in (more if isinstance(more, list) else []) if isinstance(item, dict))]


def _codes(details: list[dict[str, object]]) -> list[str]:
    values = (item.get(name) for item in details for name in ("code", "type", "reason"))
    return [value for value in values if isinstance(value, str)]


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds, in any of the three ways that services use."""
    ways: tuple[tuple[str, Callable[[str], float | None]], ...] = (
        ("retry-after-ms", lambda text: _scaled(_seconds(text), 0.001)),
        ("retry-after", _seconds),
        ("retry-after", lambda text: _until(text, now)),
    )
    found = (read(headers[name]) for name, read in ways if headers.get(name))
    return next((seconds for seconds in found if seconds is not None), None)


def _seconds(value: object) -> float | None:
    """ "20", "1.5" or "30s", at most a day."""
    if not isinstance(value, str):
        return None
    try:
        seconds = float(value.strip().removesuffix("s"))
    except ValueError:
        return None
    return min(max(seconds, 0.0), _DAY) if math.isfinite(seconds) else None


def _scaled(seconds: float | None, factor: float) -> float | None:
    return None if seconds is None else seconds * factor


def _until(text: str, now: datetime) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), _DAY)


_CONNECT = 5.0
# A row of 4,096 numbers with all digits is about 90 KB; an error body is small.
_BYTES_A_TEXT = 128 * 1024
_BYTES_BESIDE = 1024 * 1024


class Timeouts(Frozen):
    """Seconds for a whole request: a user waits for a query, but not for a batch."""

    query: float = 10.0
    document: float = 60.0


class EmbeddingAccount(Frozen):
    """Provider endpoint and account. Secrets are read when a request is sent and never stored as text."""

    provider: str
    model: str
    url: str
    key: Secret | None = None
    headers: tuple[tuple[str, Secret], ...] = ()
    timeouts: Timeouts = Timeouts()


class RemoteEmbedder:
    """One service, one model."""

    dimensions = None

    def __init__(self, wire: WireFormat, account: EmbeddingAccount) -> None:
        self.provider = account.provider
        self._wire = wire
        self._account = account
        self._host = urlsplit(account.url).hostname or ""
        self._client: Any = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        return f"Remote({self.provider}, {self.model})"

    @property
    def model(self) -> str:
        # self-hosted servers may use any model name; Ollama's names mean the same everywhere
        elsewhere = self.provider != "ollama" and self._host != urlsplit(self._wire.url).hostname
        return f"{self._account.model}@{self._host}" if elsewhere else self._account.model

    @property
    def paid(self) -> bool:
        return self.provider != "ollama" and self._host not in LOOPBACK

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        import numpy

        check_allowed()
        body = json.dumps(self._wire.body(self._account.model, texts, purpose)).encode()
        limit = _BYTES_BESIDE + len(texts) * _BYTES_A_TEXT
        answer = self._exchange(body, limit, getattr(self._account.timeouts, purpose))
        try:
            return numpy.array(self._wire.rows(json.loads(answer), len(texts)), dtype=numpy.float32)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise EmbeddingFailed(f"{self.provider} did not return a table of numbers.", reason="shape") from error

    def _exchange(self, body: bytes, limit: int, seconds: float) -> bytes:
        """The body of a successful answer."""
        try:
            import httpx2
        except ImportError:
            # where search continues with keywords, only this sentence is shown
            words = f"The package that talks to {self.provider} is not installed: {install_command('models')}"
            raise EmbeddingFailed(words, reason="missing") from None
        end = clock.monotonic() + seconds
        url = endpoint(self._account.url, self._wire.path(self._account.model))
        timeout = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT))
        try:
            with self._open().stream("POST", url, content=body, headers=self._headers(), timeout=timeout) as answer:
                data = self._read(answer.iter_bytes(), limit, end)
                status, headers = answer.status_code, dict(answer.headers)
        # without a cause: an exception of the client contains the request, and the request the key
        except httpx2.TimeoutException:
            raise EmbeddingFailed(f"{self.provider} did not answer within {seconds:g} s.", reason="timeout") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
            words = f"{self.provider} at {self._host} cannot be reached ({type(error).__name__})."
            raise EmbeddingFailed(words, reason="network", mend=self._hint("network")) from None
        if status == 200:
            return data
        if 300 <= status < 400:
            words = f"{self.provider} redirects to another address (status {status}), which is not followed."
            raise EmbeddingFailed(words, mend="everself config set memorySearch.remote.baseUrl URL")
        failure = read_refusal(self.provider, status, headers, data, clock.system_now())
        failure.mend = failure.mend or self._hint(failure.reason)
        raise failure

    def _read(self, parts: Any, limit: int, end: float) -> bytes:
        found = bytearray()
        for part in parts:
            found += part
            if len(found) > limit:
                words = f"{self.provider} answered with more than {limit // 1024 // 1024} MB."
                raise EmbeddingFailed(words, reason="shape")
            # the client's own time-out restarts with every byte
            if clock.monotonic() > end:
                raise EmbeddingFailed(f"{self.provider} answers too slowly.", reason="timeout")
        return bytes(found)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._account.key is not None:
            name, before = self._wire.key_header
            headers[name] = before + _revealed(self._account.key, self.provider)
        elif self._wire.needs_key:
            words = f"No API key is set for {self.provider}."
            mend = f"everself config set provider.{self.provider}.apiKey KEY"
            raise EmbeddingFailed(words, reason="auth", mend=mend)
        return headers | {name: _revealed(secret, self.provider) for name, secret in self._account.headers}

    def _hint(self, reason: str) -> str:
        if self.provider == "ollama":
            return {"network": "ollama serve", "missing": f"ollama pull {self._account.model}"}.get(reason, "")
        return "everself config set memorySearch.model NAME" if reason == "missing" else ""

    def _open(self) -> Any:
        """One client for all requests, so that connections are reused."""
        import httpx2

        with self._opening:
            if self._client is None:
                # no proxy for connections to this machine; loading certificates takes 50 ms and is not needed for http, which cannot
                # redirect
                secure = urlsplit(self._account.url).scheme != "http"
                client = httpx2.Client(follow_redirects=False, trust_env=self._host not in LOOPBACK, verify=secure)
                weakref.finalize(self, client.close)
                self._client = client
            return self._client


def endpoint(url: str, path: str) -> str:
    """The URL to post to. `/v1` is added to a bare host for OpenAI's path; a complete address is not changed."""
    url = url.rstrip("/")
    if url.endswith(path):
        return url
    bare = urlsplit(url).path in ("", "/") and path == "/embeddings"
    return f"{url}/v1{path}" if bare else f"{url}{path}"


def is_at_home(url: str, usual: str) -> bool:
    """Whether an address belongs to the owner of the usual one, as `eu.api.openai.com` and `api.openai.com`."""
    host, owner = urlsplit(url).hostname or "", ".".join((urlsplit(usual).hostname or "").split(".")[-2:])
    return host == owner or host.endswith(f".{owner}")


def find_fault(url: str) -> str:
    """The reason why an address cannot be used, without the address: it may contain a password."""
    return (
        ""
        if is_address(url)
        else "The address of the embedding server does not begin with http:// or https:// and a host."
    )


def _revealed(secret: Secret, provider: str) -> str:
    try:
        return header_value(secret, provider)
    except BadConfig as error:
        raise EmbeddingFailed(error.detail, reason="auth", mend=error.mend) from None
