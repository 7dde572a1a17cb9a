"""The public facade: create or open an agent, and call its operations.

Knows no interface. Every method is one operation, called by the owner's own program, which agrees by calling it.
"""

import os
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from everself.operations.caller import Audience, Caller
from everself.operations.registry import get_operation
from everself.operations.tools import give_tools
from everself.runtime import Runtime, make_runtime

if TYPE_CHECKING:
    from everself.conversation.events import Event
    from everself.memory.forgetting.proof import ForgetPlan, ForgetProof
    from everself.memory.memory import Corrected, Remembered
    from everself.operations.conversation import ContextReport, Reply
    from everself.search.recall import SearchResult
    from everself.values import Hit

__all__ = ["Agent", "Runtime", "open_app", "open_runtime"]

Path = str | os.PathLike[str]


class Agent:
    """One agent. Parts are opened when they are first needed, whichever thread asks; leaving `with` closes them.

    with Agent.create() as agent:
        agent.remember("My heron is called Otto.")
        print(agent.search("heron"))
    """

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._caller = Caller(Audience.OWNER, by_owner=True, channel="library", agree=lambda _: None)

    @classmethod
    def open(cls, name: str | None = None, *, home: Path | None = None, config: Path | None = None) -> Self:
        """An agent that exists: the named one, else the one that answers when none is named.

        `home` is the folder of all agents and `config` their settings file; without them the environment says where these are.
        """
        return cls(open_runtime(name or "", environ=_environ(home, config)))

    @classmethod
    def create(
        cls,
        name: str | None = None,
        *,
        workspace: Path | None = None,
        home: Path | None = None,
        config: Path | None = None,
    ) -> Self:
        """The same, made first where it does not exist. `workspace` is the folder for its files, where that is not the usual one."""
        from everself.operations.home import Home
        from everself.operations.setup import SetupRequest, set_up_agent

        environ = _environ(home, config)
        request = SetupRequest(agent=name or "", workspace=os.fspath(workspace) if workspace else "")
        set_up_agent(Home(environ), Caller(Audience.OWNER_AT_TERMINAL, by_owner=True), request)
        return cls(open_runtime(name or "", environ=environ))

    @property
    def name(self) -> str:
        return self.runtime.agent.id

    @property
    def workspace(self) -> str:
        """The folder that holds its files."""
        return self.runtime.agent.workspace

    def run(self, operation: str, /, **request: Any) -> Any:
        """Any operation by its name, such as `run("memory.list", limit=5)`. Its fields are those of the request type."""
        found = get_operation(operation)
        return found(self.runtime, self._caller, found.request(**request))

    def remember(
        self,
        text: str,
        *,
        category: str = "note",
        tag: Literal["event", "knowledge", "skill", "decision"] = "knowledge",
        keep: bool = False,
        about: str = "",
        person: str = "",
        project: str = "",
        key: str = "",
    ) -> "Remembered":
        """Remember something the owner says. `keep`: for good, in MEMORY.md; `key`: once, however often it is asked for."""
        given = {"category": category, "tag": tag, "remember": keep, "about": about, "person": person}
        done: Remembered = self.run("memory.add", text=text, project=project, key=key, **given)
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
        """Say one thing and wait for the reply. `session` is the id of a conversation to go on with, or `last`."""
        reply: Reply = self.run("ask", text=text, resume=session)
        return reply

    def converse(self, text: str, *, session: str = "") -> "AsyncIterator[Event]":
        """The events of one turn: Accepted first, Done last."""
        events: AsyncIterator[Event] = self.run("chat.say", text=text, session=session)
        return events

    def close(self) -> None:
        """Close what was opened. What still waits for the history is written."""
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


def _environ(home: Path | None, config: Path | None) -> dict[str, str] | None:
    from everself.config import environment

    given = {"EVERSELF_HOME": home, "EVERSELF_CONFIG": config}
    named = {name: os.path.abspath(os.fspath(path)) for name, path in given.items() if path is not None}
    return {**environment(), **named} if named else None
