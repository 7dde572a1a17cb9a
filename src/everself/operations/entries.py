"""Operations that write entries: add, edit, correct, supersede. The source of the words is determined here for every interface."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from everself.conversation.tools.protocol import Outcome, Written, told
from everself.errors import RefusedByRule, WrongUse
from everself.frozen import Frozen
from everself.identity.write_permissions import permission
from everself.memory.adoption import vouch_for, withdraw_vouchers
from everself.memory.memory import Corrected, Memory, Remembered
from everself.memory.provenance import OWN, OWNER, PERSON, is_outside, rank, stated_by_owner
from everself.memory.quarantine import Released
from everself.memory.quarantine import release as let_out
from everself.memory.selection import Selection, Standing, select
from everself.memory.writing import CORE, NewEntry, is_quarantined
from everself.operations.caller import OWNERS_SESSIONS, Audience, Caller
from everself.operations.client_prompts import with_prompt
from everself.operations.declaration import (
    Argument,
    McpOffer,
    Option,
    Request,
    ToolOffer,
    operation,
    owner_writes,
    terminal_writes,
)
from everself.operations.notes import (
    close_for_note,
    is_about_another,
    keep_beside,
    write_note,
)
from everself.operations.origins import asks_to_remember, is_wished, origin_of
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import effective, is_owner
from everself.text.normalise import fold
from everself.values import Author, Entry, Tag, digest

_OWNERS: Final = ("cli", "http")
_CANDIDATES: Final = 5
# kinds of notes that only the runtime sets
_RESERVED: Final = frozenset({"correction", "heartbeat", "cron", "session", "mined", "released"})
_NOTE: Final = "note"


class Candidates(Frozen):
    """Nothing was done because it is unclear which entry is meant. These are the nearest entries."""

    hint: str
    entries: tuple[Entry, ...] = ()


class CorrectionAsked(Frozen):
    """No entry was closed; the owner is asked. `review` is the id of the question; `kept`: their statement was stored beside the entry."""

    review: str
    kept: bool = False


class Superseded(Frozen):
    closed: str
    by: str
    change: str


def candidates_near(runtime: Runtime, caller: Caller, words: str, hint: str, found: Sequence[Entry] = ()) -> Candidates:
    """The found entries, otherwise the open entries nearest to the words."""
    near = list(found)
    if not near and runtime.agent.search.enabled:
        hits = runtime.recall.search(RecallRequest(words, _CANDIDATES, scope=caller.scope, recorded=False)).hits
        entries = (runtime.memory.catalog.find(hit.entry) for hit in hits if hit.entry and not hit.weak)
        near = [one for one in entries if one is not None and not one.closed]
    return Candidates(hint, tuple(near[:_CANDIDATES]))


def show_candidates(found: Candidates) -> Outcome:
    """Render candidates for a model, in the format that all tools share."""
    listed = [{"entry": one.id, "text": one.text[:200], "citation": one.reference} for one in found.entries]
    result = {"forgotten": 0, "gone": False, "places": {}, "candidates": listed, "hint": found.hint}
    return Outcome(told(result), failed=True)


class AddRequest(Request):
    text: Annotated[str, Argument("What to remember.", stdin=True, tool="content")]
    category: Annotated[str, Option("One word for the kind of note.", "WORD")] = _NOTE
    tag: Annotated[Literal["event", "knowledge", "skill", "decision"], Option("What it is.")] = "knowledge"
    remember: Annotated[
        bool, Option("Keep it for good, in MEMORY.md, because the person asked for it.", tool="explicit")
    ] = False
    about: Annotated[str, Option("The person it is about.", "WHO", only=_OWNERS)] = ""
    person: Annotated[str, Option("The person it belongs to; only they are told.", "NAME", only=_OWNERS)] = ""
    project: Annotated[str, Option("The project it belongs to.", "NAME", only=_OWNERS)] = ""
    key: Annotated[
        str, Option("With the same key it is added once, however often it is asked for.", only=(*_OWNERS, "mcp"))
    ] = ""
    source: Annotated[
        str, Option("Whose words it is: owner, agent, tool, web, import or person:ID.", only=("http",))
    ] = OWNER


def _show_added(runtime: Runtime, request: AddRequest, done: Remembered) -> Outcome:
    entry = runtime.memory.catalog.find(done.entry)
    citation = entry.reference if entry is not None else done.path
    result: dict[str, object] = {
        "entry": done.entry,
        "path": done.path,
        "citation": citation,
        "mention": done.mention,
    }
    if done.redacted:
        result["left_out"] = list(done.redacted)
    if done.doubt:
        # the reason is not shown: an attacker could rephrase the text
        result["kept_apart"] = (
            "It is in quarantine until the owner has looked at it: everself memory list --path quarantine"
        )
    words = entry.text if entry is not None else request.text
    return Outcome(
        told(result), written=(Written("remembered", words, citation, done.entry, done.change, done.redacted),)
    )


def _may_write(_: Runtime, scope: Scope) -> bool:
    # guests without a name share one scope, so nothing can be stored for them
    return is_owner(scope) or bool(effective(scope).person)


@operation(
    "memory.add",
    audience=Audience.GUEST,
    effect="write",
    tool=ToolOffer(
        "memory_write",
        "Write one note for good: a short sentence that reads without the conversation, with names and absolute dates, such as “Ana, the "
        "owner's sister, moves to Porto in March 2027.” One fact a call. The person's own words are kept as its evidence. Not for small "
        "talk, questions, tasks or pasted text.",
        sessions=OWNERS_SESSIONS | {SessionKind.GUEST},
        where=_may_write,
        show=_show_added,
    ),
    mcp=McpOffer(
        "memory_write",
        "Remember one fact for good: a short sentence with names and absolute dates that reads without the conversation. Not for code, "
        "tasks or small talk.",
        _show_added,
    ),
)
def add_entry(runtime: Runtime, caller: Caller, request: AddRequest) -> Remembered:
    """Remember something; with -, it is read from standard input.

    A known fact is counted as a mention. Secrets, and text between <private> and </private>, are left out.

    $ everself memory add "Prefers green tea"  # into today's log
    $ everself memory add "We ship on Fridays" --tag decision --remember  # for good, into MEMORY.md
    $ everself memory add - < note.txt  # from a file, so that your shell's history does not keep it
    """
    caller = with_prompt(runtime, caller, request.text)
    origin = origin_of(request.text, caller, request.source)
    if request.remember and not caller.is_model and is_outside(origin.source):
        raise RefusedByRule(
            f"MEMORY.md is part of every prompt, so text from “{origin.source}” is not written there.",
            mend="Remember it without keep; promote it later.",
        )
    person, explicit, category, project = request.person, request.remember, request.category, request.project
    key = request.key
    if caller.is_model:
        person, project = effective(caller.scope).person or "", caller.scope.project or ""
        category = _category(category)
        # two models may choose the same key for different facts
        key = f"{key}:{digest(request.text.encode('utf-8', 'replace'))[:16]}" if key else ""
        if origin.source not in (OWNER, f"{PERSON}{person}"):
            # the core is part of every prompt: words of others do not get there, nor words that the owner did not ask to keep
            allowed = permission(Author.AGENT, CORE, tainted=caller.taint != OWN) == "write"
            asked = explicit and asks_to_remember(caller.said)
            explicit = allowed and (asked or is_wished(request.text, caller.said))
    new_entry = NewEntry(
        request.text,
        origin,
        category=category,
        tag=Tag(request.tag),
        explicit=explicit,
        who=request.about,
        person=person,
        project=project,
        key=key,
    )
    if not caller.is_model:
        return runtime.memory.remember(new_entry)
    return write_note(runtime, new_entry, caller)


def _category(named: str) -> str:
    """A model may choose the category, except the ones that the runtime sets."""
    return _NOTE if not named.strip() or "".join(fold(named).split()) in _RESERVED else named


class EditRequest(Request):
    entry: Annotated[str, Argument("The id of the entry.", "ID")]
    text: Annotated[str, Argument("What it shall say.", stdin=True)]


@owner_writes("memory.edit")
def edit_entry(runtime: Runtime, _: Caller, request: EditRequest) -> Remembered:
    """Change the words of an entry; with -, they are read from standard input.

    $ everself memory edit 7K3QX9M2ABCD "Prefers green tea, no sugar"  # other words; it stays the same entry
    """
    return runtime.memory.edit(request.entry, request.text, stated_by_owner("terminal"))


class CorrectRequest(Request):
    old: Annotated[str, Argument("The entry that is wrong: its id, or its exact words.")]
    new: Annotated[str, Argument("What is right, in the person's words where you can.", stdin=True)]
    trigger: Annotated[str, Option("What was said when it was noticed.", "WORDS", only=_OWNERS)] = ""


def _show_corrected(
    runtime: Runtime, request: CorrectRequest, done: Corrected | Candidates | CorrectionAsked
) -> Outcome:
    if isinstance(done, Candidates):
        return show_candidates(done)
    if isinstance(done, CorrectionAsked):
        hint = (
            "What they said was written down, and the other note stays: they are asked in `everself review` which of the two holds."
            if done.kept
            else "Nothing was changed: the owner has not said this in a sentence of their own. They are asked in `everself review`; "
            "or let them say what is right in one whole sentence."
        )
        return Outcome(told({"entry": "", "closed": [], "asked": done.review, "hint": hint}))
    entry = runtime.memory.catalog.find(done.entry)
    citation = entry.reference if entry is not None else ""
    result: dict[str, object] = {"entry": done.entry, "closed": list(done.closed), "citation": citation}
    if done.redacted:
        result["left_out"] = list(done.redacted)
    return Outcome(
        told(result), written=(Written("corrected", request.new, citation, done.entry, done.change, done.redacted),)
    )


@operation(
    "memory.correct",
    audience=Audience.AGENT,
    effect="write",
    tool=ToolOffer(
        "memory_correct",
        "Put right what you remembered wrongly, after the person said so: the old entry is closed and the new words outrank it.",
        sessions=frozenset({SessionKind.MAIN}),
        show=_show_corrected,
    ),
    mcp=McpOffer(
        "memory_correct",
        "Replace a wrong entry. Unless the owner said so in their prompt, they are asked.",
        _show_corrected,
    ),
)
def correct_entry(
    runtime: Runtime, caller: Caller, request: CorrectRequest
) -> Corrected | Candidates | CorrectionAsked:
    """Correct an entry: OLD is its id or its exact words.

    The old entry is closed, not deleted; the new one has full confidence and does not decay. CORRECTIONS.md records both.

    $ everself memory correct "Lives in Berlin" "Lives in Oslo"  # by its words
    $ everself memory correct 7K3QX9M2ABCD "Lives in Oslo" --trigger "No, I moved"  # by its id
    """
    memory = runtime.memory
    if not caller.is_model:
        return memory.correct(request.old, request.new, stated_by_owner("terminal"), trigger=request.trigger)
    caller = with_prompt(runtime, caller, request.new)
    if not caller.by_owner and not caller.unwatched:
        raise RefusedByRule("Permission denied: only the owner can correct memory, in this conversation.")
    wrong = _wrong(memory, request.old)
    if not wrong:
        hint = "Nothing says exactly that. Call it again with the id of the entry that is wrong."
        return candidates_near(runtime, caller, request.old, hint)
    if not caller.by_owner:
        # the model of another program, which has no owner's statement to support it
        return CorrectionAsked(runtime.keepers.ask_correction(wrong[0].id, request.new, ""))
    origin = origin_of(request.new, caller)
    made_of_this = any(f"msg:{caller.message}" in one.lineage for one in wrong)
    # a page may have told the model to replace an entry that the owner did not mean
    another = made_of_this or is_about_another(wrong, caller)
    if rank(origin.source) < rank(OWNER) or caller.taint != OWN or another:
        done = None if another else close_for_note(runtime, wrong, request.new, caller)
        if done is not None:
            return done
        beside = "" if another else keep_beside(runtime, wrong, NewEntry(request.new, origin), caller)
        if beside:
            return CorrectionAsked(beside, kept=True)
        return CorrectionAsked(runtime.keepers.ask_correction(wrong[0].id, request.new, caller.message))
    return memory.correct(request.old, request.new, origin, said=caller.said, trigger="memory_correct")


def _wrong(memory: Memory, old: str) -> list[Entry]:
    """The open entries that a correction would close."""
    named = memory.catalog.find(old.strip().upper())
    if named is not None:
        return [named]
    memory.catalog.refresh()
    return [one for one in memory.catalog.with_words(old) if not one.closed]


class SupersedeRequest(Request):
    old: Annotated[str, Argument("The id of the entry that no longer holds.")]
    new: Annotated[str, Argument("The id of the entry that took its place.")]


@owner_writes("memory.supersede")
def supersede_entry(runtime: Runtime, _: Caller, request: SupersedeRequest) -> Superseded:
    """Close an entry that another one replaces; both are named by their ids.

    $ everself memory supersede 7K3QX9M2ABCD 9M2ABCD7K3QX  # the second took the place of the first
    """
    return Superseded(request.old, request.new, runtime.memory.supersede(request.old, request.new))


class VouchPlan(Frozen):
    """The number of entries to vouch for."""

    entries: int


class Vouched(Frozen):
    """Ids of entries that are newly vouched for; `withdrawn` are ids whose vouching was taken back, None if not requested."""

    vouched: tuple[str, ...]
    withdrawn: tuple[str, ...] | None = None


class VouchRequest(Request):
    entries: Annotated[tuple[str, ...], Argument("Ids of entries.", "[ID]...")] = ()
    everything: Annotated[
        bool, Option("All entries without a confirmed source, except quarantined ones.", cli="--all")
    ] = False
    withdraw: Annotated[bool, Option("Take it back: the named entries count as written by hand.")] = False


@terminal_writes("memory.vouch", question="Vouch for them?")
def vouch(runtime: Runtime, caller: Caller, request: VouchRequest) -> Vouched:
    """Confirm the source of entries, or that they are yours.

    No file is changed. Imported entries become yours. The sources web, tool and other people stay.

    $ everself memory vouch --all  # for everything in a workspace you brought along
    $ everself memory vouch 7K3QX9M2ABCD  # for one entry
    $ everself memory vouch 7K3QX9M2ABCD --withdraw  # no longer: it counts as written by hand
    """
    if bool(request.entries) is request.everything:
        raise WrongUse("Name the entries, or add --all.", mend="everself memory list --unvouched")
    memory = runtime.memory
    if request.withdraw:
        if request.everything:
            raise WrongUse("Name the entries whose confirmation you withdraw.", mend="everself memory list")
        named = [memory.catalog.get(identity) for identity in request.entries]
        return Vouched((), withdraw_vouchers(runtime.state, memory, named))
    if request.everything:
        wanted = Selection(standing=Standing.ANY, unvouched=True, aside=True)
        chosen = select(memory.catalog.all(), wanted, lambda _: 1.0)
        found = [entry for entry in chosen if not is_quarantined(entry.path)]
        if found:
            caller.agree(VouchPlan(len(found)))
    else:
        found = [memory.catalog.get(identity) for identity in request.entries]
    return Vouched(vouch_for(runtime.state, memory, found))


class ReleaseRequest(Request):
    entry: Annotated[str, Argument("The id of the entry.", "ID")]


@terminal_writes("memory.release")
def release(runtime: Runtime, _: Caller, request: ReleaseRequest) -> Released:
    """Release an entry from quarantine into today's log.

    Its source and trust stay the same.

    $ everself memory release 7K3QX9M2ABCD  # it may be recalled again, as trusted as it was
    """
    return let_out(runtime.memory, request.entry)
