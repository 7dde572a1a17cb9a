"""Access control: Host, Origin and token of each request, also on loopback. The token determines agent and person.

Pure functions of headers and tokens. Knows no route.
"""

import ipaddress
from collections.abc import Iterable
from typing import Final

from everself.config.places import is_agent_id
from everself.frozen import Frozen
from everself.interfaces.http.problems import Refused, refuse
from everself.operations.caller import Audience, Caller
from everself.operations.sign_in_file import SignIn
from everself.operations.token_file import PREFIX, Token, is_plain
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import is_owner

LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SIGN_IN: Final = (
    "Send the header “Authorization: Bearer TOKEN”. everself gateway token add NAME --as main makes a token."
)
_MOST: Final = 512
KEY: Final = b"x-api-key"

# scope keys for the user at the other end of the unix socket, and headers by which that user names an agent
PEER: Final = "everself.peer"
AGENT: Final = b"x-everself-agent"
PROJECT: Final = b"x-everself-project"
LOCAL: Final = "local"

RawHeaders = Iterable[tuple[bytes, bytes]]


class Access(Frozen):
    """The rights of a request: token, agent and person. `terminal`: a browser whose sign-in link was made at a terminal."""

    token: str
    agent: str
    scope: Scope
    read: bool
    terminal: bool = False

    @property
    def is_owner(self) -> bool:
        return is_owner(self.scope)

    def caller(self, channel: str) -> Caller:
        """The caller for this access. An owner's token gives the owner's rights except those at a terminal, because nobody can be asked."""
        standing = Audience.OWNER if self.is_owner else Audience.GUEST
        return Caller(standing, self.scope, by_owner=self.is_owner, unwatched=True, channel=channel)

    def visitor(self, channel: str) -> Caller:
        """The caller for a form of our own page. If the link came from the owner's terminal, the owner sits in front of it; this alone
        confirms nothing (docs/decisions/0098)."""
        if not (self.terminal and self.is_owner):
            return self.caller(channel)
        return Caller(Audience.OWNER_AT_TERMINAL, self.scope, by_owner=True, present=True, channel=channel)


class Hosts(Frozen):
    """The allowed host names. `addresses`: also any IP address, which no foreign name server can return."""

    names: frozenset[str] = LOCAL_HOSTS
    addresses: bool = False

    def allow(self, host: str) -> bool:
        name = host_name(host)
        if name in self.names:
            return True
        if not self.addresses:
            return False
        try:
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return False


def host_name(host: str) -> str:
    """A Host header without its port: `[::1]:80` → `::1`."""
    text = host.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    name, colon, port = text.rpartition(":")
    return name if colon and port.isdigit() else text


def check_place(headers: RawHeaders, hosts: Hosts) -> None:
    """Refuse requests from pages of other sites, or under foreign names (DNS rebinding)."""
    found = list(headers)
    named = _values(found, b"host")
    if len(named) != 1 or not hosts.allow(named[0]):
        raise refuse(403, "foreign-host", "This host name is not served here", mend="Call it by http://localhost.")
    origins = _values(found, b"origin")
    ours = {f"{scheme}://{named[0].strip().lower()}" for scheme in ("http", "https")}
    if any(origin.strip().lower() not in ours for origin in origins):
        raise refuse(403, "foreign-origin", "Pages of other sites may not ask here")
    if any(site.strip().lower() == "cross-site" for site in _values(found, b"sec-fetch-site")):
        raise refuse(403, "foreign-origin", "Pages of other sites may not ask here")


def bearer(headers: RawHeaders, query: bytes, *, keyed: bool = False) -> str:
    """The token in the headers. A token in the URL is always refused, because URLs are logged and passed on.

    `keyed`: also accept the header of Anthropic's clients.
    """
    _check_query(query)
    found = list(headers)
    given, keys = _values(found, b"authorization"), [one.strip() for one in _values(found, KEY) if keyed]
    if len(given) > 1 or len(keys) > 1:
        raise _unknown()
    scheme, _, secret = given[0].strip().partition(" ") if given else ("", "", "")
    shown = {secret.strip()} if scheme.lower() == "bearer" else set()
    # these clients may send another service's key in the other header
    shown = {one for one in (*shown, *keys) if one.startswith(PREFIX)} or shown
    if len(shown) != 1 or not max(shown) or len(max(shown)) > _MOST:
        raise _unknown()
    return shown.pop()


def find_cookie(headers: RawHeaders, name: str) -> str:
    """The cookie of a signed-in browser; empty if there is none, or if a token is sent too."""
    found = list(headers)
    if _values(found, b"authorization"):
        return ""
    pairs = [part.partition("=") for line in _values(found, b"cookie") for part in line.split(";")]
    named = [value.strip() for given, _, value in pairs if given.strip() == name]
    return named[0] if len(named) == 1 and len(named[0]) <= _MOST else ""


def check_page(headers: RawHeaders, query: bytes, method: str) -> None:
    """Refuse cookie requests that do not come from our own page; changes require an Origin.

    Ports belong to the same site, so SameSite alone does not protect against other programs' pages on this machine.
    """
    _check_query(query)
    found = list(headers)
    if any(site.strip().lower() not in ("same-origin", "none") for site in _values(found, b"sec-fetch-site")):
        raise refuse(403, "foreign-origin", "Pages of other sites may not ask here")
    if method not in ("GET", "HEAD") and not _values(found, b"origin"):
        raise refuse(403, "no-origin", "Where this comes from is not said", mend="Send the header Origin, or a token.")


def signed_in(found: SignIn | None) -> Access:
    if found is None:
        raise refuse(401, "signed-out", "Not signed in", mend="everself web")
    return Access(f"sign-in:{found.name}", found.agent, found.scope(), False, found.terminal)


def is_local_owner(peer: object, headers: RawHeaders, user: int) -> bool:
    """Whether the request comes from a process of the owner's user over the unix socket, without a token."""
    return peer == user and not _values(list(headers), b"authorization")


def local_owner(headers: RawHeaders) -> Access:
    """The access of a process of the owner's own user, which could read and write the files anyway. It names the agent and its project."""
    found = list(headers)
    named, within = _values(found, AGENT), _values(found, PROJECT)
    if len(named) != 1 or not is_agent_id(named[0]):
        raise refuse(400, "no-agent", "No agent is named", mend=f"Send the header {AGENT.decode()}.")
    if len(within) > 1 or not all(map(is_plain, within)):
        raise refuse(400, "no-project", "A project is named by 1 to 64 of a-z, 0-9 and -")
    return Access(LOCAL, named[0], Scope(SessionKind.MAIN, project=within[0] if within else None), False)


def access_of(token: Token | None, headers: RawHeaders) -> Access:
    if token is None:
        raise _unknown("The token is not known; it may have been rotated or removed.")
    if not token.people:
        return Access(token.name, token.agent, token.scope(), token.read)
    named = _values(list(headers), token.people.encode())
    if len(named) != 1 or not is_plain(named[0]):
        raise refuse(
            400,
            "no-person",
            "The header that names the person is missing",
            f"This token speaks for many people and names them in {token.people}: 1 to 64 of a-z, 0-9 and -.",
        )
    return Access(token.name, token.agent, token.scope(named[0]), token.read)


def _check_query(query: bytes) -> None:
    if PREFIX.encode() in query:
        raise _unknown(
            "A token was sent in the address, where logs keep it. Rotate it: everself gateway token rotate NAME"
        )


def _unknown(detail: str = "") -> Refused:
    return refuse(401, "no-token", "A token is needed", detail, _SIGN_IN, WWW_Authenticate="Bearer")


def _values(headers: list[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]
