"""A conversation whose model is a script: the face alone is on trial."""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.clock import system_now
from everself.conversation.events import Accepted, Done, Event, Text
from everself.conversation.resources import CompactionResult
from everself.conversation.sessions.session import Session
from everself.errors import ModelFailed
from everself.models.chat.protocol import ChatModel
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind

OWNER = Scope(SessionKind.MAIN)
Script = Callable[[str], list[Event]]


def echo(text: str) -> list[Event]:
    return [Text(f"You said: {text}")]


@dataclass(frozen=True, slots=True)
class Renewed:
    session: Session
    note: str


@dataclass(slots=True)
class FakeChat:
    """Says what the script says, and remembers what it was told."""

    script: Script = echo
    heard: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    renewed: int = 0

    def begin(self, scope: Scope = OWNER, channel: str = "cli", resume: str = "") -> Session:
        return Session(f"SESSION{resume.removeprefix('SESSION')}", scope, channel, system_now())

    @property
    def model(self) -> ChatModel:
        raise ModelFailed("There is none.")

    @property
    def desk(self) -> "FakeChat":
        return self

    def cancel(self, _: Session) -> bool:
        return False

    async def converse(self, session: Session, text: str, *_: object) -> AsyncIterator[Event]:
        self.heard.append(text)
        yield Accepted(session.id, "M1")
        events = self.script(text)
        for event in events:
            yield event
        if not any(isinstance(event, Done) for event in events):
            said = "".join(event.text for event in events if isinstance(event, Text))
            yield Done("M2", said)

    async def renew(self, _: Session) -> Renewed:
        self.renewed += 1
        return Renewed(self.begin(resume="2"), "memory/2026-03-19-tundra.md")

    async def compact(self, session: Session, why: str) -> CompactionResult:
        return CompactionResult(session, f"Made shorter ({why}).")

    async def close(self, session: Session) -> None:
        self.closed.append(session.id)


@pytest.fixture(scope="session")
def _model_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which setup has run, made once: it takes longer than most of what is tested in it."""
    home = tmp_path_factory.mktemp("model")
    with open_runtime(environ={"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}) as app:
        set_up(app)
    return home


@pytest.fixture
def app(_model_home: Path, _own_home: Path) -> Iterator[Runtime]:
    shutil.copytree(_model_home, _own_home, dirs_exist_ok=True)
    with open_runtime() as made:
        yield made


@pytest.fixture
def chat(app: Runtime) -> FakeChat:
    """The conversation of the app, put in the place of the real one."""
    made = FakeChat()
    app.__dict__["chat"] = made
    return made
