"""Operations on the gateway's tokens: add, list, rotate, remove. A token is shown once, when it is made."""

from dataclasses import replace
from typing import Annotated, Final

from everself.clock import system_now
from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, NoRequest, Option, Request, terminal_reads, terminal_writes
from everself.operations.gateway import folder_of
from everself.operations.home import Home
from everself.operations.sign_in_file import SignInFile
from everself.operations.token_file import Token, TokenFile, TokenLine, hash_of, is_plain, new_secret
from everself.search.scopes import SessionKind

_PLAIN: Final = "Use 1 to 64 of a-z, 0-9 and -."
# headers with another meaning, or set by proxies
_TAKEN: Final = ("x-forwarded-", "x-everself-", "x-real-", "x-api-key")


class TokenMade(Frozen):
    """`token` is shown only now."""

    name: str
    token: str
    agent: str
    session: str
    read: bool
    people: str


class TokenRemoved(Frozen):
    name: str


class AddTokenRequest(Request):
    name: Annotated[str, Argument("What the token is called, such as the program that gets it.", "NAME")]
    agent: Annotated[str, Option("The agent it gives access to; the default agent unless given.", "NAME")] = ""
    session: Annotated[
        str, Option("As whom: main is the owner; guest/ID is another person.", "main|guest/ID|group", cli="--as")
    ] = ""
    read: Annotated[bool, Option("It reads and changes nothing: no conversations either.")] = False
    people: Annotated[
        str, Option("For a front end of many people: the header in which it names the guest.", "HEADER")
    ] = ""


@terminal_writes("gateway.token.add", on="home")
def add_token(home: Home, _: Caller, request: AddTokenRequest) -> TokenMade:
    """Add a token, which gives a program access to the gateway. It is shown once; only its hash is stored.

    It opens one agent, as one person. No request can change that.

    $ everself gateway token add editor --as main  # a program of yours, which does what you may do
    $ everself gateway token add dash --as main --read  # one that only looks
    $ everself gateway token add anna --agent aria --as guest/anna  # somebody else, who sees their own memory
    $ everself gateway token add webui --people X-OpenWebUI-User-Id  # a front end for many people
    """
    if not is_plain(request.name):
        raise WrongUse(f'"{request.name[:64]}" cannot name a token.', mend=_PLAIN)
    people = _checked_header(request.people)
    session = checked_session(request.session, people)
    agent = home.load().config.agent(request.agent).id
    secret, now = new_secret(), system_now().isoformat(timespec="seconds")
    token = Token(request.name, agent, session, request.read, people, now, now, hash_of(secret))
    _file(home).add(token)
    return _made(token, secret)


@terminal_reads("gateway.token.list", on="home")
def list_tokens(home: Home, _: Caller, __: NoRequest) -> tuple[TokenLine, ...]:
    """List the tokens with their agents and rights. The tokens themselves are not stored.

    $ everself gateway token list  # who may ask whom, and since when
    """
    return tuple(one.line() for one in _file(home).tokens())


class TokenRequest(Request):
    name: Annotated[str, Argument("The token.", "NAME")]


@terminal_writes("gateway.token.rotate", on="home")
def rotate_token(home: Home, _: Caller, request: TokenRequest) -> TokenMade:
    """Give a token a new value, and sign out every browser. The old value is refused from the next request on.

    $ everself gateway token rotate editor  # the old one is refused from now on
    """
    secret = new_secret()
    file = _file(home)
    file.get(request.name)
    # before the token, so that a failure in between leaves no browser signed in
    SignInFile(folder_of(home.places)).clear()
    token = replace(file.get(request.name), hash=hash_of(secret), since=system_now().isoformat(timespec="seconds"))
    file.replace(token)
    return _made(token, secret)


@terminal_writes("gateway.token.rm", on="home")
def remove_token(home: Home, _: Caller, request: TokenRequest) -> TokenRemoved:
    """Remove a token. It is refused from the next request on.

    $ everself gateway token rm editor  # it is refused from now on
    """
    _file(home).remove(request.name)
    return TokenRemoved(request.name)


def _file(home: Home) -> TokenFile:
    return TokenFile(folder_of(home.places))


def _made(token: Token, secret: str) -> TokenMade:
    return TokenMade(token.name, secret, token.agent, token.session, token.read, token.people)


def checked_session(session: str, people: str) -> str:
    if people:
        if session not in ("", SessionKind.GUEST):
            raise WrongUse(
                "A token with --people speaks for guests, and for nobody else.",
                mend="Leave --as out, or use --as guest.",
            )
        return SessionKind.GUEST.value
    kind, _, person = session.partition("/")
    if session in (SessionKind.MAIN, SessionKind.GROUP) or (kind == SessionKind.GUEST and is_plain(person)):
        return session
    mend = "--as main is the owner, --as guest/anna another person, --as group a group."
    if not session:
        raise WrongUse("Whose session the token opens is missing.", mend=mend)
    if kind == SessionKind.GUEST:
        raise WrongUse(f'"{person[:64]}" cannot be the id of a person.', mend=_PLAIN)
    raise WrongUse(f'"{session[:64]}" is not a session that a token can open.', mend=mend)


def _checked_header(header: str) -> str:
    name = header.lower()
    if not name:
        return ""
    if not is_plain(name) or not name.startswith("x-") or name.startswith(_TAKEN):
        raise WrongUse(
            f'"{header[:64]}" cannot name people.', mend="Use a header of the front end's own that begins with X-."
        )
    return name
