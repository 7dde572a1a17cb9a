"""The access of a client to the gateway over HTTP: the address and a token in its settings.

The token is stored only in the client's file; the gateway has its hash. Disconnecting the client removes it.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from everself.clock import system_now
from everself.config.client_files import decode, find_in_json
from everself.config.setting_types import Plain
from everself.errors import EverselfError, NotFound
from everself.operations.gateway import find_listening, folder_of
from everself.operations.home import Home
from everself.operations.token_file import Token, TokenFile, hash_of, new_secret
from everself.storage.client_files import read_client_file

_BEARER: Final = "Bearer "
_ROUTE: Final = "/mcp"


class ClientAccess:
    """The access of one client. `known` is the valid entry in its settings, `server` the entry that should be there."""

    def __init__(self, home: Home, client: str, agent: str, file: str) -> None:
        self._tokens = TokenFile(folder_of(home.places))
        self._agent = home.load().config.agent(agent).id
        self.name = f"connect-{client}"
        listening = find_listening(home.places)
        self._url = listening.url + _ROUTE if listening is not None else ""
        self.known = self._valid(_entry(file))
        self._secret = "" if self.known else new_secret()

    def server(self) -> dict[str, Plain] | None:
        """None if no gateway runs and the client knows none. Then the client starts its own server."""
        if self.known:
            return dict(self.known)
        if not self._url:
            return None
        return {"httpUrl": self._url, "headers": {"Authorization": _BEARER + self._secret}}

    def _valid(self, entry: Mapping[str, Any]) -> dict[str, Plain]:
        """The entry in the file if its token is valid. The address is compared only if a gateway runs."""
        url, headers = entry.get("httpUrl"), entry.get("headers")
        bearer = headers.get("Authorization") if isinstance(headers, dict) else None
        if not isinstance(url, str) or not isinstance(bearer, str) or (self._url and url != self._url):
            return {}
        token = self._tokens.find(bearer.removeprefix(_BEARER))
        return dict(entry) if token is not None and token.agent == self._agent else {}

    def grant(self) -> str:
        """Store the token of `server` in place of an earlier one. Returns its name; "" if the client needs none."""
        if self.known:
            return self.name
        if not self._url:
            return ""
        now = system_now().isoformat(timespec="seconds")
        token = Token(self.name, self._agent, "main", False, "", now, now, hash_of(self._secret))
        self._tokens.change(lambda known: (*(one for one in known if one.name != token.name), token))
        return token.name


def revoke(home: Home, name: str) -> None:
    """Remove a client's token. A missing one is not an error."""
    with suppress(NotFound):
        TokenFile(folder_of(home.places)).remove(name)


def _entry(file: str) -> Mapping[str, Any]:
    """Our server's entry in a client's file; empty if the file is unreadable. The caller that edits the file reports that."""
    try:
        data = read_client_file(file)
        found = find_in_json(decode(data, file), ("mcpServers", "everself"), file) if data is not None else None
    except EverselfError:
        return {}
    return found if isinstance(found, dict) else {}
