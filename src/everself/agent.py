"""The public facade: create or open an agent, and call its operations.

Knows no interface. Every method is one operation, called by the owner's own program. The call itself counts as consent.
"""

import os
import sys
import weakref
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypedDict, Unpack

from everself.clock import Clock
from everself.config import environment
from everself.errors import WrongUse
from everself.memory.memory import Corrected, Remembered
from everself.operations.caller import Audience, Caller
from everself.operations.registry import get_operation
from everself.operations.tools import give_tools
from everself.operations.upkeep import Upkeep
from everself.runtime import Runtime, make_runtime
from everself.search.scopes import Scope, SessionKind
from everself.text.normalise import slug
from everself.values import Hit

if TYPE_CHECKING:
    from everself.agent_session import AgentSession
    from everself.conversation.events import Event
    from everself.memory.forgetting.proof import ForgetPlan, ForgetProof
    from everself.operations.conversation import ContextReport, Reply
    from everself.search.recall import SearchResult

__all__ = ["Agent", "Runtime", "open_app", "open_runtime"]

Path = str | os.PathLike[str]
CHANNEL: Final = "library"
_SEARCH: Final = "memory.search"


class EntryDetails(TypedDict, total=False):
    """Optional details of what is remembered. `about` is a person it is about, `person` and `project` whose memory it belongs to.

    With the same `key` it is remembered once, however often it is asked for.
    """

    category: str
    tag: Literal["event", "knowledge", "skill", "decision"]
    about: str
    person: str
    project: str
    key: str


class Agent:
    """One agent. Parts are opened when they are first needed, whichever thread asks; leaving `with` closes them.

    with Agent.create() as agent:
        agent.remember("My heron is called Otto.")
        print(agent.search("heron"))
    """

    def __init__(self, runtime: Runtime, *, fresh: bool = True, clock: Clock | None = None) -> None:
        """`fresh` and `clock` are as in `open`."""
        self.runtime = runtime
        if clock is not None:
            runtime.clock = clock
        self._caller = Caller(Audience.OWNER, by_owner=True, channel=CHANNEL, agree=lambda _: None)
        self._upkeep = Upkeep(runtime) if fresh else None
        if self._upkeep is not None:
            # also for an agent that was not closed: threads must not run while the interpreter ends
            weakref.finalize(self, self._upkeep.halt)

    @classmethod
    def open(
        cls,
        name: str | None = None,
        *,
        home: Path | None = None,
        config: Path | None = None,
        fresh: bool = True,
        clock: Clock | None = None,
    ) -> Self:
        """Open an existing agent: the named one, otherwise the default agent.

        `home` is the folder of all agents and `config` their settings file; by default both come from the environment. `fresh`: keep
        vectors up to date while the agent is open, if that costs no money. `clock` is for tests: see `everself.testing.frozen_time`.
        """
        return cls(open_runtime(name or "", environ=_environ(home, config)), fresh=fresh, clock=clock)

    @classmethod
    def create(
        cls,
        name: str | None = None,
        *,
        workspace: Path | None = None,
        home: Path | None = None,
        config: Path | None = None,
        fresh: bool = True,
        clock: Clock | None = None,
    ) -> Self:
        """Open an agent, and create it if it does not exist. `workspace` is the folder for its files, if not the default."""
        from everself.operations.home import Home
        from everself.operations.setup import SetupRequest, set_up_agent

        environ = _environ(home, config)
        request = SetupRequest(agent=name or "", workspace=os.fspath(workspace) if workspace else "")
        set_up_agent(Home(environ), Caller(Audience.OWNER_AT_TERMINAL, by_owner=True), request)
        return cls(open_runtime(name or "", environ=environ), fresh=fresh, clock=clock)

    @property
    def name(self) -> str:
        return self.runtime.agent.id

    @property
    def workspace(self) -> str:
        return self.runtime.agent.workspace

    def run(self, operation: str, /, **request: Any) -> Any:
        """Run any operation by its name, such as `run("memory.list", limit=5)`, with the fields of its request type."""
        if self.runtime.closed:
            raise WrongUse("The agent is closed.", mend="Open it again with Agent.open(…).")
        found = get_operation(operation)
        if self._upkeep is not None and (found.effect != "read" or found.name == _SEARCH):
            self._upkeep.start()
        return found(self.runtime, self._caller, found.request(**request))

    def remember(
        self, text: str, *, source: str = "owner", keep: bool = False, **details: Unpack[EntryDetails]
    ) -> Remembered:
        """Remember something. `keep`: permanently, in MEMORY.md.

        `source` says whose words it is: `owner`, `agent` for a model's conclusion, `tool`, `web`, `import`, or `person:<id>`. For notes of
        a model use `session().call("memory_write", …)`, which determines the source itself.
        """
        done: Remembered = self.run("memory.add", text=text, source=source, remember=keep, **details)
        return done

    def correct(self, old: str, new: str) -> Corrected:
        """Correct an entry: `old` is its id or its text."""
        done: Corrected = self.run("memory.correct", old=old, new=new)
        return done

    def forget(self, *entries: str, words: str = "", dry_run: bool = False) -> "ForgetPlan | ForgetProof":
        """Forget entries by id, or every entry and place with these words. It cannot be undone."""
        done: ForgetPlan | ForgetProof = self.run("memory.forget", entries=entries, words=words, dry_run=dry_run)
        return done

    def search(self, query: str, limit: int | None = None) -> "SearchResult":
        """The best hits for these words, with citations."""
        found: SearchResult = self.run("memory.search", query=query, limit=limit)
        return found

    def get(self, path: str, *, first: int | None = None, lines: int | None = None) -> Hit:
        """Lines of a document, by path or citation."""
        found: Hit = self.run("memory.get", path=path, first=first, lines=lines)
        return found

    def context(self, message: str = "") -> "ContextReport":
        """The prompt that a model would get if the owner said this now, with its receipt. Nothing is recorded."""
        found: ContextReport = self.run("context", message=message)
        return found

    def ask(self, text: str, *, session: str = "") -> "Reply":
        """Send a message and wait for the reply. `session` is the id of a conversation to continue, or `last`.

        It runs its own event loop: within another, use `converse`, or `asyncio.to_thread(agent.ask, …)`.
        """
        if _is_in_event_loop():
            raise WrongUse(
                "ask() waits for the reply and would block the event loop that runs.",
                mend="Use converse(), or await asyncio.to_thread(agent.ask, …).",
            )
        reply: Reply = self.run("ask", text=text, resume=session)
        return reply

    def converse(self, text: str, *, session: str = "") -> "AsyncIterator[Event]":
        """The events of one turn: Accepted first, Done last."""
        events: AsyncIterator[Event] = self.run("chat.say", text=text, session=session)
        return events

    def session(
        self, *, person: str = "", channel: str = CHANNEL, project: str = "", resume: str = ""
    ) -> "AgentSession":
        """A conversation led by your own loop, to be used with `async with`. See `everself.agent_session`.

        `person` is the id of the speaker, if not the owner: they see and change only their own memory. `channel` is the name of your
        program or its place. `resume` is the id of an earlier session, or `last`.
        """
        from everself.agent_session import AgentSession

        if not channel.strip():
            raise WrongUse("The channel has no name.", mend='Say where it talks, such as channel="my-app".')
        if self._upkeep is not None and not self.runtime.closed:
            self._upkeep.start()
        kind = SessionKind.GUEST if person else SessionKind.MAIN
        scope = Scope(kind, slug(person) if person else None, slug(project) if project else None)
        return AgentSession(self.runtime, scope, channel, resume)

    def close(self) -> None:
        """Close the agent. Waiting changes are written to the history."""
        if self._upkeep is not None and not self.runtime.closed:
            self._upkeep.stop()
            self._upkeep.settle()
        self.runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        import asyncio

        await asyncio.to_thread(self.close)


def open_runtime(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> Runtime:
    """Open an agent: the named one, otherwise that of EVERSELF_PROFILE, otherwise the default. Touches no file of the agent yet."""
    return give_tools(make_runtime(agent, workspace=workspace, environ=environ))


def open_app(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> Agent:
    """Deprecated: use `Agent.open`."""
    return Agent(open_runtime(agent, workspace=workspace, environ=environ))


def _is_in_event_loop() -> bool:
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _environ(home: Path | None, config: Path | None) -> dict[str, str] | None:
    given = {"EVERSELF_HOME": home, "EVERSELF_CONFIG": config}
    named = {name: os.path.abspath(os.fspath(path)) for name, path in given.items() if path is not None}
    return {**environment(), **named} if named else None
