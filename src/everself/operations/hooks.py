"""The gateway's webhooks: the agent, its instruction and the signing key; add, list, rotate and remove them.

Signatures follow [Standard Webhooks](https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body. Verifying needs the key, so the
key itself is stored, in a file that only the owner can read. It is shown once, when it is made.
"""

import base64
import binascii
import hmac
import os
import secrets
from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Final

from everself.clock import system_now
from everself.errors import Damaged, WrongUse
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, NoRequest, Option, Request, terminal_reads, terminal_writes
from everself.operations.gateway import folder_of
from everself.operations.home import Home
from everself.operations.record_file import RecordFile
from everself.operations.token_file import is_plain

FILE: Final = "hooks.json"
PREFIX: Final = "whsec_"
VERSION: Final = "v1"
# tolerated clock difference in seconds
TOLERANCE: Final = 300
LONGEST_ID: Final = 256
_BYTES: Final = 32
# maximum number of signatures to check in one header: a sender that rotates its key signs twice
_MOST_SIGNATURES: Final = 8
_LONGEST_TIME: Final = 12


class Hook(Frozen):
    """`message` is the agent's instruction for incoming messages; `key` signs them, valid since `since`."""

    name: str
    agent: str
    message: str
    made: str
    since: str
    key: str


class Delivery(Frozen):
    """The sender's headers: message id, time in seconds, signatures."""

    id: str
    time: str
    signatures: str


def new_key() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode("ascii")


def sign(key: str, identity: str, time: str, body: bytes) -> str:
    """The signature in the format of the header."""
    signed = b".".join((identity.encode("latin-1"), time.encode("latin-1"), body))
    made = hmac.new(base64.b64decode(key.removeprefix(PREFIX)), signed, sha256).digest()
    return f"{VERSION},{base64.b64encode(made).decode('ascii')}"


def is_genuine(hook: Hook, delivery: Delivery, body: bytes, now: float) -> bool:
    """Whether the message was signed with the key, within the time tolerance."""
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
                    f"{self.path} contains an invalid key.", mend=f"everself gateway hook rotate {one.name}"
                ) from error


ROUTE: Final = "/hooks/"
_LONGEST: Final = 10_000


class HookMade(Frozen):
    """`key` is shown only now; `path` is the address for the sender."""

    name: str
    key: str
    agent: str
    path: str


class HookLine(Frozen):
    """A hook without its key. `since` is when it was made or rotated."""

    name: str
    agent: str
    message: str
    path: str
    made: str
    since: str


class HookRemoved(Frozen):
    name: str


class AddHookRequest(Request):
    name: Annotated[str, Argument("The name of the hook; it is part of its address.", "NAME")]
    agent: Annotated[str, Option("The agent that hears it; the one that answers when none is named.", "NAME")] = ""
    message: Annotated[str, Option("The agent's instruction for incoming messages.", "TEXT")] = ""


@terminal_writes("gateway.hook.add", on="home")
def add_hook(home: Home, _: Caller, request: AddHookRequest) -> HookMade:
    """Add a webhook: signed messages of another program are shown to the agent as text from the web. The key is shown once.

    They never become facts about you. The agent's reply goes to the log of the day, and is trusted like a web page.

    $ everself gateway hook add builds --message "Say which build failed, and why."  # what is posted to /hooks/builds
    """
    if not is_plain(request.name):
        raise WrongUse(f'"{request.name[:64]}" cannot name a hook.', mend="Use 1 to 64 of a-z, 0-9 and -.")
    if len(request.message) > _LONGEST:
        raise WrongUse(f"The message has {len(request.message):,} characters; {_LONGEST:,} are allowed.")
    agent = home.load().config.agent(request.agent).id
    now = system_now().isoformat(timespec="seconds")
    hook = Hook(request.name, agent, request.message.strip(), now, now, new_key())
    _file(home).add(hook)
    return _made(hook)


@terminal_reads("gateway.hook.list", on="home")
def list_hooks(home: Home, _: Caller, __: NoRequest) -> tuple[HookLine, ...]:
    """List the webhooks with address, agent and instruction.

    $ everself gateway hook list  # which there are, and who hears them
    """
    return tuple(
        HookLine(one.name, one.agent, one.message, ROUTE + one.name, one.made, one.since)
        for one in _file(home).records()
    )


class HookRequest(Request):
    name: Annotated[str, Argument("The hook.", "NAME")]


@terminal_writes("gateway.hook.rotate", on="home")
def rotate_hook(home: Home, _: Caller, request: HookRequest) -> HookMade:
    """Give a webhook a new key. Messages signed with the old one are refused from the next request on.

    $ everself gateway hook rotate builds  # the old key is refused from now on
    """
    file = _file(home)
    hook = replace(file.get(request.name), key=new_key(), since=system_now().isoformat(timespec="seconds"))
    file.replace(hook)
    return _made(hook)


@terminal_writes("gateway.hook.rm", on="home")
def remove_hook(home: Home, _: Caller, request: HookRequest) -> HookRemoved:
    """Remove a webhook. Its messages are refused from the next request on.

    $ everself gateway hook rm builds  # it is refused from now on
    """
    _file(home).remove(request.name)
    return HookRemoved(request.name)


def _file(home: Home) -> HookFile:
    return HookFile(folder_of(home.places))


def _made(hook: Hook) -> HookMade:
    return HookMade(hook.name, hook.key, hook.agent, ROUTE + hook.name)
