"""The registry of what can happen to a memory, for the row of conservation: every verb, every hand edit, every way to stop.

Each operation says what it expects in the register of entries; the register is kept apart from the code under test. Whoever adds a
verb to memory adds it here; a test compares the two.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from tests.operations.changes import Changes
from tests.trust.worlds import LightWorld, World

from everself.errors import NotFound, RefusedByRule
from everself.memory.archive.corrections import archive_corrections
from everself.memory.archive.days import archive_days, find_old_days
from everself.memory.archive.faded_lines import archive_lines, find_faded, merge_lines
from everself.memory.entries import holds_memory, read_document, text_of
from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.proof import Target
from everself.memory.memory_bank import Bank
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.provenance import OWNER
from everself.memory.quarantine import quarantine, release
from everself.memory.transfer.export import export_entries
from everself.memory.transfer.importer import ImportOptions, import_lines
from everself.memory.writing import NewEntry
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of
from everself.text.markdown.blocks import scan
from everself.text.markdown.copies import hide_copies, parts
from everself.text.markdown.edit import append_item, apply_splice, remove_entry
from everself.text.markdown.endings import REFERENCE
from everself.text.markdown.entries import EntryKind, EntrySpan, entries
from everself.values import Author, Change, Move, Tag, digest
from everself.workspace.layout import is_quarter, place

WORDS = ("tea", "rust", "茶", "봄", "tundra", "Monday", "harbour", "the", "of", "likes", "keeps")
SOURCES = (OWNER, OWNER, OWNER, "agent", "web", "tool", "import", "person:jun")
TOPICS = ("memory/boats.md", "memory/house/rooms.md", "bank/world.md")


@dataclass
class Held:
    """One acknowledged entry: what it says, and whether a person took it away."""

    text: str
    id: str = ""
    gone: bool = False
    # text without a comment that was edited and moved between two looks may be taken for another one
    edited: bool = False
    moved: bool = False
    buried: bool = False


@dataclass
class Walk:
    """One life of a memory, and the register of what must be in it."""

    world: World
    random: Random
    time: FrozenTime
    held: dict[str, Held] = field(default_factory=dict)
    keys: list[tuple[NewEntry, str]] = field(default_factory=list)
    exported: tuple[str, ...] = ()
    number: int = 0

    def words(self) -> tuple[str, str]:
        """A text that no other entry has, and the word that makes it so."""
        self.number += 1
        mark = f"mark{self.number:04}x"
        words = " ".join(self.random.choice(WORDS) for _ in range(self.random.randrange(3, 14)))
        shape = self.random.randrange(12)
        if shape == 0:
            return mark, f"{mark} {words}:\n\n- one {words}\n- two"
        if shape == 1:
            return mark, f"{mark} {words}\n\n```sh\nrun {mark}\n\nstop\n```"
        return mark, f"{mark} {words}"

    def here(self) -> list[str]:
        return [mark for mark, held in self.held.items() if not held.gone]

    def pick(self) -> str | None:
        found = self.here()
        return self.random.choice(found) if found else None

    def pick_known(self) -> Held | None:
        """An entry whose id is certain."""
        found = [held for held in self.held.values() if held.id and not held.gone and not (held.moved and held.edited)]
        return self.random.choice(found) if found else None

    def documents(self) -> dict[str, bytes]:
        space = self.world.mind.bench.workspace
        return {one.path: space.read(one.path).data for one in space.list() if holds_memory(one.path)}

    def seen(self) -> dict[str, bytes]:
        """The documents as memory reads them: a copy of a day that is there is none of it."""
        found = self.documents()
        return {
            path: hide_copies(data, found.__contains__) if is_quarter(path) else data for path, data in found.items()
        }

    def copied(self) -> set[str]:
        """Days that were copied and kept, and the archives of these copies."""
        found = self.documents()
        days = {path: {one.path for one in parts(data) if one.sha} for path, data in found.items() if is_quarter(path)}
        return {path for archive, some in days.items() if some for path in (archive, *some)}

    def all_text(self) -> str:
        return b"\n".join(self.documents().values()).decode()

    def note_move(self, data: bytes) -> None:
        for mark, held in self.held.items():
            held.moved = held.moved or mark.encode() in data

    def find(self, mark: str) -> tuple[str, EntrySpan] | None:
        """Where an entry stands, looked up without the catalog."""
        for path, data in self.seen().items():
            if mark.encode() in data:
                for span in entries(data):
                    # a correction quotes in a comment what it put right, a chronicle refers to it: neither is the entry
                    if mark in (text := text_of(data, span)) and not text.startswith(REFERENCE):
                        return path, span
        return None


Operation = Callable[[Walk], None]


def _thought(walk: Walk, **more: object) -> tuple[str, NewEntry]:
    mark, text = walk.words()
    source = walk.random.choice(SOURCES)
    tag = walk.random.choice([tag for tag in Tag if tag is not Tag.CORRECTION])
    return mark, NewEntry(text, origin_of(source), tag=tag, **more)  # type: ignore[arg-type]


def remember(walk: Walk) -> None:
    mark, thought = _thought(walk)
    walk.held[mark] = Held(thought.text, walk.world.mind.memory.remember(thought).entry)


def remember_explicitly(walk: Walk) -> None:
    mark, thought = _thought(walk, explicit=True)
    walk.held[mark] = Held(thought.text, walk.world.mind.memory.remember(thought).entry)


def remember_for_somebody(walk: Walk) -> None:
    scope = walk.random.choice(({"person": "jun"}, {"project": "git-example-org-boats"}))
    mark, thought = _thought(walk, explicit=walk.random.random() < 0.5, **scope)
    walk.held[mark] = Held(thought.text, walk.world.mind.memory.remember(thought).entry)


def remember_with_key(walk: Walk) -> None:
    """The same request once more, as after a lost answer: whatever happened since, nothing is added."""
    if walk.keys and walk.random.random() < 0.5:
        thought, mark = walk.random.choice(walk.keys)
        if not walk.held[mark].gone and walk.held[mark].text == thought.text:
            walk.world.mind.memory.remember(thought)
        return
    mark, thought = _thought(walk, key=f"key-{walk.number}")
    walk.held[mark] = Held(thought.text, walk.world.mind.memory.remember(thought).entry)
    walk.keys.append((thought, mark))


def mention(walk: Walk) -> None:
    held = walk.pick_known()
    entry = walk.world.mind.catalog.find(held.id) if held else None
    if held is None or entry is None or entry.closed or entry.path.startswith(("quarantine/", "bank/")):
        return
    # whose it is follows from where it stands now
    where = place(entry.path)
    thought = NewEntry(
        held.text, origin_of(walk.random.choice(SOURCES)), person=where.person or "", project=where.project or ""
    )
    done = walk.world.mind.memory.remember(thought)
    assert done.mention, f"{held.text} was written again"
    assert done.entry == held.id, f"{held.text} is {held.id}, but {done.entry} was counted"


def correct(walk: Walk) -> None:
    held = walk.pick_known()
    if held is None:
        return
    new, text = walk.words()
    old = held.id if walk.random.random() < 0.7 else held.text
    try:
        done = walk.world.mind.memory.correct(old, text, origin_of("owner"), trigger="no, that is wrong")
    except NotFound:
        # by its words only what still holds is found
        assert old == held.text
        return
    walk.held[new] = Held(text, done.entry)


def _within_reach(walk: Walk) -> "Held | None":
    """What an agent may change: not what was set apart or archived, nor the pages of the bank."""
    held = walk.pick_known()
    entry = walk.world.mind.catalog.find(held.id) if held else None
    kept = ("quarantine/", "bank/", "Archive/", "memory/archive/")
    return None if entry is None or entry.path.startswith(kept) else held


def revise(walk: Walk) -> None:
    held = _within_reach(walk)
    if held is None:
        return
    new, text = walk.words()
    origin = origin_of("agent", "msg:AAAAAAAAAAAA")
    done = walk.world.mind.memory.revise(held.id, text, origin, trigger="no, that is wrong")
    walk.held[new] = Held(text, done.entry)


def name_evidence(walk: Walk) -> None:
    held = _within_reach(walk)
    if held is not None:
        walk.world.mind.memory.add_evidence(held.id, f"msg:{walk.random.choice('ABCDEFGH') * 12}")


def quote(walk: Walk) -> None:
    """Refused here, as most of what is known is a person's; the words may not stand in the place of anything."""
    held = _within_reach(walk)
    if held is not None:
        assert not walk.world.mind.memory.quote(held.id, "Words from outside.", origin_of("web", "msg:AAAAAAAAAAAA"))


def supersede(walk: Walk) -> None:
    one, other = walk.pick_known(), walk.pick_known()
    if one is not None and other is not None and one is not other:
        walk.world.mind.memory.supersede(one.id, other.id, wider=True)


def edit(walk: Walk) -> None:
    held = walk.pick_known()
    if held is None:
        return
    text = f"{held.text.partition(' ')[0]} {walk.random.choice(WORDS)} edited"
    walk.world.mind.memory.edit(held.id, text, origin_of("owner"))
    held.text = text


def set_aside(walk: Walk) -> None:
    mark, thought = _thought(walk)
    walk.held[mark] = Held(thought.text, quarantine(walk.world.mind.memory, thought, "looks odd").entry)


def let_out(walk: Walk) -> None:
    held = walk.pick_known()
    if held is None:
        return
    try:
        done = release(walk.world.mind.memory, held.id)
    except RefusedByRule:
        return
    assert done.entry == held.id


def promote(walk: Walk) -> None:
    """Out of the days into the curated core, and a section with all that stands in it."""
    held = walk.pick_known()
    memory = walk.world.mind.memory
    entry = memory.catalog.find(held.id) if held is not None else None
    if entry is None:
        return
    scope = "/".join(entry.path.split("/")[:2]) + "/" if place(entry.path).person or place(entry.path).project else ""
    target = scope + walk.random.choice(("MEMORY.md", "memory/decisions.md", "memory/boats.md"))
    done = apply_moves(memory, [Pick(entry.id, target, named=True)], Author.OWNER)
    assert all(memory.catalog.get(one).path == target for move in done.moved for one in (move.entry, *move.along))


def write_to_bank(walk: Walk) -> None:
    mark, thought = _thought(walk)
    page = walk.random.choice(("world", "opinions", "experience", "Hana Okafor", "小艾"))
    done = Bank(walk.world.mind.memory).write(page, thought.text, origin_of(thought.source))
    walk.held[mark] = Held(thought.text, done.entry)


def _forgetting(walk: Walk) -> Forgetting:
    mind = walk.world.mind
    return Forgetting(
        mind.catalog, ForgettingResources(mind.bench.workspace, mind.bench.state, mind.bench.storage), walk.time.clock()
    )


def forget(walk: Walk) -> None:
    """Only where there are real files: there is nothing to prove about a dictionary. Sometimes the process dies meanwhile."""
    held = walk.pick_known()
    if held is None or isinstance(walk.world, LightWorld):
        return
    forgetting = _forgetting(walk)
    plan = forgetting.plan(Target(ids=(held.id,)))
    if walk.random.random() < 0.5:
        assert forgetting.carry_out(plan).gone
    elif not walk.world.crash(lambda: forgetting.carry_out(plan), walk.random.randrange(1, 60)):
        begun = _forgetting(walk).resume()
        assert all(proof.gone for proof in begun)
        if not begun and held.id in {entry.id for entry in walk.world.mind.catalog.all()}:
            return
    held.gone = held.buried = True
    try:
        walk.world.mind.memory.remember(NewEntry(held.text, origin_of("import")))
    except RefusedByRule:
        return
    raise AssertionError(f"{held.text} came back by an import")


def export_and_import(walk: Walk) -> None:
    """Lines of some earlier moment come in again: what is there stays as it is, what a person removed may come back, once."""
    memory = walk.world.mind.memory
    if not walk.exported or walk.random.random() < 0.3:
        # text without a comment may have another name by then
        named = [line for line in export_entries(memory).lines if f"id={json.loads(line)['id']} " in walk.all_text()]
        walk.exported = tuple(named)
        return
    texts = {line["id"]: line["text"] for line in map(json.loads, walk.exported)}
    options = ImportOptions("a file", as_mine=walk.random.random() < 0.5)
    for identity in import_lines(memory, walk.exported, options).imported:
        held = next(held for mark, held in walk.held.items() if mark in texts[identity])
        assert held.gone, f"{held.text} was imported beside itself"
        assert not held.buried, f"{held.text} was forgotten and imported"
        held.gone, held.text, held.id = False, texts[identity], identity


def archive(walk: Walk) -> None:
    """A document moves to the archive in a change, as compaction does."""
    space = walk.world.mind.bench.workspace
    kept = walk.copied()
    found = [one.path for one in space.list("memory") if one.path.endswith(".md") and one.path not in kept]
    if not found:
        return
    path = walk.random.choice(found)
    to = f"Archive/{walk.number:04}-{path.rpartition('/')[2]}"
    if space.find(to) is None:
        walk.note_move(space.read(path).data)
        space.apply(Change(Author.OWNER, "archive", (Move(path, digest(space.read(path).data), to),)))


def compact(walk: Walk) -> None:
    """Days over go into their quarter, moved by a keeper or by the owner, or copied; sometimes the process dies meanwhile."""
    memory = walk.world.mind.memory
    days = [one.path for one in find_old_days(memory, 1).days]
    remove = walk.random.random() < 0.7
    author = Author.KEEPER if remove and walk.random.random() < 0.5 else Author.OWNER
    if days and walk.random.random() < 0.7:
        archive_days(memory, days, remove=remove, chronicled=author is Author.KEEPER, author=author)
    elif days:
        walk.world.crash(lambda: archive_days(memory, days, remove=remove, author=author), walk.random.randrange(1, 40))


def tidy(walk: Walk) -> None:
    """What else is put away when it is old: faded lines, and the records of corrections."""
    memory = walk.world.mind.memory
    faded = [one.id for one in find_faded(memory, memory.catalog.all())]
    archive_lines(memory, faded)
    archive_corrections(memory, 1)
    one, other = walk.pick_known(), walk.pick_known()
    if one is not None and other is not None and one is not other:
        merge_lines(memory, one.id, other.id)


def undo(walk: Walk) -> None:
    """Take a change back. What it brought is gone by a person's wish, what it took is there again; nothing else moves."""
    space = walk.world.mind.bench.workspace
    records = space.changes(limit=12)
    if not records:
        return
    record, files = space.record(walk.random.choice(list(records)).id)
    old = walk.seen()
    raw = walk.documents()
    try:
        if Changes(space).undo(record.id).applied is None:
            return
    except RefusedByRule:
        # what was forgotten does not come back, and nothing changes
        assert walk.documents() == raw
        return
    before = b"\n".join(one.before or b"" for one in files if holds_memory(one.path))
    after = b"\n".join(one.after or b"" for one in files if holds_memory(one.path))
    new = walk.seen()
    for mark, held in walk.held.items():
        stood, stands = (_told(data, mark) for data in (old.values(), new.values()))
        if stood == stands:
            continue
        assert len(stands) <= 1, f"undoing {record.reason!r} made two of {mark}"
        assert stands or mark.encode() in after, f"undoing {record.reason!r} took {mark} away"
        assert not stands or stands[0] in _told([before], mark), f"undoing {record.reason!r} wrote {stands}"
        held.gone = not stands
        held.text = stands[0] if stands else held.text
        held.moved = held.edited = True


def _told(documents: Iterable[bytes], mark: str) -> list[str]:
    """The texts with the mark in some documents."""
    found = (data for data in documents if mark.encode() in data)
    return [read.text for data in found for read in read_document(data) if mark in read.text]


def add_by_hand(walk: Walk) -> None:
    mark, text = walk.words()
    if "\n" in text:
        text = text.partition("\n")[0]
    path = walk.random.choice(("MEMORY.md", "memory/2026-03-17.md", *TOPICS))
    if path in walk.copied() - set(walk.documents()):
        # what was copied and removed would be taken for the copy of this
        return
    data = walk.documents().get(path, f"# {path}\n".encode())
    if walk.random.random() < 0.7:
        data = apply_splice(data, append_item(scan(data), "By hand", text.encode()))
    else:
        # only what is known to be an entry of its own
        data = apply_splice(data, append_item(scan(data), f"About {mark[:6]}", text.encode()))
    walk.world.write(path, data)
    walk.held[mark] = Held(text)


def remove_by_hand(walk: Walk) -> None:
    mark = walk.pick()
    found = walk.find(mark) if mark else None
    if mark is None or found is None:
        return
    path, span = found
    data = walk.documents()[path]
    walk.world.write(path, apply_splice(data, remove_entry(scan(data), span)))
    walk.held[mark].gone = True


def edit_by_hand(walk: Walk) -> None:
    mark = walk.pick()
    found = walk.find(mark) if mark else None
    if mark is None or found is None or "\n" in walk.held[mark].text or walk.held[mark].text.endswith("too"):
        return
    path, span = found
    data = walk.documents()[path]
    if span.struck:
        return
    at = data.index(mark.encode(), span.text_start) + len(mark)
    walk.world.write(path, data[:at] + b" really" + data[at:])
    walk.held[mark].text = walk.held[mark].text.replace(mark, f"{mark} really", 1)
    walk.held[mark].edited = span.comment is None


def move_by_hand(walk: Walk) -> None:
    """Cut an item out of one document and paste it into another, comment and all."""
    mark = walk.pick()
    found = walk.find(mark) if mark else None
    if mark is None or found is None:
        return
    path, span = found
    documents = walk.documents()
    to = walk.random.choice(("MEMORY.md", *TOPICS))
    # what is cut out of a copied day stays in the copy, and is there twice when the day is removed: only a person can do both
    if span.kind is not EntryKind.ITEM or to == path or path in walk.copied():
        return
    data = documents[path]
    cut = data[span.start : span.end]
    if not cut.endswith(b"\n"):
        cut += b"\n"
    target = documents.get(to, f"# {to}\n".encode())
    if scan(target).closer:
        return
    gap = b"" if target.endswith(b"\n") else b"\n"
    walk.world.write(path, apply_splice(data, remove_entry(scan(data), span)))
    walk.world.write(to, target + gap + b"\n## Moved\n\n" + cut)
    walk.held[mark].moved = True


def rename_by_hand(walk: Walk) -> None:
    documents = walk.documents()
    kept = walk.copied()
    found = [path for path in documents if path.startswith("memory/") and path not in kept]
    if not found:
        return
    path = walk.random.choice(found)
    stem = path.rpartition("/")[2]
    to = walk.random.choice((f"memory/archive/{stem}", f"memory/old-{walk.number}-{stem}", f"memory/kept/{stem}"))
    if to in documents:
        return
    walk.world.write(to, documents[path])
    walk.world.write(path, None)
    walk.note_move(documents[path])


def remove_document_by_hand(walk: Walk) -> None:
    documents = walk.documents()
    if not documents or walk.random.random() < 0.7:
        return
    path = walk.random.choice(sorted(documents))
    read = walk.seen()[path]
    walk.world.write(path, None)
    # where it was copied before, the copy is what there is now
    left = walk.seen().values()
    for mark, held in walk.held.items():
        there = _told(left, mark)
        if _told([read], mark) or (held.gone and there):
            held.gone = not there
            held.text = there[0] if there else held.text
            held.moved = held.edited = True


def strike_by_hand(walk: Walk) -> None:
    mark = walk.pick()
    found = walk.find(mark) if mark else None
    if mark is None or found is None or "\n" in walk.held[mark].text:
        return
    path, span = found
    data = walk.documents()[path]
    if span.struck or span.kind is not EntryKind.ITEM:
        return
    words = text_of(data, span).encode()
    at = data.index(words, span.text_start)
    walk.world.write(path, data[:at] + b"~~" + words + b"~~" + data[at + len(words) :])


def restart(walk: Walk) -> None:
    walk.world.restart()


def crash(walk: Walk) -> None:
    """Die while remembering: it was not acknowledged, so it may be there or not, but whole and once."""
    mark, thought = _thought(walk, explicit=walk.random.random() < 0.5)
    said: list[str] = []
    done = walk.world.crash(
        lambda: said.append(walk.world.mind.memory.remember(thought).entry), walk.random.randrange(1, 24)
    )
    if done:
        walk.held[mark] = Held(thought.text, said[0])
    elif walk.find(mark) is not None:
        walk.held[mark] = Held(thought.text)


def lose_the_catalog(walk: Walk) -> None:
    """The rows are derived from the documents; without them hand-written text gets names anew, and nothing else changes."""
    rows = walk.world.mind.bench.state.entries
    known = rows.all_rows()
    rows.replace((), sorted({row.path for row in known}), (), (), "2026-03-19")
    rows.forget([row.id for row in known])
    for mark in walk.here():
        found = walk.find(mark)
        if found is None or found[1].comment is None:
            walk.held[mark].id = ""


def wait(walk: Walk) -> None:
    from datetime import timedelta

    walk.time.advance(timedelta(hours=walk.random.randrange(1, 40)))


OPERATIONS: dict[str, Operation] = {
    one.__name__: one
    for one in (
        *(remember, remember_explicitly, remember_for_somebody, remember_with_key, mention, correct, supersede, edit),
        *(revise, name_evidence, quote),
        *(
            set_aside,
            let_out,
            promote,
            write_to_bank,
            forget,
            export_and_import,
            archive,
            compact,
            tidy,
            undo,
            add_by_hand,
            remove_by_hand,
            edit_by_hand,
            move_by_hand,
            rename_by_hand,
        ),
        *(remove_document_by_hand, strike_by_hand, restart, crash, lose_the_catalog, wait),
    )
}
# which operations walk through which verb
VERBS = {
    "Memory.remember": ("remember", "remember_explicitly", "remember_for_somebody", "remember_with_key", "mention"),
    "Memory.correct": ("correct",),
    "Memory.revise": ("revise",),
    "Memory.add_evidence": ("name_evidence",),
    "Memory.quote": ("quote",),
    "Memory.supersede": ("supersede",),
    "Memory.edit": ("edit",),
    "quarantine.quarantine": ("set_aside",),
    "quarantine.release": ("let_out",),
    "moves.apply_moves": ("promote",),
    "Bank.write": ("write_to_bank",),
    "Forgetting.carry_out": ("forget",),
    "Forgetting.resume": ("forget",),
    "days.archive_days": ("compact",),
    "faded_lines.archive_lines": ("tidy",),
    "faded_lines.merge_lines": ("tidy",),
    "corrections.archive_corrections": ("tidy",),
    "importer.import_lines": ("export_and_import",),
}
# these write no document: they look, or are what the verbs are made of
LOOKING = frozenset(
    {
        *("Memory.confidence", "Memory.trust", "Memory.stale", "Memory.stale_among", "Memory.draft", "Memory.apply"),
        *("Memory.change", "Memory.dated", "Memory.is_settled"),
        *("Memory.at", "Memory.signed", "Memory.doubt", "Memory.successors", "Memory.words_now", "Memory.words_now_of"),
        *(
            "selection.sources_of_hits",
            "selection.sources_of_lines",
            "selection.list_entries",
            "selection.list_page",
            "selection.entries_since",
            "selection.undated_entries",
            "selection.select",
            "entry_account.account_of",
            "tiers.count_tiers",
        ),
        *("days.find_old_days", "corrections.find_old_corrections", "faded_lines.is_faded", "faded_lines.find_faded"),
        # earlier souls are copies, not entries
        *("version_retention.find_old_souls", "version_retention.thin_souls"),
        *("Bank.pages", "Bank.entities", "Bank.entity", "Bank.read", "Forgetting.plan", "Forgetting.plan_for"),
        *("moves.plan_moves", "candidates.candidates", "candidates.explain", "destinations.permission_of"),
        # vouching changes who is believed, not what stands where
        *(
            "adoption.adopt",
            "adoption.vouch_for",
            "adoption.withdraw_vouchers",
            "adoption.needs_adoption",
            "export.export_entries",
        ),
    }
)
