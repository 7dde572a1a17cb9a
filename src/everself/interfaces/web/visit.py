"""One request of a signed-in browser, as a page sees it: who asks for which agent, what the address and the form say, and operations.

A page is a plain function from a visit to an answer. It runs in a worker thread, so it may block.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, Final, Literal
from urllib.parse import quote, urlencode

from everself.errors import EverselfError, RefusedByRule, WrongUse
from everself.interfaces.http.access import Access
from everself.interfaces.http.service import Service, need_offer
from everself.interfaces.rendering.view import view_of
from everself.interfaces.web.tickets import confirmation, form_token, is_confirmed
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Operation
from everself.operations.registry import get_operation
from everself.operations.review_queue import count_waiting
from everself.operations.tools import clean
from everself.runtime import Runtime

PREFIX: Final = "/web/"
CHANNEL: Final = "web"


@dataclass(frozen=True, slots=True)
class Shown:
    """A template with its values."""

    template: str
    values: Mapping[str, object]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Moved:
    """Another page, shown after something was done. `done` is a key of `done.…` in the catalogue; `change` offers an undo, and so do
    `vouched`, an entry that somebody vouches for now, and `refused`, what does not wait any more: these changed no file."""

    url: str
    done: str = ""
    change: str = ""
    vouched: str = ""
    refused: str = ""


Answer = Shown | Moved


class Values:
    """What an address or a form holds, by name. Whatever is missing is empty."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = tuple(pairs)

    def __getitem__(self, name: str) -> str:
        return next((value for key, value in self.pairs if key == name), "")

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.pairs if key == name)

    def has(self, name: str) -> bool:
        return any(key == name for key, _ in self.pairs)

    def given(self, *names: str) -> dict[str, str]:
        """Those of the names that are not empty."""
        return {name: self[name].strip() for name in names if self[name].strip()}

    def number(self, name: str, default: int, least: int = 0, most: int = 1_000_000) -> int:
        said = self[name].strip()
        if not said:
            return default
        if not (said.isascii() and said.isdigit() and len(said) < 10 and least <= int(said) <= most):
            raise WrongUse(f"{name} must be a whole number from {least} to {most}.")
        return int(said)


@dataclass(slots=True)
class Visit:
    """`runtime` is the opened agent; where it could not be opened, `trouble` says why, and is raised by whatever needs it.

    `cookie` is the visitor's secret: it never leaves this process but as a proof (see `tickets`).
    """

    service: Service
    access: Access
    path: str
    params: Mapping[str, str]
    query: Values
    form: Values
    cookie: str
    opened: Runtime | None = None
    trouble: EverselfError | None = None
    # that the form comes from the page which showed what would happen
    was_asked: bool = False

    @property
    def agent(self) -> str:
        return self.access.agent

    @property
    def runtime(self) -> Runtime:
        if self.opened is None:
            raise self.trouble or WrongUse("This page needs an agent.")
        return self.opened

    @property
    def zone(self) -> tzinfo | None:
        return self.opened.clock.zone if self.opened is not None else None

    @property
    def caller(self) -> Caller:
        return self.access.visitor(CHANNEL)

    @property
    def waiting(self) -> int:
        """How many things wait for the owner, from rows; none where it cannot be known."""
        if self.opened is None or not self.access.is_owner:
            return 0
        try:
            return count_waiting(self.opened).total
        except EverselfError:
            # a page that says what is wrong is not kept away by it
            return 0

    def run(self, name: str, /, **given: object) -> Any:
        """The result of an operation, by its names in `/api/v1`. One that a command would end with an error for is raised as one."""
        return self._checked(name, self._run(self.caller, name, given))

    def look(self, name: str, /, **given: object) -> Any:
        """As `run`, of an operation whose bad news are its result, as the doctor's are."""
        return self._run(self.caller, name, given)

    def run_agreed(self, name: str, /, **given: object) -> Any:
        """As `run`, of an operation that asks: its plan was shown, and the visitor confirmed it."""
        if get_operation(name).effect == "destructive" and not self.was_asked:
            raise RefusedByRule("Nothing was changed: what cannot be undone is asked about first.")
        return self._checked(name, self._run(replace(self.caller, agree=_agree), name, given))

    def run_typed(self, name: str, /, **given: object) -> Any:
        """As `run`, with the fields that the command has: only for the owner in front of the browser."""
        self.caller.need(Audience.OWNER_AT_TERMINAL)
        return self._checked(name, self._run(self.caller, name, given, "cli"))

    def _run(self, caller: Caller, name: str, given: Mapping[str, object], by: Literal["http", "cli"] = "http") -> Any:
        operation: Operation[Any, Any] = get_operation(name)
        request = operation.read(clean(given), by)
        if operation.on == "home":
            return operation(self.service.home, caller, request)
        need_offer(operation, self.runtime, caller)
        return operation(self.runtime, caller, request)

    def _checked(self, name: str, result: Any) -> Any:
        error = view_of(get_operation(name)).error(result)
        if error is not None:
            raise error
        return result

    def attempt(self, name: str, /, **given: object) -> Any:
        """As `run`; where it fails, the error: one part of a page that cannot be shown does not take the others along."""
        try:
            return self.run(name, **given)
        except EverselfError as error:
            return error

    def url(self, page: str, /, **query: object) -> str:
        """The address of a page of this agent."""
        return url_of(self.agent, page, **query)

    def here(self, **query: object) -> str:
        """This address with other values in it; an empty one leaves it out."""
        kept = [(name, value) for name, value in self.query.pairs if name not in query and name not in _PASSING]
        said = [(name, str(value)) for name, value in query.items() if value not in ("", None)]
        return f"{self.path}?{urlencode([*kept, *said])}" if kept or said else self.path

    def back(self, otherwise: str) -> str:
        """The page of ours that a form names as the one it stood on."""
        named = self.form["back"]
        return named if named.startswith(PREFIX) and "\\" not in named else self.url(otherwise)

    def form_token(self) -> str:
        return form_token(self.cookie)

    def ticket(self, action: str, *subject: str) -> str:
        """A field of a page that shows what would happen. It says that this was shown, to this visitor, just now."""
        return confirmation(self.cookie, "\x00".join((self.agent, action, *subject)), self.service.now().timestamp())

    def confirmed(self, action: str, *subject: str) -> bool:
        """Whether the form comes from the page that showed what would happen to this very subject."""
        told = "\x00".join((self.agent, action, *subject))
        self.was_asked = is_confirmed(self.cookie, told, self.form["ticket"], self.service.now().timestamp())
        return self.was_asked


# what an address tells once, after something was done
_PASSING: Final = frozenset({"done", "change", "vouched", "refused"})


def url_of(agent: str, page: str, /, **query: object) -> str:
    said = {name: str(value) for name, value in query.items() if value not in ("", None)}
    address = f"{PREFIX}{quote(agent, safe='')}/{page}"
    return f"{address}?{urlencode(said)}" if said else address


def _agree(_: object) -> None:
    """The visitor saw the plan and confirmed it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One route: `path` below the agent's address. `tab` is the entry of the navigation that it belongs to. `slow`: it may take as long
    as an operation that reports progress."""

    path: str
    show: Callable[[Visit], Answer]
    tab: str = ""
    method: Literal["GET", "POST"] = "GET"
    slow: bool = False
