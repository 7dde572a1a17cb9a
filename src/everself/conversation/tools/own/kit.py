"""What our own tools work with. Callables where opening costs something: a conversation pays only for what it uses."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everself.config.sections import WorkspaceAccess
from everself.conversation.tools.protocol import Stamp, ToolContext
from everself.conversation.worker_thread import WorkerThread
from everself.memory.memory import Memory
from everself.search.sharing import SharingRules
from everself.values import Document
from everself.workspace.protocol import Workspace

if TYPE_CHECKING:
    from everself.identity.growth import Growth
    from everself.memory.forgetting.forgetting import Forgetting
    from everself.memory.promotion.candidates import Candidate
    from everself.search.recall import Recall
    from everself.storage.state.file_origins import FileOrigins


@dataclass(frozen=True, slots=True)
class SubagentReport:
    """What a sub-agent came back with, and how far its words are to be trusted."""

    text: str
    session: str
    stamp: Stamp = "own"
    failed: bool = False


@dataclass(frozen=True, slots=True)
class AskedAbout:
    """Entries that the person is asked about now, and why not about others."""

    queued: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Promoting:
    """`look` so many days back, or for what is found often; `ask` the person about entries. Neither moves anything."""

    look: "Callable[[int, bool], tuple[Candidate, ...]]"
    ask: Callable[[tuple[str, ...]], AskedAbout]


@dataclass(frozen=True, slots=True)
class Kit:
    """`find` gives a document as it may be used; `recall` is None where searching is switched off, `spawn` where nobody can be sent.

    `asks_to_forget` reads a message; `access` is what sub-agents see of the workspace; `files` knows what the tools wrote. `ask_correction`
    puts a correction that the owner did not word before them: the entry, the words, and the id of the question.
    """

    in_thread: WorkerThread
    memory: Callable[[], Memory]
    workspace: Callable[[], Workspace]
    find: Callable[[str], Document | None]
    growth: "Callable[[], Growth]"
    forgetting: "Callable[[], Forgetting]"
    recall: "Callable[[], Recall] | None" = None
    asks_to_forget: Callable[[str], bool] = lambda _: False
    spawn: "Callable[[str, ToolContext], Awaitable[SubagentReport]] | None" = None
    access: WorkspaceAccess = WorkspaceAccess.RO
    rules: SharingRules = field(default_factory=SharingRules)
    personas: tuple[str, ...] = ()
    promoting: Promoting | None = None
    files: "Callable[[], FileOrigins] | None" = None
    ask_correction: "Callable[[str, str, ToolContext], str] | None" = None


def told(result: Mapping[str, object]) -> str:
    """A result as a model is shown it."""
    return json.dumps(result, ensure_ascii=False)


def asks_to_forget(message: str) -> bool:
    """Whether the person asks in so many words for something to be forgotten."""
    from everself.classify.sentence_kinds import SentenceKind
    from everself.classify.statements import read

    return bool(read(message).of(SentenceKind.FORGET))
