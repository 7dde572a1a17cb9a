"""Browsers that are signed in at the gateway, and sign-in links. Only hashes are stored. Knows nothing of HTTP.

A link works once, for five minutes. Using it creates a cookie that is valid for thirty days.
"""

import hashlib
import hmac
import os
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from everself.errors import Damaged, NotFound
from everself.frozen import Frozen
from everself.operations.record_file import RecordFile
from everself.operations.token_file import hash_of, new_secret, scope_named
from everself.search.scopes import Scope, SessionKind
from everself.values import new_id

FILE: Final = "sign-ins.json"
LINK_LASTS: Final = timedelta(minutes=5)
LASTS: Final = timedelta(days=30)
# above this number the oldest browsers have to sign in again
_MOST: Final = 200


class SignIn(Frozen):
    """With `link`, `hash` is that of an unused link, otherwise of a cookie. `session` is as in a token. `terminal`: the link was made at a
    terminal; older records without this field count as not."""

    name: str
    agent: str
    session: str
    link: bool
    made: str
    until: str
    hash: str
    terminal: bool = False

    def scope(self) -> Scope:
        return scope_named(self.session)

    def is_over(self, now: datetime) -> bool:
        # setting back the clock does not extend it
        return not datetime.fromisoformat(self.made) <= now < datetime.fromisoformat(self.until)


class SignInFile(RecordFile[SignIn]):
    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, FILE), SignIn, "sign_ins", "sign-in", "everself gateway sign-in")
        # the name of the cookie differs per home, because browsers send cookies of a host to every port
        self.cookie = f"everself-{hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:12]}"

    def make_link(self, agent: str, session: str, now: datetime, *, terminal: bool = False) -> str:
        """Create a link and return its secret."""
        secret = new_secret()
        made = _new(agent, session, now, LINK_LASTS, secret)
        self._add(replace(made, link=True, terminal=terminal), now)
        return secret

    def use_link(self, secret: str, now: datetime) -> tuple[SignIn, str]:
        """Replace the link by a cookie, and return both. Raises NotFound if the link is unknown or expired."""
        cookie = new_secret()
        made: list[SignIn] = []

        def edit(known: tuple[SignIn, ...]) -> tuple[SignIn, ...]:
            link = _find(known, secret, now, link=True)
            if link is None:
                raise NotFound("link to sign in; it works once, for five minutes.", mend="everself gateway sign-in")
            made[:] = [replace(_new(link.agent, link.session, now, LASTS, cookie), terminal=link.terminal)]
            return _kept((*(one for one in known if one is not link), *made), now)

        self.change(edit)
        return made[0], cookie

    def find(self, cookie: str, now: datetime) -> SignIn | None:
        return _find(self.records(), cookie, now, link=False)

    def clear(self) -> int:
        """Sign out every browser; returns their number, without unused links."""
        count = 0

        def edit(known: tuple[SignIn, ...]) -> tuple[SignIn, ...]:
            nonlocal count
            count = sum(not one.link for one in known)
            return ()

        self.change(edit)
        return count

    def check(self, records: tuple[SignIn, ...]) -> None:
        for one in records:
            try:
                moments = datetime.fromisoformat(one.made), datetime.fromisoformat(one.until)
                known = one.session.partition("/")[0] in list(SessionKind)
            except ValueError:
                known = False
            if not known or any(moment.tzinfo is None for moment in moments):
                raise Damaged(f"{self.path} contains an invalid sign-in.", mend=f"Move {self.path} away.")

    def _add(self, record: SignIn, now: datetime) -> None:
        self.change(lambda known: _kept((*known, record), now))


def _new(agent: str, session: str, now: datetime, lasts: timedelta, secret: str) -> SignIn:
    made, until = now.isoformat(timespec="microseconds"), (now + lasts).isoformat(timespec="microseconds")
    return SignIn(new_id(), agent, session, False, made, until, hash_of(secret))


def _find(known: tuple[SignIn, ...], secret: str, now: datetime, *, link: bool) -> SignIn | None:
    wanted = hash_of(secret)
    found = [one for one in known if one.link is link and hmac.compare_digest(one.hash, wanted)]
    return found[0] if found and not found[0].is_over(now) else None


def _kept(known: tuple[SignIn, ...], now: datetime) -> tuple[SignIn, ...]:
    return tuple(one for one in known if not one.is_over(now))[-_MOST:]
