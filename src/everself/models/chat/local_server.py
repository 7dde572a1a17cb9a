"""Lists the models of a server on this machine. Contacts no other host, and waits only briefly."""

import json
from http.client import HTTPConnection, HTTPException
from typing import Final
from urllib.parse import urlsplit

from everself.models.addresses import LOOPBACK

_SECONDS: Final = 0.5
_LIMIT: Final = 1 << 20
# embedding models, which cannot chat
_EMBEDDERS: Final = ("embed", "bge-", "minilm")


def find_local_models(url: str) -> tuple[str, ...]:
    """The names of Ollama's chat models, newest first; empty if it does not run on this machine."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in LOOPBACK:
        return ()
    try:
        connection = HTTPConnection(parts.hostname, parts.port or 80, timeout=_SECONDS)
        try:
            connection.request("GET", "/api/tags")
            answer = connection.getresponse()
            listed = json.loads(answer.read(_LIMIT)) if answer.status == 200 else {}
        finally:
            connection.close()
        names = [str(one["name"]) for one in listed.get("models", ())]
    # another program listens on this port
    except (OSError, HTTPException, ValueError, TypeError, KeyError, AttributeError):
        return ()
    return tuple(name for name in names if not any(word in name.lower() for word in _EMBEDDERS))
