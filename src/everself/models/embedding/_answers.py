"""Classifies the refusal of an embedding service by its status, headers and error codes.

The body's sentences are neither read nor repeated: they may hold a piece of the key. Knows nothing of connections.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from everself.errors import EmbeddingFailed, EmbeddingFault

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
    """The failure that an answer other than 200 stands for."""
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
    """The objects of an error's body that may hold a code: the error itself, then its details."""
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
    """Seconds, by any of the three ways in which services say it."""
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
