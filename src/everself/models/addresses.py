"""Checks the addresses of servers and the keys sent to them, before a request."""

from typing import Final
from urllib.parse import urlsplit

from everself.config import Secret
from everself.errors import BadConfig

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def is_address(url: str) -> bool:
    """Whether a URL has a host and a scheme that HTTP can use."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def header_value(secret: Secret, provider: str) -> str:
    """The value of a secret for a request header. Raises BadConfig if it is missing or contains a character that headers cannot."""
    value = secret.reveal().strip()
    if not value or not value.isascii() or not value.isprintable():
        words = f"The secret {secret.key} for {provider} contains a character that is not allowed in a header."
        raise BadConfig(words, mend=f"everself config set {secret.key} VALUE")
    return value
