"""The tokens of the gateway: who may ask which agent, and as whom. Only a hash of each is stored.

Knows nothing of HTTP. A token has 256 random bits, so that a plain hash of it cannot be searched.
"""

import hmac
import os
import secrets
import string
from hashlib import sha256
from typing import Final

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.operations.record_file import RecordFile
from everself.search.scopes import Scope, SessionKind

FILE: Final = "tokens.json"
PREFIX: Final = "evs_"
_BYTES: Final = 32
_NAME: Final = frozenset(string.ascii_lowercase + string.digits + "-")
_LONGEST: Final = 64


class Token(Frozen):
    """`session` is `main`, `group`, `guest/ID`, or `guest` where `people` is the header that names the person. `read`: it changes nothing.

    `hash` is that of the token in force since `since`.
    """

    name: str
    agent: str
    session: str
    read: bool
    people: str
    made: str
    since: str
    hash: str

    def scope(self, person: str = "") -> Scope:
        """For whom a request is answered. `person` counts only for a token that speaks for many."""
        return scope_named(self.session, person if self.people else "")


def scope_named(session: str, person: str = "") -> Scope:
    """`main`, `group` or `guest/ID`; `person` names the guest where the text does not."""
    kind, _, named = session.partition("/")
    return Scope(SessionKind(kind), named or person or None)


def is_plain(text: str) -> bool:
    """Whether a text may name a token or a person: it is compared as it stands, so that no two people become one."""
    return 0 < len(text) <= _LONGEST and set(text) <= _NAME


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(_BYTES)


def hash_of(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class TokenFile(RecordFile[Token]):
    """Read anew whenever the file is another one, so that what was rotated or removed counts at once."""

    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, FILE), Token, "tokens", "token", "everself gateway token")

    def tokens(self) -> tuple[Token, ...]:
        """Raises Damaged where the file is not what Everself wrote: then nobody is let in."""
        return self.records()

    def find(self, secret: str) -> Token | None:
        """The token that this is, by its hash."""
        wanted = hash_of(secret)
        found = [one for one in self.tokens() if hmac.compare_digest(one.hash, wanted)]
        return found[0] if found else None

    def check(self, records: tuple[Token, ...]) -> None:
        if any(one.session.partition("/")[0] not in list(SessionKind) for one in records):
            raise Damaged(f"{self.path} names a kind of session that is not known.", mend="everself gateway token list")
