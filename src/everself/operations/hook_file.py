"""The webhooks of the gateway: which agent hears them, what it does with them, and the key that signs them. Signing after
[Standard Webhooks](https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body. Knows nothing of HTTP.

A signature can only be checked by whoever has the key, so that the key itself is stored, in a file that only its owner reads.
"""

import base64
import binascii
import hmac
import os
import secrets
from hashlib import sha256
from typing import Final

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.operations.record_file import RecordFile

FILE: Final = "hooks.json"
PREFIX: Final = "whsec_"
VERSION: Final = "v1"
# seconds that the sender's clock may be off
TOLERANCE: Final = 300
LONGEST_ID: Final = 256
_BYTES: Final = 32
# so many signatures in one header are looked at: a sender that rotates its key signs twice
_MOST_SIGNATURES: Final = 8
_LONGEST_TIME: Final = 12


class Hook(Frozen):
    """`message` is what the agent does with what it is sent; `key` signs it, in force since `since`."""

    name: str
    agent: str
    message: str
    made: str
    since: str
    key: str


class Delivery(Frozen):
    """What a sender says of itself: the id of the message, the time in seconds, the signatures."""

    id: str
    time: str
    signatures: str


def new_key() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode("ascii")


def sign(key: str, identity: str, time: str, body: bytes) -> str:
    """The signature, as the header carries it."""
    signed = b".".join((identity.encode("latin-1"), time.encode("latin-1"), body))
    made = hmac.new(base64.b64decode(key.removeprefix(PREFIX)), signed, sha256).digest()
    return f"{VERSION},{base64.b64encode(made).decode('ascii')}"


def is_genuine(hook: Hook, delivery: Delivery, body: bytes, now: float) -> bool:
    """Whether whoever has the key sent just this, within the tolerance."""
    identity, time = delivery.id, delivery.time
    if not 0 < len(identity) <= LONGEST_ID or not identity.isascii() or not identity.isprintable() or "." in identity:
        return False
    if not (time.isascii() and time.isdigit() and len(time) <= _LONGEST_TIME) or abs(now - int(time)) > TOLERANCE:
        return False
    wanted = sign(hook.key, identity, time, body).encode()
    given = delivery.signatures.split()[:_MOST_SIGNATURES]
    return any(hmac.compare_digest(one.encode("latin-1", "replace"), wanted) for one in given)


class HookFile(RecordFile[Hook]):
    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, FILE), Hook, "hooks", "hook", "everself gateway hook")

    def find(self, name: str) -> Hook | None:
        return next((one for one in self.records() if one.name == name), None)

    def check(self, records: tuple[Hook, ...]) -> None:
        for one in records:
            try:
                base64.b64decode(one.key.removeprefix(PREFIX), validate=True)
            except binascii.Error as error:
                raise Damaged(
                    f"{self.path} holds a key that is none.", mend=f"everself gateway hook rotate {one.name}"
                ) from error
