"""The checkpoint alone keeps what the owner stated: once, on its day, with its message, and never what was forgotten or closed."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.clock import Clock
from everself.conversation.sessions.checkpoint import Checkpoint
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.transcripts import Transcripts
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.memory.writing import NewEntry
from everself.search.scopes import Scope, SessionKind
from everself.storage.lock import FileLock
from everself.testing.origins import origin_of
from everself.testing.workspaces import Bench, real_workspace

KINDS = {"?": SentenceKind.QUESTION, "!": SentenceKind.REMEMBER, ".": SentenceKind.STATEMENT}


def read(text: str) -> Reading:
    """Sentences by their last character; what follows `Remember:` is meant."""
    found = []
    for one in text.replace("? ", "?\n").replace("! ", "!\n").replace(". ", ".\n").splitlines():
        kind = KINDS.get(one[-1:], SentenceKind.OTHER)
        what = one.removeprefix("Remember: ").rstrip("!") if kind is SentenceKind.REMEMBER else ""
        found.append(Sentence(one, kind, "en", what=what))
    return Reading(tuple(found))


class Mind:
    def __init__(self, bench: Bench, top: str, hands) -> None:
        self.bench = bench
        catalog = Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock)
        self.memory = Memory(bench.workspace, catalog, bench.clock)
        files = Transcripts(bench.storage.state, FileLock(f"{top}/state/sessions.lock"))
        self.log = SessionLog(bench.state.messages, files, bench.clock)
        self.checkpoint = Checkpoint(self.memory, self.log, read)
        self.hands = hands

    def texts(self) -> list[str]:
        return [one.text for one in self.memory.catalog.all()]


@pytest.fixture
def mind(tmp_path, hands) -> Iterator[Mind]:
    clock = Clock(ZoneInfo("Europe/Berlin"), hands)
    with real_workspace(str(tmp_path), clock=clock) as bench:
        yield Mind(bench, str(tmp_path), hands)


def test_statements_become_entries_with_their_message_and_questions_do_not(mind: Mind):
    session = mind.log.begin()
    said = mind.log.add(session, "user", "I live in Oslo. Where is that? Remember: I am left-handed!")
    mind.log.add(session, "assistant", "You live in Rome.")
    checked = mind.checkpoint.make(session)
    entries = {one.text: one for one in mind.memory.catalog.all()}
    assert set(entries) == {"I live in Oslo.", "I am left-handed"}
    assert {one.id for one in entries.values()} == set(checked.entries)
    assert entries["I live in Oslo."].path == "memory/2026-11-15.md"
    assert entries["I am left-handed"].path == "MEMORY.md"
    for entry in entries.values():
        assert (entry.source, entry.lineage) == ("owner", (f"msg:{said.id}",))


def test_twice_changes_nothing_even_when_the_mark_was_lost(mind: Mind):
    session = mind.log.begin()
    mind.log.add(session, "user", "I live in Oslo.")
    mind.checkpoint.make(session)
    before = mind.bench.workspace.read("memory/2026-11-15.md").data
    assert mind.checkpoint.make(session).entries == ()
    mind.bench.state.messages.change(session.id, lambda _: "{}")
    mind.checkpoint.make(session)
    assert mind.bench.workspace.read("memory/2026-11-15.md").data == before


def test_what_a_tool_wrote_from_the_message_is_neither_doubled_nor_counted(mind: Mind):
    session = mind.log.begin()
    said = mind.log.add(session, "user", "I live in Oslo. My dog is Rex.")
    mind.memory.remember(NewEntry("My dog is Rex", origin_of("owner", f"msg:{said.id}")))
    mind.memory.remember(NewEntry("I live in Oslo. (moved 2020)", origin_of("owner", f"msg:{said.id}")))
    checked = mind.checkpoint.make(session)
    assert (checked.entries, checked.skipped) == ((), 2)
    assert [one.mentions for one in mind.memory.catalog.all()] == [1, 1]


def test_what_was_known_from_elsewhere_counts_as_said_again_once(mind: Mind):
    mind.memory.remember(NewEntry("I live in Oslo.", origin_of("owner")))
    session = mind.log.begin()
    mind.log.add(session, "user", "I live in Oslo.")
    mind.checkpoint.make(session)
    mind.bench.state.messages.change(session.id, lambda _: "{}")
    mind.checkpoint.make(session)
    assert [(one.text, one.mentions) for one in mind.memory.catalog.all()] == [("I live in Oslo.", 2)]


def test_what_was_corrected_since_does_not_come_back(mind: Mind):
    session = mind.log.begin()
    said = mind.log.add(session, "user", "My dog is Rex.")
    wrong = mind.memory.remember(NewEntry("My dog is Rex.", origin_of("owner", f"msg:{said.id}")))
    mind.memory.correct(wrong.entry, "My dog is Max.", origin_of("owner"))
    mind.checkpoint.make(session)
    assert [one.text for one in mind.memory.catalog.all() if not one.closed and one.path.startswith("memory/")] == []


def test_a_correction_that_acted_is_not_kept_as_a_statement_beside_what_it_put_right(mind: Mind):
    session = mind.log.begin()
    mind.log.add(session, "user", "My dog is Rex.")
    said = mind.log.add(session, "user", "No, my dog is Max, not Rex.")
    # what was said before is there to be put right, and what puts it right is not kept before it has
    assert len(mind.checkpoint.make(session, before=said.id).entries) == 1
    (wrong,) = mind.memory.catalog.all()
    mind.memory.correct(wrong.id, "My dog is Max.", origin_of("owner"), said=wrong.text, trigger=said.content)
    assert mind.checkpoint.make(session).entries == ()
    assert [one.text for one in mind.memory.catalog.all() if not one.closed and one.path != "CORRECTIONS.md"] == [
        "My dog is Max."
    ]
    mind.log.add(session, "user", "My dog is Rex.")
    assert len(mind.checkpoint.make(session).entries) == 1


def test_what_was_forgotten_since_stays_forgotten(mind: Mind):
    session = mind.log.begin()
    mind.log.add(session, "user", "My dog is Rex.")
    mind.log.add(session, "user", "My cat is [forgotten].")
    rows = mind.bench.state.entries
    from everself.memory.entries import text_hash
    from everself.storage.state.scrub import Task

    mac = rows.mac(text_hash("My dog is Rex."))
    mind.bench.state.scrub.begin(Task("T", "2026-11-15T10:00:00+01:00", (), (mac,)), [(mac, "T")])
    assert mind.checkpoint.make(session).entries == ()
    assert mind.texts() == []
    assert mind.memory.catalog.is_buried("My dog is Rex.")


def test_after_a_crash_it_is_kept_on_the_day_it_was_said(mind: Mind):
    session = mind.log.begin()
    mind.log.add(session, "user", "I live in Oslo.")
    mind.hands.move(days=3)
    assert len(mind.checkpoint.recover().entries) == 1
    assert [one.path for one in mind.memory.catalog.all()] == ["memory/2026-11-15.md"]
    assert mind.checkpoint.recover().entries == ()


def test_only_those_who_have_a_memory_here_get_one(mind: Mind):
    scopes = {
        "guest": Scope(SessionKind.GUEST, "anna"),
        "group": Scope(SessionKind.GROUP),
        "subagent": Scope(SessionKind.SUBAGENT),
        "cron": Scope(SessionKind.CRON),
    }
    for name, scope in scopes.items():
        session = mind.log.begin(scope)
        mind.log.add(session, "user", f"I am the {name}.", person=scope.person or "")
        mind.checkpoint.make(session)
    assert [(one.text, one.path, one.source) for one in mind.memory.catalog.all()] == [
        ("I am the guest.", "users/anna/memory/2026-11-15.md", "person:anna")
    ]


def test_commands_and_system_text_are_not_statements(mind: Mind):
    session = mind.log.begin()
    mind.log.add(session, "user", "/search I live in Oslo.")
    mind.log.add(session, "user", "Store what matters.", meta={"system": True})
    assert mind.checkpoint.make(session).entries == ()


def test_the_plan_says_what_would_happen_and_changes_nothing(mind: Mind):
    session = mind.log.begin()
    said = mind.log.add(session, "user", "I live in Oslo. My dog is Rex. I am tall.")
    mind.memory.remember(NewEntry("My dog is Rex.", origin_of("owner", f"msg:{said.id}")))
    mind.memory.remember(NewEntry("I am tall.", origin_of("owner")))
    before = mind.bench.workspace.read("memory/2026-11-15.md").data
    assert [(one.new_entry.text, one.fate) for one in mind.checkpoint.plan(session)] == [
        ("I live in Oslo.", "new"),
        ("My dog is Rex.", "kept"),
        ("I am tall.", "mention"),
    ]
    assert mind.bench.workspace.read("memory/2026-11-15.md").data == before
    assert mind.log.fresh(session).checkpoint == 0


def test_the_time_of_day_is_that_of_the_message(mind: Mind):
    session = mind.log.begin()
    said = mind.log.add(session, "user", "I live in Oslo.")
    assert said.at == datetime(2026, 11, 15, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    mind.hands.move(hours=2)
    mind.checkpoint.make(session)
    assert b"## [10:00:00]" in mind.bench.workspace.read("memory/2026-11-15.md").data
