"""Operations on conversations: list, show, search, export and delete sessions, and simulate compaction.

They show everything that was said, so they are only for the owner.
"""

from datetime import datetime
from typing import Annotated, Final

from everself.conversation.sessions.checkpoint import Fate
from everself.conversation.sessions.session import Message, Session, calls_of
from everself.errors import WrongUse
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, Request, Result, operation, owner_reads, terminal_reads
from everself.runtime import Runtime

_MOST: Final = 100_000
_SESSION: Final = "The id of a session, the beginning of it, or last."


class SessionLine(Result):
    """One session. `taint` is the least trusted source in it; `ended`: it was closed with /new."""

    id: str
    kind: str
    person: str
    channel: str
    started_at: datetime
    last_at: datetime
    messages: int
    title: str
    ended: bool
    taint: str


class ReplyReceipt(Result):
    """What a reply used: the number of memories `recalled` and `left_out`, and prompt `tokens`; `sent`, `received` and `cached` are the
    provider's counts of the last request. `cost` is in dollars, None if unknown; `why` is how it ended."""

    model: str
    why: str
    recalled: int
    left_out: int
    tokens: int
    sent: int
    received: int
    cached: int
    cost: float | None = None


class Spoken(Result):
    """One message. `calls` are the names of tools that it called; `receipt` describes a reply."""

    id: str
    session: str
    seq: int
    at: datetime
    role: str
    person: str
    text: str
    calls: tuple[str, ...] = ()
    receipt: ReplyReceipt | None = None


class SessionView(Result):
    session: SessionLine
    summary: str
    summarised: int
    messages: tuple[Spoken, ...]


class Deletion(Result):
    """What deleting a session removes, and the number of its entries that stay."""

    session: SessionLine
    messages: int
    searches: int
    entries: int


class Deleted(Deletion):
    """A completed deletion."""


class Statement(Result):
    text: str
    message: str
    fate: Fate
    entry: str = ""


class Simulation(Result):
    """What survives compaction: `statements` become or are entries, `dropped` messages become a summary, which a model may word
    differently; `stands` are documents that are read in every turn."""

    session: SessionLine
    statements: tuple[Statement, ...]
    dropped: int
    kept: int
    summary: str
    stands: tuple[str, ...]


class ListRequest(Request):
    limit: Annotated[int, Option("How many at most.", ge=1, le=_MOST)] = 20


@owner_reads("sessions.list", slash="/sessions")
def list_sessions(runtime: Runtime, _: Caller, request: ListRequest) -> tuple[SessionLine, ...]:
    """List conversations, most recent first.

    $ everself sessions list --limit 5  # the last five
    """
    return tuple(_line(one) for one in runtime.log.list(request.limit))


class ShowSessionRequest(Request):
    name: Annotated[str, Argument(_SESSION, "[ID]")] = "last"
    limit: Annotated[int | None, Option("Only so many of the last messages.", ge=1, le=_MOST)] = None


@owner_reads("sessions.show")
def show_session(runtime: Runtime, _: Caller, request: ShowSessionRequest) -> SessionView:
    """Show what was said in a conversation.

    $ everself sessions show last  # the newest conversation
    $ everself sessions show 7K3Q --limit 10  # the last ten messages of the one whose id begins so
    """
    session = runtime.log.find(request.name)
    messages = runtime.log.messages(session)
    shown = messages[-request.limit :] if request.limit else messages
    summarised = sum(one.seq <= session.compacted for one in messages)
    return SessionView(_line(session), session.summary, summarised, tuple(_spoken(one) for one in shown))


class SearchMessagesRequest(Request):
    words: Annotated[str, Argument("Words that a message holds.", joined=True)]
    limit: Annotated[int, Option("How many at most.", ge=1, le=_MOST)] = 20


@owner_reads("sessions.search")
def search_messages(runtime: Runtime, _: Caller, request: SearchMessagesRequest) -> tuple[Spoken, ...]:
    """Find messages that contain all of these words.

    This matches the words themselves; `everself memory search` searches memory, also by meaning.

    $ everself sessions search harbour fee  # in any conversation, the newest first
    """
    return tuple(_spoken(one) for one in runtime.log.search(request.words, request.limit))


class ExportSessionRequest(Request):
    name: Annotated[str, Argument(_SESSION, "[ID]")] = "last"


# a transcript contains everything that was said
@terminal_reads("sessions.export")
def export_session(runtime: Runtime, _: Caller, request: ExportSessionRequest) -> str:
    """Print a conversation as JSON Lines: the session, then one line per message.

    $ everself sessions export last > talk.jsonl  # one line for each message
    """
    return runtime.log.export(runtime.log.find(request.name)).decode("utf-8")


class DeleteSessionRequest(Request):
    name: Annotated[str, Argument(_SESSION, "ID")]
    dry_run: Annotated[bool, Option("Only show what would be deleted.")] = False


@operation("sessions.delete", audience=Audience.OWNER_AT_TERMINAL, effect="destructive", question="Delete it for good?")
def delete_session(runtime: Runtime, caller: Caller, request: DeleteSessionRequest) -> Deletion:
    """Delete a conversation: its messages, transcript and searches.

    Entries made from it stay. To remove them as well, run `everself memory forget --session ID` instead. It cannot be undone.

    $ everself sessions delete 7K3Q --dry-run  # what would go
    $ everself sessions delete 7K3Q --yes  # without being asked
    """
    session = runtime.log.find(request.name)
    plan = _plan_deletion(runtime, session)
    if request.dry_run:
        return plan
    caller.agree(plan)
    session = runtime.log.find(session.id)
    runtime.state.scrub.drop_searches(_searches(runtime, session))
    runtime.log.delete(session)
    # also from the write-ahead log; pages are overwritten when rows are deleted
    runtime.state.scrub.settle()
    return Deleted(plan.session, plan.messages, plan.searches, plan.entries)


def _plan_deletion(app: Runtime, session: Session) -> Deletion:
    ids = {f"msg:{one.id}" for one in app.log.messages(session)}
    came = sum(not ids.isdisjoint(entry.lineage) for entry in app.memory.catalog.all()) if ids else 0
    return Deletion(_line(session), len(ids), len(_searches(app, session)), came)


class SimulateRequest(Request):
    name: Annotated[str, Argument(_SESSION, "[SESSION]")] = "last"


@owner_reads("simulate-compaction")
def simulate_compaction(runtime: Runtime, _: Caller, request: SimulateRequest) -> Simulation:
    """Show what would remain if a conversation were compacted now.

    Changes nothing and asks no model; a model would word the summary differently.

    $ everself simulate-compaction  # what survives if the last conversation were made shorter now
    """
    from everself.conversation.compaction import cut_at, stays
    from everself.conversation.sessions.excerpts import digest_of

    session = runtime.log.find(request.name)
    messages = runtime.log.messages(session, session.compacted)
    if not messages:
        raise WrongUse("Nothing was said in this session since it was last compacted.")
    cut = cut_at(messages, stays("asked", runtime.compactor.window()))
    planned = runtime.checkpoint.plan(session)
    statements = tuple(Statement(one.new_entry.text, one.message.id, one.fate, one.entry) for one in planned)
    most = runtime.compactor.most_of_a_summary()
    summary = digest_of(messages[:cut], session.summary, most) if cut else session.summary
    names = ("SOUL.md", "IDENTITY.md", "USER.md", "CORRECTIONS.md", "MEMORY.md")
    stands = tuple(name for name in names if runtime.workspace.stat(name) is not None)
    return Simulation(_line(session), statements, cut, len(messages) - cut, summary, stands)


def _searches(app: Runtime, session: Session) -> list[str]:
    return [one.id for one in app.state.scrub.searches() if one.session == session.id]


def _line(session: Session) -> SessionLine:
    scope = session.scope
    return SessionLine(
        session.id,
        scope.kind.value,
        scope.person or "",
        session.channel,
        session.started_at,
        session.last_at or session.started_at,
        session.said,
        session.title,
        session.ended,
        session.taint,
    )


def _spoken(message: Message) -> Spoken:
    calls = tuple(call.name for call in calls_of(message))
    place = (message.id, message.session, message.seq, message.at)
    return Spoken(*place, message.role, message.person, message.content, calls, _receipt(message))


def _receipt(message: Message) -> ReplyReceipt | None:
    meta = message.meta
    kept = meta.get("receipt")
    if message.role != "assistant" or not kept:
        return None
    usage = meta.get("usage") or {}
    return ReplyReceipt(
        model=str(meta.get("model", "")),
        why=str(meta.get("why", "stop")),
        recalled=len(kept.get("recalled", ())),
        left_out=int(kept.get("left_out_count", 0)),
        tokens=int(kept.get("tokens", 0)),
        sent=int(usage.get("sent", 0)),
        received=int(usage.get("received", 0)),
        cached=int(usage.get("cached", 0)),
        cost=meta.get("cost"),
    )
