"""Memory: remember, correct, supersede, edit, list and find entries. Every write is one change set of the workspace."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace

from everself.clock import Clock
from everself.errors import ChangedMeanwhile, LockTimeout, NotFound, RefusedByRule, StoreBusy, WrongUse
from everself.frozen import Frozen
from everself.memory import provenance as trust
from everself.memory.catalog import Catalog
from everself.memory.closing import close_for
from everself.memory.corrections import log_correction
from everself.memory.drafts import Draft
from everself.memory.provenance import (
    AGENT,
    CORRECTION,
    HAND,
    OWNER,
    Dynamics,
    check_source,
    is_human,
    rank,
    weakest_source,
)
from everself.memory.successors import successors
from everself.memory.suspicion import Releases, injection_reason, set_apart
from everself.memory.undo import trace
from everself.memory.writing import (
    NewEntry,
    add_entry,
    as_correction,
    change_words,
    clean,
    core_path,
    count_mention,
    is_quarantined,
    log_path,
    plain,
    restamp,
    target,
)
from everself.text.dates import has_days, names_relative_day, with_days
from everself.text.normalise import one_line
from everself.text.note_quotes import with_quote
from everself.text.redaction import redact
from everself.values import (
    Applied,
    Author,
    Change,
    Conflict,
    Entry,
    Origin,
    Outcome,
    ProvenanceRecord,
    Refused,
    Tier,
    new_id,
)
from everself.workspace.layout import place
from everself.workspace.protocol import Workspace

TRIES = 5
_SHOWN = 160
_Entries = Sequence[NewEntry]
_AUTHORS = {OWNER: Author.OWNER, CORRECTION: Author.OWNER, HAND: Author.OWNER}


class Remembered(Frozen):
    """The result of `remember`. `mention`: the entry was known; its mention was counted unless the source is weaker. `doubt`: the reason
    for quarantine. `unread`: documents that were too large to search for the same text."""

    entry: str
    path: str
    change: str = ""
    mention: bool = False
    redacted: tuple[str, ...] = ()
    private: bool = False
    doubt: str = ""
    unread: tuple[str, ...] = ()


class Corrected(Frozen):
    """The result of a correction: the closed entries and the new one. `closed` is empty if nothing was found to close."""

    entry: str
    closed: tuple[str, ...]
    change: str
    redacted: tuple[str, ...] = ()


class Memory:
    """The entries of one agent."""

    def __init__(
        self,
        workspace: Workspace,
        catalog: Catalog,
        clock: Clock,
        *,
        dynamics: Dynamics | None = None,
        releases: Releases | None = None,
    ) -> None:
        self.workspace = workspace
        self.clock = clock
        self.catalog = catalog
        self.dynamics = dynamics or Dynamics()
        self.releases = releases
        self._sign: Callable[[Change], Change] = lambda change: change

    def at(self, clock: Clock) -> "Memory":
        """The same memory with another clock."""
        made = copy(self)
        made.clock = clock
        return made

    def signed(self, sign: Callable[[Change], Change]) -> "Memory":
        """The same memory for another author: `sign` sets the author, evidence and key of each change."""
        made = copy(self)
        made._sign = sign
        return made

    def remember(self, new_entry: NewEntry, identify: Callable[[], str] = new_id) -> Remembered:
        """Add an entry once. A known one is counted as a mention; possible prompt injection is quarantined."""
        check_source(new_entry.source)
        cleaned = clean(new_entry.text)
        if not cleaned.text:
            raise RefusedByRule(
                "Nothing is left to remember after private text was removed."
                if cleaned.private
                else "The text is empty."
            )
        new_entry = replace(new_entry, text=cleaned.text, category=plain(new_entry.category), who=plain(new_entry.who))
        self._check_grave(new_entry)
        new_entry = self.dated(new_entry)
        self._check_grave(new_entry)
        reason = self.doubt(new_entry)
        if reason:
            new_entry = set_apart(new_entry, reason, self.clock.today())
        found = Remembered("", "", redacted=cleaned.kinds, private=cleaned.private)

        def plan() -> Change | None:
            nonlocal found
            now = self.clock.now()
            where = target(new_entry, now.date())
            paths = sorted({where, core_path(new_entry)})
            unread = self.catalog.left_out(new_entry.text, paths, where)
            self.catalog.refresh([path for path in paths if path not in unread])
            found = replace(found, unread=unread)
            draft = self.draft()
            known = self._known(new_entry, unread)
            if known is not None:
                apart = reason if is_quarantined(known.path) else ""
                found = replace(found, entry=known.id, path=known.path, mention=True, doubt=apart)
                return self._mention(draft, known, new_entry)
            identity = identify()
            provenance_record = add_entry(draft, new_entry, identity, now)
            self.catalog.expect(draft, log_path(new_entry, now.date()))
            found = replace(found, entry=identity, path=target(new_entry, now.date()), mention=False, doubt=reason)
            change = _change(
                new_entry.source, "remember", draft, new_entry.lineage, (provenance_record,), new_entry.key
            )
            # the quarantine is always written by the runtime
            return replace(change, author=Author.RUNTIME) if is_quarantined(found.path) else change

        change = self.change(plan)
        return replace(found, change=change)

    def dated(self, new_entry: NewEntry) -> NewEntry:
        """The entry with the date of a relative day such as "tomorrow" appended, if a person says it in a conversation: the text outlives
        the day. Text that contains dates was said earlier and is not changed."""
        said = is_human(new_entry.source) and new_entry.origin.door == "chat" and new_entry.spot is None
        if not said or has_days(new_entry.text):
            return new_entry
        return replace(new_entry, text=with_days(new_entry.text, self.clock.today()))

    def correct(
        self,
        old: str,
        new: str,
        origin: Origin,
        *,
        said: str = "",
        trigger: str = "",
        sure: str = "high",
        copies: Sequence[str] = (),
        kept: _Entries = (),
    ) -> Corrected:
        """Correct an entry: close the wrong one, write the right one at full confidence, log both. `old` is an id or the text; `copies`
        are ids of entries with the same meaning, which are closed too; `kept` are their other facts.

        Notes of the same message with the same meaning are closed too. `origin` is the origin of `new`, and must be the owner.
        """
        wrong = self._with_copies(old, copies)
        new_entry = as_correction(NewEntry(new, origin, was=clean(wrong[0].text).text))
        return self._replace(wrong, new_entry, {"said": said, "trigger": trigger, "sure": sure}, kept)

    def revise(
        self, old: str, new: str, origin: Origin, *, trigger: str, copies: Sequence[str] = (), kept: _Entries = ()
    ) -> Corrected:
        """Correct an entry with a model's wording, after the owner stated the right value in `trigger`. The new entry is the agent's and
        replaces the wrong one in its place. The caller has compared the two."""
        wrong = self._with_copies(old, copies)
        core = any(one.tier is Tier.CORE for one in wrong)
        told = {"said": "", "trigger": trigger, "sure": "high"}
        return self._replace(wrong, NewEntry(new, origin, "correction", explicit=core), told, kept)

    def _replace(
        self, wrong: list[Entry], new_entry: NewEntry, told: Mapping[str, str], kept: _Entries = ()
    ) -> Corrected:
        if not (cleaned := clean(new_entry.text)).text:
            raise RefusedByRule("The new text is empty.")
        new_entry = replace(new_entry, text=cleaned.text, person=place(wrong[0].path).person or "")
        # a "tomorrow" taken over from the wrong text was said on another day
        if names_relative_day(told["trigger"]) or not any(names_relative_day(one.text) for one in wrong):
            new_entry = self.dated(new_entry)
        found = Corrected("", tuple(entry.id for entry in wrong), "", cleaned.kinds)

        def plan() -> Change:
            nonlocal found
            now = self.clock.now()
            draft = self.draft()
            lineage = tuple(f"entry:{entry.id}" for entry in wrong)
            identity = new_id()
            found = replace(found, entry=identity)
            fresh = [self.catalog.find(entry.id) or entry for entry in wrong]
            records = self._close(draft, fresh, (identity, cleaned.text), kept, wider=True)
            # the replaced entry is not evidence: a correction rests on the owner's word alone
            records += (add_entry(draft, new_entry, identity, now),)
            said, trigger = clean(told["said"] or wrong[0].text).text, clean(told["trigger"]).text
            what = {"said": said, "right": cleaned.text, "trigger": trigger}
            log_correction(draft, now, **what, sure=told["sure"], entries=(lineage, identity))
            return _change(OWNER, "correct", draft, lineage, records)

        change = self.change(plan)
        return replace(found, change=change)

    def supersede(
        self, old: str, new: str, *, copies: Sequence[str] = (), kept: _Entries = (), wider: bool = False
    ) -> str:
        """Close an older entry and its `copies` in favour of a newer one; `kept` are their other facts. `wider`: it was wrong, and entries
        that contain it among other words are closed too. Returns the change."""
        older, newer = [self.catalog.get(one) for one in (old, *copies)], self.catalog.get(new)
        if newer.id in {one.id for one in older}:
            raise WrongUse("An entry cannot replace itself.")

        def plan() -> Change:
            draft = self.draft()
            fresh = [self.catalog.get(one.id) for one in older]
            records = self._close(draft, fresh, (newer.id, newer.text), kept, wider=wider)
            return _change(OWNER, "supersede", draft, (f"entry:{newer.id}",), records)

        return self.change(plan)

    def _close(
        self, draft: Draft, wrong: Sequence[Entry], newer: tuple[str, str], kept: _Entries, *, wider: bool
    ) -> tuple[ProvenanceRecord, ...]:
        """Close wrong entries and write their still-valid parts in one change, so that a crash or undo cannot separate them."""
        from everself.memory.broader_entries import wider_than

        now = self.clock.now()
        around, left = wider_than(wrong, newer[0], self.catalog) if wider else ([], [])
        records = [one for entry in (*wrong, *around) for one in close_for(draft, entry, newer, now, self.is_settled)]
        fresh = [one for one in (*kept, *left) if not self.is_settled(one)]
        return (*records, *(add_entry(draft, one, new_id(), now) for one in fresh))

    def is_settled(self, new_entry: NewEntry) -> bool:
        """Whether an open entry of the same scope has this text, or it was forgotten."""
        return self.catalog.is_buried(new_entry.text) or self._known(new_entry, ()) is not None

    def edit(self, identity: str, text: str, origin: Origin, *, seen: str = "") -> Remembered:
        """Change the text of an entry, by the owner; its id stays. `seen` is the text that the owner was looking at."""
        if rank(origin.source) < rank(OWNER):
            raise RefusedByRule(
                "Permission denied: only the owner can edit an entry.", mend=f"everself memory edit {identity}"
            )
        if not (cleaned := clean(text)).text:
            raise RefusedByRule("The new text is empty.", mend=f"everself memory forget {identity}")
        entry = self.catalog.get(identity)

        def plan() -> Change:
            draft = self.draft()
            before = self.catalog.get(entry.id)
            if before.text != (seen or entry.text):
                raise ChangedMeanwhile(f"({entry.path})")
            provenance_record = change_words(draft, before, cleaned.text, origin)
            return _change(OWNER, "edit", draft, (trace(before),), (provenance_record,))

        change = self.change(plan)
        return Remembered(entry.id, entry.path, change, redacted=cleaned.kinds, private=cleaned.private)

    def add_evidence(self, identity: str, reference: str) -> str:
        """Add a message to the evidence of an entry of the agent. Returns the change; empty if the message is named already."""

        def plan() -> Change | None:
            entry = self.catalog.get(identity)
            # this would vouch for a comment that nobody vouches for
            if reference in entry.lineage or entry.source != AGENT or not entry.vouched:
                return None
            draft = self.draft()
            record = restamp(draft, entry, trust.evidenced(entry, reference))
            return Change(Author.AGENT, "evidence", draft.edits(), (reference, trace(entry)), provenance=(record,))

        return self.change(plan)

    def quote(self, identity: str, words: str, origin: Origin) -> bool:
        """Append to a note of the agent the words of its message that it omits. Returns False if the entry is no longer such a note, a
        rule forbids the words, or they are less trusted than the note."""
        cleaned = clean(words).text
        stands = False
        if rank(origin.source) < rank(AGENT):
            return False

        def plan() -> Change | None:
            nonlocal stands
            entry = self.catalog.find(identity)
            if entry is None or entry.source != AGENT or not entry.vouched or entry.closed or "\n" in entry.text:
                return None
            made = with_quote(entry.text, cleaned)
            stands = made == entry.text or cleaned in entry.text
            if stands:
                return None
            draft = self.draft()
            record = change_words(draft, entry, made, trust.evidenced(entry, *origin.lineage))
            return Change(Author.AGENT, "evidence", draft.edits(), (trace(entry),), provenance=(record,))

        try:
            return bool(self.change(plan)) or stands
        except RefusedByRule:
            return False

    def confidence(self, entry: Entry) -> float:
        return trust.confidence(entry, self.clock.today(), self.dynamics)

    def trust(self, entry: Entry) -> str:
        """The least trusted source that the entry rests on."""
        return weakest_source(entry, self.catalog.find_even_gone)

    def stale(self, entries: Sequence[Entry] | None = None) -> set[str]:
        """Ids of entries that rest on a closed one, directly or indirectly."""
        found = self.catalog.all() if entries is None else entries
        gone = {f"entry:{one.id}" for one in found if one.closed}
        stale: set[str] = set()
        grown = True
        while grown:
            # a correction names what it closed; it does not rest on it
            new = {
                one.id
                for one in found
                if one.id not in stale and one.source != CORRECTION and not gone.isdisjoint(one.lineage)
            }
            stale |= new
            gone |= {f"entry:{identity}" for identity in new}
            grown = bool(new)
        return stale

    def stale_among(self, entries: Sequence[Entry]) -> set[str]:
        """Like `stale` for these entries: their evidence is looked up step by step instead of loading all entries."""
        known = {one.id: one for one in entries}
        level = known
        while level:
            named = {name.removeprefix("entry:") for one in level.values() for name in one.lineage if "entry:" in name}
            level = self.catalog.named(sorted(named - known.keys()))
            known |= level
        stale = self.stale(list(known.values()))
        return {one.id for one in entries if one.id in stale}

    def successors(self, entries: Iterable[Entry]) -> dict[str, Entry]:
        """The open replacements of closed entries, by the ids of the closed ones."""
        return successors(self.catalog, entries)

    def words_now(self, entry: Entry) -> str:
        """The text that replaced a closed entry, on one line. Empty if it came from outside, because it would be shown beside trusted
        text."""
        return self.words_now_of((entry,)).get(entry.id, "")

    def words_now_of(self, entries: Iterable[Entry]) -> dict[str, str]:
        """The same for many entries, by their ids."""
        found = self.successors(entries)
        shown = {
            one.id: one_line(redact(one.text).text, _SHOWN) if rank(self.trust(one)) >= rank(AGENT) else ""
            for one in {one.id: one for one in found.values()}.values()
        }
        return {identity: shown[one.id] for identity, one in found.items()}

    def doubt(self, new_entry: NewEntry) -> str:
        """The reason why a new entry would be quarantined; empty if it would not be."""
        if new_entry.spot is not None and is_quarantined(new_entry.spot.path):
            return ""
        reason = injection_reason(new_entry.text, new_entry.source)
        return "" if reason and self.releases is not None and self.releases.holds(new_entry.text) else reason

    def _known(self, new_entry: NewEntry, unread: Collection[str]) -> Entry | None:
        """The entry with the same text and scope, in a document that is not `unread`."""
        scope = place(core_path(new_entry) if not new_entry.project else log_path(new_entry, self.clock.today())).scope
        for entry in self.catalog.with_words(new_entry.text, unread):
            if place(entry.path).scope != scope or entry.closed:
                continue
            if (
                new_entry.spot is not None
                and entry.path != new_entry.spot.path
                and not is_quarantined(new_entry.spot.path)
            ):
                # an entry for a page is written even if it is known elsewhere
                continue
            if is_quarantined(entry.path) and new_entry.spot is None:
                continue
            return entry
        return None

    def _mention(self, draft: Draft, known: Entry, new_entry: NewEntry) -> Change | None:
        """Count a mention. Only mentions by people count: repetition by a page or a summary is no evidence. A message counts once, even
        if two processes record it."""
        if not is_human(new_entry.source) or rank(new_entry.source) < rank(known.source):
            return None
        messages = {one for one in new_entry.lineage if one.startswith("msg:")}
        if messages and messages <= set(known.lineage):
            return None
        count_mention(draft, known, self.clock.today())
        provenance: tuple[ProvenanceRecord, ...] = ()
        evidence = new_entry.lineage
        if rank(new_entry.source) > rank(known.source) and known.source != HAND:
            provenance = (restamp(draft, known, new_entry.origin),)
            evidence = (*evidence, trace(known))
        change = _change(new_entry.source, "mention", draft, evidence, provenance, new_entry.key)
        # the author of documents that only Everself writes is the runtime
        return replace(change, author=Author.RUNTIME) if place(known.path).writer == "runtime" else change

    def _check_grave(self, new_entry: NewEntry) -> None:
        if not self.catalog.is_buried(new_entry.text):
            return
        if new_entry.source not in (OWNER, CORRECTION):
            raise RefusedByRule("This was forgotten on request and is not remembered again.")
        self.catalog.unbury(new_entry.text)

    def _with_copies(self, old: str, copies: Sequence[str]) -> list[Entry]:
        from everself.memory.same_message import copies_of

        named = [*self._wrong(old), *filter(None, map(self.catalog.find, copies))]
        return list({one.id: one for entry in named for one in (entry, *copies_of(entry, self.catalog))}.values())

    def _wrong(self, old: str) -> list[Entry]:
        """The entries to correct: the one with that id, or those with this text."""
        if len(old) == 12 and old.isalnum():
            found = self.catalog.find(old.upper())
            if found is not None:
                return [found]
        self.catalog.refresh()
        found_by_words = [entry for entry in self.catalog.with_words(old) if not entry.closed]
        if not found_by_words:
            raise NotFound(f'entry that says "{old[:80]}".', mend="everself memory list")
        return found_by_words

    def draft(self) -> Draft:
        """A new draft of the current documents."""
        find = self.workspace.find
        return Draft(lambda path: None if (found := find(path)) is None else found.data)

    def change(self, plan: Callable[[], Change | None]) -> str:
        """Like `apply`; returns the id of the change, empty if nothing changed."""
        outcome = self.apply(plan)
        return outcome.id if isinstance(outcome, Applied) else ""

    def apply(self, plan: Callable[[], Change | None]) -> Outcome:
        """Plan and apply a change under the write lock. Refusals and lasting conflicts are raised as errors."""

        def signed() -> Change | None:
            change = plan()
            return None if change is None else self._sign(change)

        paths = ""
        for _ in range(TRIES):
            try:
                outcome = self.workspace.apply_plan(signed)
            except (LockTimeout, StoreBusy):
                raise
            except ChangedMeanwhile as changed:
                # a person saved a file during planning: the retry sees the new text
                paths = changed.detail
                continue
            if isinstance(outcome, Refused):
                raise RefusedByRule(" ".join(outcome.reasons))
            if not isinstance(outcome, Conflict):
                return outcome
            paths = f"({', '.join(outcome.paths)})"
        raise ChangedMeanwhile(paths)


def _change(
    source: str,
    reason: str,
    draft: Draft,
    evidence: tuple[str, ...],
    provenance: tuple[ProvenanceRecord, ...] = (),
    key: str = "",
) -> Change:
    author = _AUTHORS.get(source, Author.IMPORT if source == "import" else Author.AGENT)
    return Change(author, reason, draft.edits(), evidence, provenance=provenance, key=key)
