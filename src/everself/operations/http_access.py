"""How a client asks the gateway over HTTP: the address in its settings and a token of its own.

The token stands in the client's file and nowhere else; we keep its hash, as of every token. Disconnecting the client removes it.
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
    """Of one client. `known` is what its settings hold and still lets it in; `server` is what they should hold."""

    def __init__(self, home: Home, client: str, agent: str, file: str) -> None:
        self._tokens = TokenFile(folder_of(home.places))
        self._agent = home.load().config.agent(agent).id
        self.name = f"connect-{client}"
        listening = find_listening(home.places)
        self._url = listening.url + _ROUTE if listening is not None else ""
        self.known = self._valid(_entry(file))
        self._secret = "" if self.known else new_secret()

    def server(self) -> dict[str, Plain] | None:
        """None where no gateway runs and none is known to the client: then it has to start a server of its own."""
        if self.known:
            return dict(self.known)
        if not self._url:
            return None
        return {"httpUrl": self._url, "headers": {"Authorization": _BEARER + self._secret}}

    def _valid(self, entry: Mapping[str, Any]) -> dict[str, Plain]:
        """What stands in the file, where it still opens the agent. The address counts only while a gateway runs that may have another."""
        url, headers = entry.get("httpUrl"), entry.get("headers")
        bearer = headers.get("Authorization") if isinstance(headers, dict) else None
        if not isinstance(url, str) or not isinstance(bearer, str) or (self._url and url != self._url):
            return {}
        token = self._tokens.find(bearer.removeprefix(_BEARER))
        return dict(entry) if token is not None and token.agent == self._agent else {}

    def grant(self) -> str:
        """Make the token that `server` holds, in the place of an earlier one. Returns its name; "" where the client needs none."""
        if self.known:
            return self.name
        if not self._url:
            return ""
        now = system_now().isoformat(timespec="seconds")
        token = Token(self.name, self._agent, "main", False, "", now, now, hash_of(self._secret))
        self._tokens.change(lambda known: (*(one for one in known if one.name != token.name), token))
        return token.name


def revoke(home: Home, name: str) -> None:
    """Remove a token that was made for a client. One that is gone already is no error."""
    with suppress(NotFound):
        TokenFile(folder_of(home.places)).remove(name)


def _entry(file: str) -> Mapping[str, Any]:
    """Our server as it stands in a client's file; empty where the file cannot be read, which whoever edits it reports."""
    try:
        data = read_client_file(file)
        found = find_in_json(decode(data, file), ("mcpServers", "everself"), file) if data is not None else None
    except EverselfError:
        return {}
    return found if isinstance(found, dict) else {}
