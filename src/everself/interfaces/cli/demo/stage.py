"""An agent in its own folder, with a clock set from outside. Knows no story, and ignores the user's files and settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from everself.clock import Clock
from everself.interfaces.rendering.lines import Line
from everself.interfaces.rendering.view import Look, view_of
from everself.operations.caller import Audience, Caller
from everself.operations.registry import get_operation

if TYPE_CHECKING:
    from everself.runtime import Runtime

ZONE: Final = ZoneInfo("Europe/Berlin")
FIRST: Final = datetime(2026, 3, 2, 9, 0, tzinfo=ZONE)
_A_TURN: Final = timedelta(minutes=3)


@dataclass(slots=True)
class Stage:
    """The agent and its clock. Each call advances the clock by some minutes."""

    runtime: "Runtime"
    now: datetime = FIRST
    _caller: Caller = field(
        default_factory=lambda: Caller(Audience.OWNER_AT_TERMINAL, by_owner=True, present=True, agree=lambda _: None)
    )
    _session: str = ""

    def wait_until(self, moment: datetime) -> None:
        """Move to another day, which starts a new conversation."""
        if moment < self.now:
            raise ValueError("time goes forward")
        # vectors are normally embedded in the background; doing it now makes every run equal
        self.call("memory.index")
        self.now, self._session = moment, ""

    def say(self, words: str) -> str:
        """Send a message and return the reply."""
        reply = self.call("ask", text=words, resume=self._session)
        self._session = reply.session
        text: str = reply.text
        return text

    def call(self, operation: str, /, **request: Any) -> Any:
        """Call an operation as the owner at a terminal, who agrees to everything."""
        found = get_operation(operation)
        result = found(self.runtime, self._caller, found.request(**request))
        self.now += _A_TURN
        return result

    def show(self, operation: str, /, **request: Any) -> tuple[Line, ...]:
        """The lines that the command would print."""
        result = self.call(operation, **request)
        return tuple(view_of(get_operation(operation)).lines(result, Look(ZONE, agreed=True)))


@contextmanager
def open_stage(folder: str) -> Iterator[Stage]:
    """Create an agent in an empty folder. The user's settings, keys and plugins are ignored, and no model is called."""
    from everself.agent import open_runtime
    from everself.operations.home import Home
    from everself.operations.setup import prepare, set_up

    environ = {"HOME": folder}
    with prepare(Home(environ), "", "").app as runtime:
        runtime.clock = Clock(ZONE, lambda: FIRST)
        set_up(runtime)
    with open_runtime(environ=environ) as runtime:
        stage = Stage(runtime)
        runtime.clock = Clock(ZONE, lambda: stage.now)
        yield stage
