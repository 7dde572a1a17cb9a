"""Forgetting: plan, execute, prove, and resume after a crash.

The order makes a crash at any moment recoverable: tombstones and the task; documents, as one change set; rows and texts of the database;
the stores of other packages; stores derived from documents; history last. Until the end, the words can be found again by their hash.
Every step can be repeated. Knows no index and no transcripts: packages that contain text register their stores.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import date, datetime
from logging import INFO, WARNING

from everself.clock import Clock
from everself.errors import (
    ChangedMeanwhile,
    Damaged,
    DiskError,
    NoEntryContains,
    NotFound,
    RefusedByRule,
    Unfinished,
    WrongUse,
)
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.memory.catalog import Catalog
from everself.memory.drafts import Draft
from everself.memory.entries import TRANSCRIPT, read_document, text_hash
from everself.memory.forgetting import _byte_search as search
from everself.memory.forgetting.forgotten_words import (
    FORGOTTEN,
    DerivedStore,
    ForgottenWords,
    TextStore,
    candidates,
    contains,
    is_one_statement,
    is_open,
    is_telling,
    runs,
)
from everself.memory.forgetting.proof import (
    FORGET,
    DocumentCut,
    ForgetPlan,
    ForgetProof,
    PlaceResult,
    RemainingMention,
    Target,
    Unreachable,
)
from everself.memory.forgetting.said_sentences import Spoken, find_spoken
from everself.memory.provenance import AGENT, PERSON
from everself.storage.filesystem import READ_LIMIT, disk_errors
from everself.storage.history.rewriting import RewritableHistory, Rewritten
from everself.storage.journal import FOLDER as JOURNAL
from everself.storage.lock import Lock, OpenLock
from everself.storage.state.database import State
from everself.storage.state.messages import StoredMessage
from everself.storage.state.scrub import SEARCHES, Scrub, SearchRow, Task
from everself.text.normalise import fold, slug
from everself.text.note_quotes import BETWEEN, parts_of
from everself.values import Applied, Author, Change, Conflict, Entry, Refused, new_id
from everself.workspace.assembly import WorkspaceStorage
from everself.workspace.disk_workspace import DiskWorkspace
from everself.workspace.layout import place


class ForgettingSelection(Frozen):
    """`homes` pairs documents with texts that are forgotten only there. A folder (ending in /) without a text is removed as a whole; a
    text without a document is forgotten everywhere."""

    entries: tuple[Entry, ...]
    texts: tuple[str, ...]
    messages: tuple[str, ...]
    homes: tuple[tuple[str, str], ...]
    searches: tuple[str, ...] = ()


def choose(target: Target, catalog: Catalog, said: Scrub, clock: Clock) -> ForgettingSelection:
    """Everything that the target selects. Several criteria are combined by "or"."""
    if not any((target.ids, target.words.strip(), target.session, target.person, target.since, target.until)):
        raise WrongUse("Nothing to forget was given.", mend="everself memory forget ID")
    if target.since and target.until and target.since > target.until:
        raise WrongUse(f"{target.since} is after {target.until}.")
    found = {entry.id: entry for entry in (catalog.get(name) for name in target.ids)}
    texts = [text for entry in found.values() for text in _words_of(entry)]
    homes: list[tuple[str, str]] = []
    if words := fold(target.words):
        whole = (one for one in catalog.all() if is_one_statement(one.kind, one.text))
        holding = [one for one in whole if contains(fold(one.text), words)]
        found |= {entry.id: entry for entry in holding}
        texts += [target.words.strip(), *(text for entry in holding for text in _words_of(entry))]
        homes.append(("", target.words.strip()))
    in_bulk = bool(target.session or target.person or target.since or target.until)
    gone: list[str] = []
    searches: list[str] = []
    if in_bulk:
        gone = list(_meant(target, said.messages(), clock))
        searches = list(_meant(target, said.searches(), clock))
        meant = [entry for entry in catalog.all() if _is_meant(target, entry, set(gone))]
        found |= {entry.id: entry for entry in meant}
        texts += [text for entry in meant for text in _words_of(entry)]
        homes += [(entry.path, text) for entry in meant for text in _words_of(entry)]
        if target.person:
            homes.append((f"users/{_person(target)}/", ""))
    every = tuple(dict.fromkeys(texts))
    return ForgettingSelection(tuple(found.values()), every, tuple(gone), tuple(dict.fromkeys(homes)), tuple(searches))


def _words_of(entry: Entry) -> tuple[str, ...]:
    """The text of an entry; for a note with quotations, also the note and each quotation, because both occur separately elsewhere."""
    claim, quoted = parts_of(entry.text) if entry.source == AGENT else (entry.text, "")
    return (entry.text, claim, *quoted.split(BETWEEN)) if quoted else (entry.text,)


def _person(target: Target) -> str:
    return slug(target.person.removeprefix(PERSON))


def _meant(target: Target, rows: Iterable[StoredMessage | SearchRow], clock: Clock) -> Iterator[str]:
    for one in rows:
        of_person = (
            bool(target.person) and bool(one.person) and slug(one.person.removeprefix(PERSON)) == _person(target)
        )
        of_session = bool(target.session) and one.session == target.session
        if of_person or of_session or _is_within(target, clock.day_of(datetime.fromisoformat(one.at))):
            yield one.id


def _is_meant(target: Target, entry: Entry, messages: set[str]) -> bool:
    if any(kind == "msg" and name in messages for kind, _, name in (one.partition(":") for one in entry.lineage)):
        return True
    if target.person:
        names = {one.removeprefix(PERSON) for one in (entry.who, entry.source) if one.startswith(PERSON)}
        if place(entry.path).person == _person(target) or _person(target) in {slug(name) for name in names}:
            return True
    return _is_within(target, entry.day)


def _is_within(target: Target, day: date | None) -> bool:
    if day is None or not (target.since or target.until):
        return False
    return (target.since or day) <= day <= (target.until or day)


_log = get_logger(__name__)

TRIES = 5
# evidence is part of the commit message, which needs no complete list
MOST_EVIDENCE = 50
# rewriting a long history takes a while, and another forgetting waits for it
PATIENCE = 600.0
_LOCK = "the lock of forgetting"
# progress callback: step, done, total
Tell = Callable[[str, int, int], None]


class ForgettingResources(Frozen):
    """Everything that forgetting accesses. `places` are the stores of other packages, `derived` those made from documents, `backups` the
    names of known backups, `root` the real folder of the workspace, if any. `lock` lets one process forget at a time: another one would
    take a running forgetting for an interrupted one."""

    workspace: DiskWorkspace
    state: State
    storage: WorkspaceStorage
    places: Sequence[TextStore] = ()
    derived: Sequence[DerivedStore] = ()
    backups: Sequence[str] = ()
    root: str | None = None
    lock: Lock = field(default_factory=OpenLock)


class Forgetting:
    def __init__(self, catalog: Catalog, resources: ForgettingResources, clock: Clock) -> None:
        self._catalog = catalog
        self._resources = resources
        self._scrub = resources.state.scrub
        self._clock = clock

    def plan(self, target: Target, tell: Tell | None = None) -> ForgetPlan:
        """What would be removed; changes nothing."""
        chosen = choose(target, self._catalog, self._scrub, self._clock)
        ids = [entry.id for entry in chosen.entries]
        spoken = self._spoken(fold(target.words), chosen)
        texts = (*chosen.texts, *spoken.sentences)
        words = ForgottenWords(ids, texts, chosen.homes)
        with self._held_history() as history:
            rewritten = history.rewrite(words.in_document, words.in_message, keep=False, tell=_told(tell, "history"))
        older = tuple(sorted(text for text in words.older if is_telling(fold(text))))
        words = ForgottenWords(ids, (*texts, *older), chosen.homes)
        quoted, alone = Counter[str](), Counter[str]()
        for name, text in self._scrub.texts():
            if words.in_text(text) is not None:
                quoted[name] += 1
                alone[name] += words.goes_alone(text)
        # each document is read once: for what goes, and for what stays
        cuts: dict[str, int] = {}
        lines: dict[str, Sequence[int]] = {}
        for path, data in self._documents(words):
            cleaned, lines[path] = words.look_into(path, data)
            cuts[path] = len(cleaned.pieces)
            alone[path] += sum(fold(one.decode("utf-8", "replace")) in words.anywhere for one in cleaned.pieces)
        seen = search.SeenFiles(tuple(search.walk(self._resources.storage.documents, "")), lines)
        quoted[SEARCHES] += self._scrub.searches_naming(ids, words.folders)
        for one in self._resources.places:
            quoted[one.name] += one.holds(words)
        return ForgetPlan(
            entries=chosen.entries,
            texts=(*texts, *older),
            documents=tuple(DocumentCut(path, count) for path, count in cuts.items() if count),
            messages=chosen.messages,
            quoted=tuple(DocumentCut(name, count) for name, count in sorted(quoted.items()) if count),
            commits=len(rewritten.commits),
            mentions=self._mentions(words, seen),
            remains=self._remains(words, seen),
            homes=chosen.homes,
            searches=chosen.searches,
            sentences=spoken.sentences,
            unclear=spoken.unclear,
            alone=tuple(DocumentCut(name, count) for name, count in sorted(alone.items()) if count),
        )

    def _spoken(self, words: str, chosen: ForgettingSelection) -> Spoken:
        meant = [(entry, _words_of(entry)) for entry in chosen.entries]
        ids, gone = {entry.id for entry in chosen.entries}, set(chosen.messages)

        # a transcript in the workspace is a copy of the conversation, not a statement of its own
        def kept() -> Iterator[str]:
            return (one.text for one in self._catalog.all() if one.id not in ids and one.kind != TRANSCRIPT)

        return find_spoken((one for one in self._scrub.messages() if one.id not in gone), words, meant, kept)

    def plan_for(self, what: str, tell: Tell | None = None) -> ForgetPlan:
        """The plan for an id or a text that the user named. All interfaces use it. Raises NotFound if nothing matches."""
        named = self._catalog.find(what.strip().upper())
        plan = self.plan(Target(ids=(named.id,)) if named is not None else Target(words=what), tell)
        if plan.empty:
            raise NoEntryContains(what)
        return plan

    def carry_out(self, plan: ForgetPlan, tell: Tell | None = None) -> ForgetProof:
        """Forget what was planned, after completing any interrupted forgetting."""
        with disk_errors(_LOCK), self._resources.lock.hold(PATIENCE):
            return self._carry_out(plan, tell)

    def _carry_out(self, plan: ForgetPlan, tell: Tell | None) -> ForgetProof:
        self._resume(tell)
        if plan.empty:
            raise NotFound("matching entry or text; nothing was forgotten.", mend="everself memory list")
        rows, now = self._resources.state.entries, self._clock.now().isoformat()
        identity = new_id()
        graves = [(rows.mac(text_hash(entry.text)), entry.id) for entry in plan.entries]
        # text without an entry gets a tombstone too; its id must not be empty, or it would match every entry without an id
        graves += [(rows.mac(text_hash(text)), identity) for text in plan.texts]
        task = Task(
            identity,
            now,
            tuple(entry.id for entry in plan.entries),
            tuple(dict.fromkeys(mac for mac, _ in graves)),
            plan.messages,
            tuple((path, rows.mac(text_hash(text)) if text else "") for path, text in plan.homes),
            plan.searches,
        )
        self._scrub.begin(task, graves)
        try:
            return self._perform(task, ForgottenWords(task.entries, plan.texts, plan.homes), tell, plan.unclear)
        except (DiskError, Damaged, ChangedMeanwhile) as error:
            # the tombstones and the task are recorded: the next forgetting resumes it
            raise Unfinished(
                f"Forgetting was started: {error}", mend="Run it again; it continues from there."
            ) from error

    def resume(self, tell: Tell | None = None) -> tuple[ForgetProof, ...]:
        """Complete the forgetting that a dead process had begun."""
        if not self._scrub.unfinished():
            return ()
        with disk_errors(_LOCK), self._resources.lock.hold(PATIENCE):
            return self._resume(tell)

    def _resume(self, tell: Tell | None) -> tuple[ForgetProof, ...]:
        return tuple(self._perform(task, self._recover_words(task), tell) for task in self._scrub.unfinished())

    def _perform(
        self, task: Task, words: ForgottenWords, tell: Tell | None, unclear: tuple[RemainingMention, ...] = ()
    ) -> ForgetProof:
        found, removed = Counter[str](), Counter[str]()
        # pending journal records contain old documents, and an unfinished change would restore them
        self._drain()
        change = self._clean_documents(words, found)
        removed += found
        self._drain()
        for name, count in self._clean_database(task, words).items():
            found[name] += count
            removed[name] += count
        for one in self._resources.places:
            found[one.name] += one.holds(words)
            removed[one.name] += one.remove(words)
        for derived in self._resources.derived:
            stood = derived.remove(words)
            found[derived.name] += stood
            removed[derived.name] += stood
        # from here on no new reader can see it
        self._scrub.advance()
        rewritten, objects = self._clean_history(task, words, change, tell)
        found["history"] += rewritten.documents + rewritten.messages
        removed["history"] += rewritten.documents + rewritten.messages
        found["old history objects"] += objects
        removed["old history objects"] += objects
        self._clean_pages(words)
        proof = self._prove(task, words, change, rewritten.commits, (found, removed))
        proof = replace(proof, mentions=(*proof.mentions, *unclear))
        counts = sum(removed.values()), sum(one.left for one in proof.places), len(proof.commits)
        level = INFO if proof.gone else WARNING
        _log.log(level, "Forgetting %s: %d traces removed, %d left, %d commits rewritten.", task.id, *counts)
        if proof.gone:
            self._scrub.finish(task.id, self._clock.now().isoformat())
        return proof

    def _drain(self) -> None:
        self._resources.workspace.recover()
        self._resources.workspace.close()
        files = self._resources.storage.state
        if files.stat(JOURNAL) is not None:
            # without a sync, a removed file may reappear after a power cut
            with disk_errors(JOURNAL):
                files.sync_directory(JOURNAL)

    def _clean_documents(self, words: ForgottenWords, found: Counter[str]) -> str:
        """Remove the words from all documents in one change. Returns the change; empty if there was nothing to do."""

        def plan() -> Change | None:
            found.clear()
            draft = Draft(self._content)
            for path, data in self._documents(words):
                cleaned = words.in_document(path, data)
                if cleaned.pieces:
                    draft.put(path, cleaned.data)
                    found[place(path).kind.value] += len(cleaned.pieces)
            evidence = tuple(f"entry:{one}" for one in sorted(words.ids)[:MOST_EVIDENCE])
            return Change(Author.OWNER, FORGET, draft.edits(), evidence) if found else None

        for _ in range(TRIES):
            outcome = self._resources.workspace.apply_plan(plan)
            if isinstance(outcome, Refused):
                raise RefusedByRule(" ".join(outcome.reasons))
            if not isinstance(outcome, Conflict):
                return outcome.id if isinstance(outcome, Applied) else ""
        raise ChangedMeanwhile(f"({', '.join(outcome.paths)})" if isinstance(outcome, Conflict) else "")

    def _documents(self, words: ForgottenWords) -> Iterator[tuple[str, bytes]]:
        """Every document from which something may be removed, with its content."""
        for one in self._resources.workspace.list():
            if one.kind != "file" or one.links != 1 or one.size > READ_LIMIT:
                continue
            if is_open(one.path) or one.path.startswith(words.folders):
                yield one.path, self._content(one.path) or b""

    def _clean_database(self, task: Task, words: ForgottenWords) -> dict[str, int]:
        done = self._scrub.rewrite(words.in_text)
        done["messages"] = done.get("messages", 0) + self._scrub.drop_messages(task.messages)
        self._catalog.refresh()
        rows = self._resources.state.entries
        texts = [rows.mac(text_hash(text)) for text in words.texts.values()]
        # before the rows are removed, because they identify other entries with the same text
        alike = {*task.entries, *self._scrub.entries_with(texts)}
        searches = self._scrub.drop_searches(task.searches)
        searches += self._scrub.blank_searches(alike, words.folders, FORGOTTEN)
        done[SEARCHES] = done.get(SEARCHES, 0) + searches
        done["entry rows and vouchers"] = self._scrub.drop_rows(task.entries, texts)
        return done

    def _clean_history(
        self, task: Task, words: ForgottenWords, change: str, tell: Tell | None
    ) -> tuple[Rewritten, int]:
        with self._held_history() as history:
            rewritten = history.rewrite(words.in_document, words.in_message, tell=_told(tell, "history"))
            # before the branch moves: the new commits exist, and the mapping from old to new is known
            self._scrub.note_rewriting(task.id, rewritten.commits, rewritten.forgotten, change)
            history.move(rewritten.commits)
            return rewritten, history.prune()

    def _clean_pages(self, words: ForgottenWords) -> None:
        self._scrub.settle()
        if search.search_database(self._scrub, words)[1]:
            self._scrub.compact()

    def _prove(
        self,
        task: Task,
        words: ForgottenWords,
        change: str,
        commits: Mapping[str, str],
        counts: tuple[Counter[str], Counter[str]],
    ) -> ForgetProof:
        found, removed = counts
        left, mentioned = search.search_documents(self._resources.storage.documents, words)
        left += search.search_state(self._resources.storage.state, words)
        left["database"], left[search.PAGES] = search.search_database(self._scrub, words)
        with self._held_history() as history:
            left["history"], mentioned["history"] = search.search_history(history, words)
        for one in (*self._resources.places, *self._resources.derived):
            left[one.name] += one.holds(words)
        always = ("journal", "history", "messages", "change reasons", SEARCHES, "database", search.PAGES)
        names = dict.fromkeys([*found, *removed, *(name for name in left if left[name]), *always])
        return ForgetProof(
            id=task.id,
            at=task.at,
            change=change,
            entries=task.entries,
            places=tuple(
                PlaceResult(one, found[one], removed[one], left[one], mentioned[one]) for one in sorted(names)
            ),
            commits=tuple(commits.items()),
            mentions=self._mentions(words),
            remains=self._remains(words),
            searched=(bool(words.known) or not task.texts)
            and len(words.anywhere) == sum(not path for path, _ in task.homes),
            notices=tuple(one.notice for one in self._resources.derived if one.notice),
        )

    def _mentions(self, words: ForgottenWords, seen: search.SeenFiles | None = None) -> tuple[RemainingMention, ...]:
        self._catalog.refresh()
        derived = [
            RemainingMention(one.reference, "made from what is forgotten, not removed")
            for one in self._catalog.known(self._resources.state.entries.resting_on(words.ids))
            if one.id not in words.ids and not words.ids.isdisjoint(part.partition(":")[2] for part in one.lineage)
        ]
        return (*search.mentions_in(self._resources.storage.documents, words, seen), *derived)

    def _remains(self, words: ForgottenWords, seen: search.SeenFiles | None = None) -> tuple[Unreachable, ...]:
        files = self._resources.storage.documents
        strangers = search.search_strangers(files, words, seen)
        own = search.search_git(files, self._resources.root, words)
        return (*strangers, *own, *search.backups_in(self._resources.backups))

    def _recover_words(self, task: Task) -> ForgottenWords:
        """The words of an interrupted forgetting, recovered by hash from the places where they still are."""
        rows = self._resources.state.entries
        wanted, found = set(task.texts), dict[str, str]()
        seen: set[str] = set()

        def look(texts: Iterator[str]) -> None:
            for text in texts:
                if text and text not in seen:
                    seen.add(text)
                    mac = rows.mac(text_hash(text))
                    if mac in wanted:
                        found[mac] = text

        for one in self._resources.workspace.list():
            if one.kind == "file" and one.links == 1 and one.path.endswith(".md"):
                look(_texts_of(self._content(one.path) or b""))
        for _, stored in self._scrub.texts():
            look(candidates(stored))
        anywhere = {mac for path, mac in task.homes if not path}
        if anywhere - found.keys():
            # short runs of words are searched inside longer texts
            look(run for text in self._texts_within() for run in runs(text))
        with self._held_history() as history:
            for _, data in history.objects():
                if len(found) == len(wanted):
                    break
                look(_texts_of(data.partition(b"\0")[2] if data[:5] in (b"blob ", b"commi") else data))
        homes = [(path, found.get(mac, "")) for path, mac in task.homes if not mac or mac in found]
        return ForgottenWords(task.entries, tuple(found.values()), homes)

    def _texts_within(self) -> Iterator[str]:
        for one in self._resources.workspace.list():
            if one.kind == "file" and one.links == 1 and one.path.endswith(".md"):
                yield (self._content(one.path) or b"").decode("utf-8", "replace")
        yield from (stored for _, stored in self._scrub.texts())

    def _content(self, path: str) -> bytes | None:
        document = self._resources.workspace.find(path)
        return None if document is None else document.data

    @contextmanager
    def _held_history(self) -> Iterator[RewritableHistory]:
        """The history, locked: a concurrent writer or prune would make it look damaged."""
        history = RewritableHistory(self._resources.storage.state, self._resources.storage.packs)
        with disk_errors("the history"), self._resources.storage.history_lock.hold(PATIENCE):
            try:
                yield history
            finally:
                history.close()


def _texts_of(data: bytes) -> Iterator[str]:
    yield from (read.text for read in read_document(data))
    yield from candidates(data.decode("utf-8", "replace"))


def _told(tell: Tell | None, what: str) -> Callable[[int, int], None] | None:
    return None if tell is None else lambda done, total: tell(what, done, total)
