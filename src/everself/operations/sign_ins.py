"""Operations on sign-in at the gateway: create a single-use link, sign everybody out."""

import urllib.parse
from typing import Annotated, Final

from everself.clock import system_now
from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import NoRequest, Option, Request, terminal_writes
from everself.operations.gateway import find_listening, folder_of
from everself.operations.home import Home
from everself.operations.sign_in_file import LINK_LASTS, SignInFile
from everself.operations.tokens import checked_session

ROUTE: Final = "/sign-in/"
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})


class LinkMade(Frozen):
    """`link` works once, until `until`."""

    link: str
    agent: str
    session: str
    until: str


class SignedOut(Frozen):
    count: int


class SignInRequest(Request):
    agent: Annotated[str, Option("The agent to talk to; the one that answers when none is named.", "NAME")] = ""
    session: Annotated[
        str, Option("As whom: main is the owner; guest/ID is another person.", "main|guest/ID|group", cli="--as")
    ] = "main"


@terminal_writes("gateway.sign-in", on="home")
def make_link(home: Home, caller: Caller, request: SignInRequest) -> LinkMade:
    """Make a link that signs a browser in at the gateway. It works once, for five minutes.

    A browser signed in as main with a link from your own terminal has your rights at the terminal.

    $ everself gateway sign-in  # open the link in your browser within five minutes
    $ everself gateway sign-in --agent aria --as guest/anna  # a link for somebody else
    """
    session = checked_session(request.session, "")
    agent = home.load().config.agent(request.agent).id
    running = find_listening(home.places)
    if running is None:
        raise RefusedByRule("The gateway does not run, so no browser can sign in.", mend="everself gateway start")
    now = system_now()
    secret = SignInFile(folder_of(home.places)).make_link(agent, session, now, terminal=caller.present)
    return LinkMade(
        f"{_reachable(running.url)}{ROUTE}{secret}", agent, session, (now + LINK_LASTS).isoformat(timespec="seconds")
    )


@terminal_writes("gateway.sign-out", on="home", idempotent=True)
def sign_out(home: Home, _: Caller, __: NoRequest) -> SignedOut:
    """Sign out every browser and cancel every link. They are refused from the next request on.

    $ everself gateway sign-out  # every browser has to sign in anew
    """
    return SignedOut(SignInFile(folder_of(home.places)).clear())


def _reachable(url: str) -> str:
    """An address for this machine, if the gateway listens on all interfaces."""
    parts = urllib.parse.urlsplit(url)
    return f"http://localhost:{parts.port}" if parts.hostname in _EVERYWHERE else url
