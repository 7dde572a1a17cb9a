"""Operations on the gateway's webhooks: make, list, rotate, remove. The key is shown once, when it is made."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from everself.clock import system_now
from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, NoRequest, Option, Request, terminal_reads, terminal_writes
from everself.operations.gateway import folder_of
from everself.operations.hook_file import Hook, HookFile, new_key
from everself.operations.token_file import is_plain

if TYPE_CHECKING:
    from everself.operations.home import Home

ROUTE: Final = "/hooks/"
_LONGEST: Final = 10_000


class HookMade(Frozen):
    """`key` is shown now and never again; `path` is where the sender posts to."""

    name: str
    key: str
    agent: str
    path: str


class HookLine(Frozen):
    """What is told of a hook: all but the key. `since` is when it was made or rotated."""

    name: str
    agent: str
    message: str
    path: str
    made: str
    since: str


class HookRemoved(Frozen):
    name: str


class AddHookRequest(Request):
    name: Annotated[str, Argument("What the hook is called; it stands in its address.", "NAME")]
    agent: Annotated[str, Option("The agent that hears it; the one that answers when none is named.", "NAME")] = ""
    message: Annotated[str, Option("What the agent does with what it is sent.", "TEXT")] = ""


@terminal_writes("gateway.hook.add", on="home")
def add_hook(home: "Home", _: Caller, request: AddHookRequest) -> HookMade:
    """Make a webhook: what another program posts to it, signed, is shown to the agent as words from the web. The key is shown once.

    No fact of yours comes of it. What the agent makes of it goes to the log of the day, worth no more than a page of the web.

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
def list_hooks(home: "Home", _: Caller, __: NoRequest) -> tuple[HookLine, ...]:
    """List the webhooks, each with its address, its agent and what the agent does with it.

    $ everself gateway hook list  # which there are, and who hears them
    """
    return tuple(
        HookLine(one.name, one.agent, one.message, ROUTE + one.name, one.made, one.since)
        for one in _file(home).records()
    )


class HookRequest(Request):
    name: Annotated[str, Argument("The hook.", "NAME")]


@terminal_writes("gateway.hook.rotate", on="home")
def rotate_hook(home: "Home", _: Caller, request: HookRequest) -> HookMade:
    """Give a webhook a new key. What is signed with the old one is refused from the next request on.

    $ everself gateway hook rotate builds  # the old key is refused from now on
    """
    file = _file(home)
    hook = replace(file.get(request.name), key=new_key(), since=system_now().isoformat(timespec="seconds"))
    file.replace(hook)
    return _made(hook)


@terminal_writes("gateway.hook.rm", on="home")
def remove_hook(home: "Home", _: Caller, request: HookRequest) -> HookRemoved:
    """Remove a webhook. What is posted to it is refused from the next request on.

    $ everself gateway hook rm builds  # it is refused from now on
    """
    _file(home).remove(request.name)
    return HookRemoved(request.name)


def _file(home: "Home") -> HookFile:
    return HookFile(folder_of(home.places))


def _made(hook: Hook) -> HookMade:
    return HookMade(hook.name, hook.key, hook.agent, ROUTE + hook.name)
