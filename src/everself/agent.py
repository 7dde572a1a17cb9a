"""The public facade: create or open an agent, and call its operations.

Knows no interface. Every method is one operation, called by the owner's own program, which agrees by calling it.
"""

import os
import sys
import weakref
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypedDict, Unpack

from everself.errors import WrongUse
from everself.operations.caller import Audience, Caller
from everself.operations.registry import get_operation
from everself.operations.tools import give_tools
from everself.operations.upkeep import Upkeep
from everself.runtime import Runtime, make_runtime

if TYPE_CHECKING:
    from everself.agent_session import AgentSession
    from everself.clock import Clock
    from everself.conversation.events import Event
    from everself.memory.forgetting.proof import ForgetPlan, ForgetProof
    from everself.memory.memory import Corrected, Remembered
    from everself.operations.conversation import ContextReport, Reply
    from everself.search.recall import SearchResult
    from everself.values import Hit

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

    def __init__(self, runtime: Runtime, *, fresh: bool = True, clock: "Clock | None" = None) -> None:
        """`fresh` and `clock` are as in `open`."""
        self.runtime = runtime
        if clock is not None:
            runtime.clock = clock
        self._caller = Caller(Audience.OWNER, by_owner=True, channel=CHANNEL, agree=lambda _: None)
        self._upkeep = Upkeep(runtime) if fresh else None
        if self._upkeep is not None:
            # also where it is never closed: threads must not run on while the interpreter ends
            weakref.finalize(self, self._upkeep.halt)

    @classmethod
    def open(
        cls,
        name: str | None = None,
        *,
        home: Path | None = None,
        config: Path | None = None,
        fresh: bool = True,
        clock: "Clock | None" = None,
    ) -> Self:
        """An agent that exists: the named one, else the one that answers when none is named.

        `home` is the folder of all agents and `config` their settings file; without them the environment says where these are.
        `fresh`: vectors are kept fresh while the agent is open, as far as that costs no money. `clock` is for tests: see
        `everself.testing.frozen_time`.
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
        clock: "Clock | None" = None,
    ) -> Self:
        """The same, made first where it does not exist. `workspace` is the folder for its files, where that is not the usual one."""
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
        """Any operation by its name, such as `run("memory.list", limit=5)`. Its fields are those of the request type."""
        if self.runtime.closed:
            raise WrongUse("The agent is closed.", mend="Open it again with Agent.open(…).")
        found = get_operation(operation)
        if self._upkeep is not None and (found.effect != "read" or found.name == _SEARCH):
            self._upkeep.start()
        return found(self.runtime, self._caller, found.request(**request))

    def remember(
        self, text: str, *, source: str = "owner", keep: bool = False, **details: Unpack[EntryDetails]
    ) -> "Remembered":
        """Remember something. `keep`: for good, in MEMORY.md.

        `source` says whose words it is: `owner`, `agent` for what a model concluded, `tool`, `web`, `import`, or `person:<id>`. What
        a model wants to be remembered belongs into `session().call("memory_write", …)`, which finds that out by itself.
        """
        done: Remembered = self.run("memory.add", text=text, source=source, remember=keep, **details)
        return done

    def correct(self, old: str, new: str) -> "Corrected":
        """Put something right: `old` is an entry's id or its words."""
        done: Corrected = self.run("memory.correct", old=old, new=new)
        return done

    def forget(self, *entries: str, words: str = "", dry_run: bool = False) -> "ForgetPlan | ForgetProof":
        """Forget entries by their ids, or every entry and place that contains these words. It cannot be undone."""
        done: ForgetPlan | ForgetProof = self.run("memory.forget", entries=entries, words=words, dry_run=dry_run)
        return done

    def search(self, query: str, limit: int | None = None) -> "SearchResult":
        """The best hits for these words, with citations."""
        found: SearchResult = self.run("memory.search", query=query, limit=limit)
        return found

    def get(self, path: str, *, first: int | None = None, lines: int | None = None) -> "Hit":
        """Lines of a document, by its path or by a citation."""
        found: Hit = self.run("memory.get", path=path, first=first, lines=lines)
        return found

    def context(self, message: str = "") -> "ContextReport":
        """What a model would be told if the owner said this now, with its receipt. Nothing is recorded."""
        found: ContextReport = self.run("context", message=message)
        return found

    def ask(self, text: str, *, session: str = "") -> "Reply":
        """Say one thing and wait for the reply. `session` is the id of a conversation to go on with, or `last`.

        It runs an event loop of its own: within another, use `converse`, or `asyncio.to_thread(agent.ask, …)`.
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
        """A conversation that your own loop leads, to be used with `async with`. See `everself.agent_session`.

        `person` is the id of who speaks, where that is not the owner: they see and change their own memory only. `channel` is the name
        of your program or of the place where it talks. `resume` is the id of an earlier session, or `last`.
        """
        from everself.agent_session import AgentSession
        from everself.search.scopes import Scope, SessionKind
        from everself.text.normalise import slug

        if not channel.strip():
            raise WrongUse("The channel has no name.", mend='Say where it talks, such as channel="my-app".')
        if self._upkeep is not None and not self.runtime.closed:
            self._upkeep.start()
        kind = SessionKind.GUEST if person else SessionKind.MAIN
        scope = Scope(kind, slug(person) if person else None, slug(project) if project else None)
        return AgentSession(self.runtime, scope, channel, resume)

    def close(self) -> None:
        """Close what was opened. What still waits for the history is written."""
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
    """Open an agent: the named one, else the one of EVERSELF_PROFILE, else the default. Touches no file of the agent yet."""
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
    from everself.config import environment

    given = {"EVERSELF_HOME": home, "EVERSELF_CONFIG": config}
    named = {name: os.path.abspath(os.fspath(path)) for name, path in given.items() if path is not None}
    return {**environment(), **named} if named else None
