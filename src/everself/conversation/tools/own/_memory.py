"""memory_write, memory_correct and memory_forget. The source of what is written is stamped here; a model does not get to say it."""

from typing import TYPE_CHECKING, Final

from everself.conversation.tools.own._arguments import FLAG, TEXT, describe, field, flag_of, text_of
from everself.conversation.tools.own._origin import asks_to_remember, origin_of
from everself.conversation.tools.own.kit import Kit, told
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext, Written
from everself.errors import NotFound, RefusedByRule
from everself.identity.write_permissions import permission
from everself.memory.provenance import OWN, OWNER, PERSON, parse_tag, rank
from everself.memory.writing import CORE, NewEntry
from everself.models.chat.protocol import JsonObject
from everself.search.scopes import SessionKind
from everself.search.sharing import effective
from everself.text.normalise import fold
from everself.values import Author, Entry, Tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everself.memory.memory import Memory

_CANDIDATES: Final = 5
# categories that only the runtime writes, because other packages rely on them
_RESERVED: Final = frozenset({"correction", "heartbeat", "cron", "session", "mined", "released"})
_NOTE: Final = "note"
# how much of an entry may remain besides the words to be forgotten
_A_WORD: Final = 8
# the history is rewritten, which takes a while if it is long
_FORGETTING: Final = 600.0

_WRITE = describe(
    "memory_write",
    "Remember something for good. Write what was said, in the person's own words where you can, one fact a call.",
    {
        "content": field(TEXT, "What to remember."),
        "category": field(TEXT, "One word for the kind of note."),
        "tag": field({"type": "string", "enum": ["event", "knowledge", "skill", "decision"]}, "What it is."),
        "explicit": field(
            FLAG, "True where the person asked for it to be remembered: then it goes to the curated core."
        ),
    },
    ("content",),
)
_CORRECT = describe(
    "memory_correct",
    "Put right what you remembered wrongly, after the person said so: the old entry is closed and the new words outrank it.",
    {
        "old": field(TEXT, "The entry that is wrong: its id from a search, or its exact words."),
        "new": field(TEXT, "What is right, in the person's words where you can."),
    },
    ("old", "new"),
)
_FORGET = describe(
    "memory_forget",
    "Forget something for good, only when the person asks for it in this very message. It cannot be undone.",
    {"what": field(TEXT, "The entry's id from a search, or its words.")},
    ("what",),
)


def write_tools(kit: Kit) -> tuple[Tool, ...]:
    async def write(arguments: JsonObject, setting: ToolContext) -> Outcome:
        return await kit.in_thread(lambda: _write(kit, arguments, setting))

    return (Tool(_WRITE, write, changes=True),)


def mending_tools(kit: Kit) -> tuple[Tool, ...]:
    """For the owner alone: they reach every entry."""

    async def correct(arguments: JsonObject, setting: ToolContext) -> Outcome:
        return await kit.in_thread(lambda: _correct(kit, arguments, setting))

    async def forget(arguments: JsonObject, setting: ToolContext) -> Outcome:
        return await kit.in_thread(lambda: _forget(kit, arguments, setting))

    return Tool(_CORRECT, correct, changes=True), Tool(_FORGET, forget, changes=True, timeout=_FORGETTING)


def _write(kit: Kit, arguments: JsonObject, setting: ToolContext) -> Outcome:
    content = text_of(arguments, "content")
    origin = origin_of(content, setting)
    tag = parse_tag(text_of(arguments, "tag", ""))
    person = effective(setting.scope).person or ""
    explicit = flag_of(arguments, "explicit")
    if origin.source not in (OWNER, f"{PERSON}{person}"):
        # the core is part of every prompt: tainted text, or text that nobody asked to remember, is not written there
        allowed = permission(Author.AGENT, CORE, tainted=setting.taint != OWN) == "write"
        explicit = explicit and allowed and asks_to_remember(setting.said)
    thought = NewEntry(
        content,
        origin,
        category=_category(text_of(arguments, "category", "")),
        tag=tag if tag not in (Tag.NONE, Tag.CORRECTION) else Tag.KNOWLEDGE,
        explicit=explicit,
        person=person,
        project=setting.scope.project or "",
    )
    memory = kit.memory()
    done = memory.remember(thought)
    entry = memory.catalog.find(done.entry)
    citation = entry.reference if entry is not None else done.path
    result = {"entry": done.entry, "path": done.path, "citation": citation, "mention": done.mention}
    if done.redacted:
        result["left_out"] = list(done.redacted)
    if done.doubt:
        # the reason is not shown: an attacker would try other words
        result["kept_apart"] = (
            "It is in quarantine until the owner has looked at it: everself memory list --path quarantine"
        )
    words = entry.text if entry is not None else content
    return Outcome(
        told(result), written=(Written("remembered", words, citation, done.entry, done.change, done.redacted),)
    )


def _category(named: str) -> str:
    """A model may name a kind of note, but none that says what became of it."""
    return _NOTE if not named.strip() or "".join(fold(named).split()) in _RESERVED else named


def _correct(kit: Kit, arguments: JsonObject, setting: ToolContext) -> Outcome:
    old, new = text_of(arguments, "old"), text_of(arguments, "new")
    if not setting.by_owner:
        raise RefusedByRule("Permission denied: only the owner can correct memory, in this conversation.")
    memory = kit.memory()
    wrong = _wrong(memory, old)
    if not wrong:
        return _candidates(
            kit, setting, old, "Nothing says exactly that. Call it again with the id of the entry that is wrong."
        )
    origin = origin_of(new, setting)
    made_of_this = any(f"msg:{setting.message}" in one.lineage for one in wrong)
    # a page that was read could choose an entry to be replaced by an unrelated statement of the owner
    if rank(origin.source) < rank(OWNER) or setting.taint != OWN or made_of_this:
        return _asked(kit, wrong[0], new, setting)
    done = memory.correct(old, new, origin, said=setting.said, trigger="memory_correct")
    entry = memory.catalog.find(done.entry)
    citation = entry.reference if entry is not None else ""
    result = {"entry": done.entry, "closed": list(done.closed), "citation": citation}
    if done.redacted:
        result["left_out"] = list(done.redacted)
    return Outcome(told(result), written=(Written("corrected", new, citation, done.entry, done.change, done.redacted),))


def _wrong(memory: "Memory", old: str) -> list[Entry]:
    """The open entries that a correction would close."""
    named = memory.catalog.find(old.strip().upper())
    if named is not None:
        return [named]
    memory.catalog.refresh()
    return [one for one in memory.catalog.with_words(old) if not one.closed]


def _asked(kit: Kit, wrong: Entry, new: str, setting: ToolContext) -> Outcome:
    """Nothing changes: the owner is asked in review whether that is right."""
    review = kit.ask_correction(wrong.id, new, setting) if kit.ask_correction is not None else ""
    hint = (
        "Nothing was changed: the owner has not said this in a sentence of their own. They are asked in `everself review`; "
        "or let them say what is right in one whole sentence."
    )
    return Outcome(told({"entry": "", "closed": [], "asked": review, "hint": hint}))


def _forget(kit: Kit, arguments: JsonObject, setting: ToolContext) -> Outcome:
    from everself.memory.forgetting.proof import Target

    what = text_of(arguments, "what")
    if not setting.by_owner or effective(setting.scope).kind is not SessionKind.MAIN:
        raise RefusedByRule(
            "Permission denied: only the owner can forget entries, in a private conversation.", mend="/forget"
        )
    if not kit.asks_to_forget(setting.said):
        raise RefusedByRule("The person's message does not ask to forget anything.", mend="They can use /forget.")
    if setting.taint != OWN:
        # it cannot be undone, and a page that was read could choose what is meant
        words = "This conversation holds text from outside, so the person says themselves what is forgotten."
        raise RefusedByRule(words, mend="They can use /forget.")
    forgetting = kit.forgetting()
    try:
        plan = forgetting.plan_for(what)
    except NotFound:
        return _candidates(kit, setting, what, "Nothing was forgotten: no entry contains these words.")
    if len(plan.entries) != 1:
        hint = "Nothing was forgotten: several entries or none contain these words. Ask the person, or let them use /forget."
        return _candidates(kit, setting, what, hint, plan.entries)
    entry = plan.entries[0]
    if _says_more(entry, what):
        hint = "Nothing was forgotten: this entry says more than that. Ask the person whether all of it may go, then use its id."
        return _candidates(kit, setting, what, hint, plan.entries)
    # there is no preview here, so only the text of the entry itself is removed elsewhere
    proof = forgetting.carry_out(forgetting.plan(Target(ids=(entry.id,))))
    places = {one.place: one.removed for one in proof.places if one.removed}
    result = {"forgotten": len(proof.entries), "gone": proof.gone, "places": places, "candidates": []}
    # without its words: they are gone
    return Outcome(told(result), written=(Written("forgotten", "", entry.path, entry.id, proof.change),))


def _says_more(entry: Entry, what: str) -> bool:
    """Whether forgetting the whole entry would take something that was not asked for."""
    if what.strip().upper() == entry.id:
        return False
    bare, whole = ("".join(char for char in fold(words) if char.isalnum()) for words in (what, entry.text))
    return len(whole) - len(bare) > max(_A_WORD, len(whole) // 4)


def _candidates(kit: Kit, setting: ToolContext, words: str, hint: str, found: "Sequence[Entry]" = ()) -> Outcome:
    memory = kit.memory()
    near = list(found)
    if not near and kit.recall is not None:
        from everself.search.recall import RecallRequest

        hits = kit.recall().search(RecallRequest(words, _CANDIDATES, scope=setting.scope, recorded=False)).hits
        near = [
            one for hit in hits if hit.entry and (one := memory.catalog.find(hit.entry)) is not None and not one.closed
        ]
    listed = [{"entry": one.id, "text": one.text[:200], "citation": one.reference} for one in near[:_CANDIDATES]]
    return Outcome(told({"forgotten": 0, "gone": False, "places": {}, "candidates": listed, "hint": hint}), failed=True)
