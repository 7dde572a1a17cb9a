"""The tokens of the gateway: who may ask which agent, and as whom. Only a hash of each is stored.

Knows nothing of HTTP. A token has 256 random bits, so that a plain hash of it cannot be searched.
"""

import hmac
import os
import secrets
import string
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Final

from everself.errors import ChangedMeanwhile, Damaged, LockTimeout, NotFound, WrongUse
from everself.search.scopes import Scope, SessionKind
from everself.storage.host_files import find_file, save_file, sweep

FILE: Final = "tokens.json"
PREFIX: Final = "evs_"
_BYTES: Final = 32
_NAME: Final = frozenset(string.ascii_lowercase + string.digits + "-")
_LONGEST: Final = 64
# each attempt is one read and compare: this many rivals in a row do not happen by chance
_ATTEMPTS: Final = 50


@dataclass(frozen=True, slots=True)
class Token:
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
        kind, _, named = self.session.partition("/")
        return Scope(SessionKind(kind), (person if self.people else named) or None)


def is_plain(text: str) -> bool:
    """Whether a text may name a token or a person: it is compared as it stands, so that no two people become one."""
    return 0 < len(text) <= _LONGEST and set(text) <= _NAME


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(_BYTES)


def hash_of(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class TokenFile:
    """Read anew whenever the file is another one, so that what was rotated or removed counts at once."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE)
        self._seen: tuple[object, tuple[Token, ...]] | None = None

    def tokens(self) -> tuple[Token, ...]:
        """Raises Damaged where the file is not what Everself wrote: then nobody is let in."""
        mark = self._mark()
        if self._seen is None or self._seen[0] != mark or mark is None:
            self._seen = (mark, _parse(find_file(self.path), self.path))
        return self._seen[1]

    def find(self, secret: str) -> Token | None:
        """The token that this is, by its hash."""
        wanted = hash_of(secret)
        found = [one for one in self.tokens() if hmac.compare_digest(one.hash, wanted)]
        return found[0] if found else None

    def get(self, name: str) -> Token:
        return _named(self.tokens(), name)

    def add(self, token: Token) -> None:
        def edit(known: tuple[Token, ...]) -> tuple[Token, ...]:
            if any(one.name == token.name for one in known):
                raise WrongUse(
                    f"There is a token {token.name} already.", mend=f"everself gateway token rotate {token.name}"
                )
            return (*known, token)

        self._change(edit)

    def replace(self, token: Token) -> None:
        """Put this in the place of the one of the same name."""

        def edit(known: tuple[Token, ...]) -> tuple[Token, ...]:
            old = _named(known, token.name)
            return tuple(token if one is old else one for one in known)

        self._change(edit)

    def remove(self, name: str) -> None:
        def edit(known: tuple[Token, ...]) -> tuple[Token, ...]:
            old = _named(known, name)
            return tuple(one for one in known if one is not old)

        self._change(edit)

    def _change(self, edit: Callable[[tuple[Token, ...]], tuple[Token, ...]]) -> None:
        sweep(self.path)
        for attempt in range(_ATTEMPTS):
            before = find_file(self.path)
            after = _render(edit(_parse(before, self.path)))
            try:
                save_file(self.path, after, before)
            except LockTimeout:
                raise
            except ChangedMeanwhile:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    def _mark(self) -> object:
        """What tells one state of the file from another. It is always replaced by another file, never written over."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_dev, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _named(tokens: tuple[Token, ...], name: str) -> Token:
    for one in tokens:
        if one.name == name:
            return one
    raise NotFound(f"token {name[:_LONGEST]}.", mend="everself gateway token list")


def _parse(data: bytes | None, path: str) -> tuple[Token, ...]:
    import msgspec

    if data is None:
        return ()
    try:
        found = msgspec.json.decode(data, type=_Stored).tokens
    except msgspec.DecodeError as error:
        raise Damaged(f"{path} does not list tokens.", mend=f"Move {path} away and make new tokens.") from error
    if any(one.session.partition("/")[0] not in list(SessionKind) for one in found):
        raise Damaged(f"{path} names a kind of session that is not known.", mend="everself gateway token list")
    return found


@dataclass(frozen=True, slots=True)
class _Stored:
    tokens: tuple[Token, ...] = ()


def _render(tokens: tuple[Token, ...]) -> bytes:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(asdict(_Stored(tokens))), indent=2) + b"\n"
