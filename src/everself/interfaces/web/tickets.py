"""Proofs that a form is ours, made with the secret of the visitor's cookie: against forged requests, and for what is asked twice.

Nothing is stored. Each proof is another one, so that a page's compressed size tells nobody anything about it.
"""

import hashlib
import hmac
import secrets
from typing import Final

# long enough to read a plan, short enough that a page left open does nothing by a stray key
LASTS: Final = 600
_NONCE: Final = 16


def form_token(cookie: str) -> str:
    nonce = secrets.token_hex(_NONCE)
    return f"{nonce}.{_proof(cookie, 'form', nonce)}"


def is_form_token(cookie: str, given: str) -> bool:
    nonce, _, proof = given.partition(".")
    return len(nonce) == 2 * _NONCE and hmac.compare_digest(proof.encode(), _proof(cookie, "form", nonce).encode())


def confirmation(cookie: str, subject: str, now: float) -> str:
    """Says that a plan about this subject was shown at that time."""
    begun = str(int(now))
    return f"{begun}.{_proof(cookie, 'confirm', begun, subject)}"


def is_confirmed(cookie: str, subject: str, given: str, now: float) -> bool:
    begun, _, proof = given.partition(".")
    if not (begun.isascii() and begun.isdigit() and len(begun) < 12 and 0 <= now - int(begun) <= LASTS):
        return False
    return hmac.compare_digest(proof.encode(), _proof(cookie, "confirm", begun, subject).encode())


def _proof(cookie: str, *parts: str) -> str:
    message = "\x00".join(parts).encode("utf-8", "replace")
    return hmac.new(cookie.encode(), message, hashlib.sha256).hexdigest()
