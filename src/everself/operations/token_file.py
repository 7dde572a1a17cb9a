"""The gateway's tokens: which agent each opens, and as whom. Only a hash of each is stored.

Knows nothing of HTTP. A token has 256 random bits, so its plain hash cannot be searched.
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


class TokenLine(Frozen):
    """A token without its secret. `session` is `main`, `group`, `guest/ID`, or `guest` if `people` is the header that names the person.
    `read`: it cannot change anything. `since` is when it was made or rotated."""

    name: str
    agent: str
    session: str
    read: bool
    people: str
    made: str
    since: str


class Token(TokenLine):
    """`hash` is that of the secret."""

    hash: str

    def line(self) -> TokenLine:
        return TokenLine(self.name, self.agent, self.session, self.read, self.people, self.made, self.since)

    def scope(self, person: str = "") -> Scope:
        """The scope of a request. `person` counts only for a token that serves many people."""
        return scope_named(self.session, person if self.people else "")


def scope_named(session: str, person: str = "") -> Scope:
    """The scope of `main`, `group` or `guest/ID`; `person` names the guest if the text does not."""
    kind, _, named = session.partition("/")
    return Scope(SessionKind(kind), named or person or None)


def is_plain(text: str) -> bool:
    """Whether the text can name a token or a person. Names are compared unchanged, so that no two people become one."""
    return 0 < len(text) <= _LONGEST and set(text) <= _NAME


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(_BYTES)


def hash_of(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class TokenFile(RecordFile[Token]):
    """The file is read again when it was replaced, so that rotation and removal take effect at once."""

    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, FILE), Token, "tokens", "token", "everself gateway token")

    def tokens(self) -> tuple[Token, ...]:
        """Raises Damaged if the file is invalid; then nobody is let in."""
        return self.records()

    def find(self, secret: str) -> Token | None:
        """The token with this secret, found by its hash."""
        wanted = hash_of(secret)
        found = [one for one in self.tokens() if hmac.compare_digest(one.hash, wanted)]
        return found[0] if found else None

    def check(self, records: tuple[Token, ...]) -> None:
        if any(one.session.partition("/")[0] not in list(SessionKind) for one in records):
            raise Damaged(f"{self.path} names a kind of session that is not known.", mend="everself gateway token list")
