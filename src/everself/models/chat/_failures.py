"""Explains why a model failed, in a message that the user can act on. Reads error types and status codes, not texts.

The vendor's own message is included only if the request was refused, and without secrets. Does not retry.
"""

from everself.errors import ModelFailed, ModelFault
from everself.models.chat.vendors import ModelAccount
from everself.text.redaction import redact

_LONGEST = 300
_ANOTHER = "everself model use PROVIDER/NAME"


class Failures:
    """Explains errors for one account. `stall` is the time-out in seconds."""

    def __init__(self, account: ModelAccount, stall: float) -> None:
        self._account = account
        self._stall = stall

    def read(self, error: BaseException, *, begun: bool) -> ModelFailed:
        """The failure for an error; `begun` is True if a part of the answer was delivered already."""
        status, reason = _status(error), _reason(error)
        if status is not None and 300 <= status < 400:
            words = f"{self._account.provider} redirects to another address (status {status}), which is not followed."
            return ModelFailed(words, mend=f"everself config set provider.{self._account.settings}.baseUrl URL")
        if _is_end(error) or (reason == "network" and getattr(error, "phase", "connect") in ("read", None)):
            return self.broke_off(begun=begun)
        words, mend = self._explain(reason, error)
        retry_after = _retry_after(error)
        if begun:
            words = _half_way(words)
        elif retry_after is not None and retry_after >= 1:
            words = f"{words} Retry after {_span(retry_after)}."
        return ModelFailed(words, reason=reason, retry_after=retry_after, mend=mend)

    def broke_off(self, *, begun: bool) -> ModelFailed:
        """The failure for an answer that ended early."""
        words = f"{self._account.provider} closed the connection before the end of its answer."
        return ModelFailed(_half_way(words) if begun else words, reason="network", mend=f"Try again, or: {_ANOTHER}")

    def malformed(self) -> ModelFailed:
        words = f"{self._account.provider} returned a malformed answer."
        return ModelFailed(words, reason="shape", mend=_ANOTHER)

    def _explain(self, reason: ModelFault, error: BaseException) -> tuple[str, str]:
        """What happened, and what helps."""
        who, model, settings = self._account.provider, self._account.model, self._account.settings
        status = _status(error)
        seen = f" (status {status})" if status is not None else ""
        known: dict[ModelFault, tuple[str, str]] = {
            "auth": (f"{who} does not accept the key{seen}.", f"everself config set provider.{settings}.apiKey KEY"),
            "quota": (
                f"{who} reports that the quota or credit of the account is used up{seen}.",
                f"Top up the account at {settings}, or: {_ANOTHER}",
            ),
            "rate": (f"{who} limits the request rate{seen}.", f"Wait a little, or: {_ANOTHER}"),
            "missing": (f"{who} does not know the model {model}, or not at this address{seen}.", _ANOTHER),
            "server": (f"{who} has a server error{seen}.", f"Try again later, or: {_ANOTHER}"),
            "overflow": (
                f"The conversation exceeds the context window of {model}{seen}.",
                "/compact, or /new for a fresh conversation",
            ),
            "refused": (f"The filter of {who} stopped the answer{seen}.", "Rephrase the message."),
            "timeout": (f"{who} sent nothing for {self._stall:g} s.", f"Try again, or: {_ANOTHER}"),
            "network": (f"{who} at {self._account.host} cannot be reached.", self._mend_network()),
            "shape": (f"{who} sent an invalid answer{seen}.", _ANOTHER),
        }
        if reason == "missing" and self._account.wire == "ollama":
            return known[reason][0], f"ollama pull {model}"
        own = _own_sentence(error)
        return known.get(reason, (f"{who} refused the request{seen}{': ' + own if own else '.'}", _ANOTHER))

    def _mend_network(self) -> str:
        if self._account.wire == "ollama":
            return "ollama serve"
        if self._account.local:
            own = f"everself config set provider.{self._account.settings}.baseUrl URL"
            return f"Start the server at {self._account.url}, or: {own}"
        return "Check the connection, then try again."


def _reason(error: BaseException) -> ModelFault:
    import httpx2
    from pydantic_ai import exceptions as kinds

    # from specific to general: some are subclasses of others
    table: tuple[tuple[type[BaseException], ModelFault], ...] = (
        (kinds.ModelContextWindowExceededError, "overflow"),
        (kinds.ModelAuthenticationError, "auth"),
        (kinds.ModelNotFoundError, "missing"),
        (kinds.ModelQuotaExceededError, "quota"),
        (kinds.ModelRateLimitError, "rate"),
        (kinds.ModelUnavailableError, "server"),
        (kinds.ModelServerError, "server"),
        (kinds.ModelTimeoutError, "timeout"),
        (kinds.ModelRequestTimeout, "timeout"),
        (kinds.ModelConnectionError, "network"),
        (kinds.ContentFilterError, "refused"),
        (kinds.UnexpectedModelBehavior, "shape"),
        (httpx2.TimeoutException, "timeout"),
        (httpx2.HTTPError, "network"),
        (httpx2.StreamError, "network"),
        (OSError, "network"),
        (ValueError, "shape"),
    )
    reason: ModelFault = next((fault for kind, fault in table if isinstance(error, kind)), "other")
    if reason == "other" and isinstance(error.__cause__, ValueError):
        return "shape"
    # errors that pydantic-ai does not classify: servers built on llama.cpp, and statuses of proxies
    if getattr(error, "provider_error_type", None) == "exceed_context_size_error":
        return "overflow"
    if reason == "timeout" and getattr(error, "phase", None) in ("connect", "pool"):
        return "network"
    of_proxies: dict[int | None, ModelFault] = {408: "timeout", 413: "overflow"}
    return of_proxies.get(_status(error), reason)


def _status(error: BaseException) -> int | None:
    """The HTTP status of an error, or of the vendor's own error behind it."""
    named = ((error, "status_code"), (error.__cause__, "status_code"), (error.__cause__, "code"))
    found = (getattr(one, name, None) for one, name in named)
    return next((status for status in found if isinstance(status, int)), None)


def _is_end(error: BaseException) -> bool:
    """Whether a stream ended early: the only error that pydantic-ai raises without details."""
    from pydantic_ai.exceptions import ModelAPIError

    return type(error) is ModelAPIError and not error.in_stream and error.body is None and error.__cause__ is None


def _retry_after(error: BaseException) -> float | None:
    """Seconds from the headers, or from the place where Google puts them."""
    told = getattr(error, "retry_after", None)
    if isinstance(told, float | int):
        return float(told)
    details = _inner(error).get("details")
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.removesuffix("s").replace(".", "", 1).isdecimal():
            return float(delay.removesuffix("s"))
    return None


def _inner(error: BaseException) -> dict[str, object]:
    """The object in which all vendors describe the error."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _half_way(words: str) -> str:
    return f"The answer broke off: {words} What was received so far is kept."


def _own_sentence(error: BaseException) -> str:
    """The vendor's message, without secrets."""
    message = _inner(error).get("message")
    if not isinstance(message, str):
        return ""
    line = " ".join(redact(message).text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"
