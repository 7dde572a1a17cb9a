"""Forgetting: what goes, what stays, what the proof says, and that it does not come back."""

import json
import os
import subprocess
import zlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.operations.changes import Changes

from everself.errors import NotFound, RefusedByRule, WrongUse
from everself.memory.catalog import Catalog
from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.guard import tombstone_guard
from everself.memory.forgetting.proof import ForgetProof, Target
from everself.memory.memory import Memory
from everself.memory.writing import NewEntry
from everself.storage.engine import Engine, Writer
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import open_state
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of
from everself.testing.workspaces import KEY, Bench, make_folders, real_workspace
from everself.values import Append, Applied, Author, Change, Conflict, Create, Refused, Replace, digest
from everself.workspace.assembly import WorkspaceOptions, assemble, real_storage
from everself.workspace.guards import standard_guards

FACT = "The vault code is KESTREL-4471."
CANARY = b"KESTREL-4471"


class Mind:
    """A memory with forgetting, on real folders."""

    def __init__(self, bench: Bench, top: Path) -> None:
        self.bench, self.top = bench, top
        self.workspace = bench.workspace
        self.catalog = Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock)
        self.memory = Memory(bench.workspace, self.catalog, bench.clock)
        resources = ForgettingResources(bench.workspace, bench.state, bench.storage, root=str(top / "workspace"))
        self.forgetting = Forgetting(self.catalog, resources, bench.clock)

    def write(self, path: str, text: str, author: Author = Author.OWNER) -> str:
        outcome = self.workspace.apply(Change(author, "note", (Append(path, text.encode()),)))
        assert isinstance(outcome, Applied), outcome
        return outcome.id

    def forget(self, **target: object) -> ForgetProof:
        return self.forgetting.carry_out(self.forgetting.plan(Target(**target)))  # type: ignore[arg-type] # names of fields

    def text(self, path: str) -> str:
        return self.workspace.read(path).data.decode()

    def say(
        self, session: str, number: int, content: str, person: str = "", at: str = "2026-03-19T09:00:00+00:00"
    ) -> None:
        row = (f"{session}-{number}", session, number, at, "user", person, content, "{}")

        def work(writer: Writer) -> None:
            writer.run("INSERT OR IGNORE INTO sessions VALUES (?, 'main', '', 'cli', ?, '{}')", (session, at))
            writer.run("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

        self.bench.state.engine.write(work)

    def messages(self) -> list[str]:
        return [
            str(row[0]) for row in self.bench.state.engine.read("SELECT content FROM messages ORDER BY session, seq")
        ]

    def raw(self, needle: bytes = CANARY) -> dict[str, int]:
        """A search of our own through every byte. The database is read as SQLite sees its file: reading it here would drop its locks."""
        found = {name: data.count(needle) for name, data in self.bench.state.scrub.raw()}
        for path in self.top.rglob("*"):
            if path.is_file() and ".db" not in path.name:
                data = path.read_bytes()
                if "objects" in path.parts and len(path.parent.name) == 2:
                    data = zlib.decompress(data)
                found[str(path)] = data.count(needle)
        git = self.top / "state" / "history.git"
        if list((git / "objects").glob("pack/*.pack")):
            found["packs"] = run_git(git, "cat-file", "--batch-all-objects", "--batch").count(needle)
        return {name: count for name, count in found.items() if count}


def run_git(git: Path, *words: str) -> bytes:
    done = subprocess.run(["git", "--git-dir", str(git), *words], capture_output=True, check=True)
    return done.stdout


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with real_workspace(str(tmp_path), WorkspaceOptions(guards=standard_guards(), background=False)) as bench:
        yield Mind(bench, tmp_path)


def test_a_forgotten_entry_leaves_no_byte_behind(mind: Mind) -> None:
    kept = mind.memory.remember(NewEntry("Prefers green tea.", origin_of("owner"), explicit=True))
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    mind.memory.remember(NewEntry("Likes long walks.", origin_of("owner")))
    mind.workspace.close()
    assert mind.raw()
    proof = mind.forget(ids=(done.entry,))
    assert mind.raw() == {}
    assert proof.gone
    assert not proof.degraded
    assert {entry.text for entry in mind.catalog.all()} == {"Prefers green tea.", "Likes long walks."}
    assert mind.catalog.get(kept.entry).vouched
    assert FACT not in proof.render() + proof.to_json()
    assert done.entry not in mind.text("memory/2026-03-19.md")


def test_a_plan_reads_each_document_once_and_names_every_place(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes, what stays in a longer sentence, and what only the owner may edit."""
    longer = f"She said that {FACT} The lid is green."
    mind.write("memory/2026-03-01.md", f"# Log\n\n## [09:00:00] note\n\n{FACT}\n")
    mind.write("memory/2026-03-02.md", f"# Log\n\n## [09:00:00] note\n\n{longer}\n\n## [10:00:00] note\n\n{FACT}\n")
    mind.write("memory/2026-03-03.md", "# Log\n\n## [09:00:00] note\n\nThe sea was calm.\n")
    mind.write("SOUL.md", f"# Soul\n\n{FACT}\n", Author.HAND)
    for file in (mind.top / "workspace").rglob("*.md"):
        # saved long before it was read, so that it need not be read again for being new
        os.utime(file, (1_700_000_000, 1_700_000_000))
    wanted = next(one.id for one in mind.catalog.all() if one.text == FACT)
    read: list[str] = []
    whole = RealFileSystem.read

    def noted(files: RealFileSystem, path: str, *most: int) -> bytes:
        read.extend([path] if path.endswith(".md") else [])
        return whole(files, path, *most)

    monkeypatch.setattr(RealFileSystem, "read", noted)
    plan = mind.forgetting.plan(Target(ids=(wanted,)))
    # the document of the entry is read before, for its text
    read.remove("memory/2026-03-01.md")
    assert sorted(path for path in read if path.startswith("memory/")) == [
        f"memory/2026-03-0{day}.md" for day in (1, 2, 3)
    ]
    assert {one.path: one.count for one in plan.documents} == {"memory/2026-03-01.md": 1, "memory/2026-03-02.md": 1}
    assert {one.reference for one in plan.mentions} == {"SOUL.md#L3", "memory/2026-03-02.md#L5"}
    # the proof asks for itself, and agrees
    seen = plan.mentions
    proof = mind.forgetting.carry_out(plan)
    assert proof.gone
    assert proof.mentions == seen


def test_a_dry_run_names_all_that_would_go_and_changes_nothing(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    mind.say("s1", 1, f"Remember that {FACT.lower()}")
    mind.workspace.close()
    # a lock says who held it last, and when
    kept = (one for one in mind.top.rglob("*") if one.is_file() and ".db" not in one.name and one.suffix != ".lock")
    before = {path: path.read_bytes() for path in kept}
    plan = mind.forgetting.plan(Target(ids=(done.entry[:8],)))
    assert [(cut.path, cut.count) for cut in plan.documents] == [("MEMORY.md", 1), ("memory/2026-03-19.md", 1)]
    assert [(cut.path, cut.count) for cut in plan.quoted] == [("messages", 1)]
    assert plan.commits == 1
    assert [entry.id for entry in plan.entries] == [done.entry]
    assert {path: path.read_bytes() for path in before} == before
    assert mind.messages() == [f"Remember that {FACT.lower()}"]


def test_every_copy_goes_wherever_it_stands_and_its_neighbours_stay(mind: Mind) -> None:
    paths = ("MEMORY.md", "memory/projects.md", "users/max/USER.md", "Archive/2025-Q1.md", "bank/world.md", "USER.md")
    for path in paths:
        mind.write(path, f"# Notes\n\n- Before.\n- {FACT}\n- After.\n")
    mind.write("AGENTS.md", f"# Rules\n\nBe kind.\n\n> {FACT}\n")
    proof = mind.forget(words=FACT.upper())
    for path in paths:
        assert mind.text(path) == "# Notes\n\n- Before.\n- After.\n"
    assert CANARY.decode() not in mind.text("AGENTS.md")
    assert mind.raw() == {}
    assert proof.gone


def test_a_correction_record_loses_the_words_and_stays_a_record(mind: Mind) -> None:
    old = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    right = mind.memory.correct(
        old.entry, "The vault code is HERON-9902.", origin_of("owner"), trigger="No, it is another one"
    )
    mind.forget(ids=(old.entry,))
    record = mind.text("CORRECTIONS.md")
    assert "- **Said:** [forgotten]" in record
    assert "HERON-9902" in record
    assert old.entry in record
    assert mind.catalog.get(right.entry).text == "The vault code is HERON-9902."
    assert mind.raw() == {}


def test_a_correction_record_goes_whole_when_all_its_entries_do(mind: Mind) -> None:
    old = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    right = mind.memory.correct(
        old.entry, "The vault code is HERON-9902.", origin_of("owner"), trigger="No, it is 9902"
    )
    other = mind.memory.remember(NewEntry("The boat is green.", origin_of("owner")))
    mind.memory.correct(other.entry, "The boat is red.", origin_of("owner"), trigger="No, it is red")
    mind.forget(ids=(old.entry, right.entry))
    record = mind.text("CORRECTIONS.md")
    # what was said when it was noticed tells of it too
    assert "9902" not in record
    assert "[forgotten]" not in record
    assert record.count("- **Said:** ") == record.count("- **Right:** The boat is red.") == 1
    assert mind.raw() == {}


def test_short_words_take_no_sentence_with_them(mind: Mind) -> None:
    mind.write(
        "MEMORY.md", '# Memory\n\n- tea\n- Green tea is best.\n- Steam trains.\n- Says "tea" a lot.\n- Buy: tea.\n'
    )
    mind.say("s1", 1, "I drink tea every day")
    proof = mind.forget(ids=(entry_of(mind, "tea"),))
    expected = '# Memory\n\n- Green tea is best.\n- Steam trains.\n- Says "[forgotten]" a lot.\n- Buy: tea.\n'
    assert mind.text("MEMORY.md") == expected
    assert mind.messages() == ["I drink tea every day"]
    assert [one.reference for one in proof.mentions] == ["MEMORY.md#L3", "MEMORY.md#L6"]


def test_words_within_another_sentence_stay_and_are_named(mind: Mind) -> None:
    mind.write("MEMORY.md", "# Memory\n\n- Prefers green tea\n- Max says he prefers green tea too, on Mondays.\n")
    proof = mind.forget(ids=(entry_of(mind, "Prefers green tea"),))
    assert mind.text("MEMORY.md") == "# Memory\n\n- Max says he prefers green tea too, on Mondays.\n"
    assert [(one.reference, one.reason) for one in proof.mentions] == [
        ("MEMORY.md#L3", "part of another sentence, not removed")
    ]
    assert proof.gone


def entry_of(mind: Mind, text: str) -> str:
    return next(one.id for one in mind.catalog.all() if one.text == text)


def test_words_take_every_entry_and_place_that_contains_them(mind: Mind) -> None:
    mind.memory.remember(NewEntry("My old address is 5 Elm Street, third floor.", origin_of("owner")))
    mind.write(
        "MEMORY.md",
        "# Memory\n\n## Around elm  street\n\n- ELM\n  Street floods in spring.\n- ~~Max had a flat in “Elm Street”.~~\n"
        "- Elm Streets of the world.\n- The elm by the street.\n",
    )
    mind.write("CORRECTIONS.md", "# Corrections\n\n- **Wrong:** lives in elm street now\n")
    mind.say("s1", 1, "We pass elm street on the way")
    plan = mind.forgetting.plan(Target(words="Elm street"))
    assert {entry.text.split()[0] for entry in plan.entries} == {"My", "ELM", "Max"}
    assert {cut.path for cut in plan.documents} == {"MEMORY.md", "CORRECTIONS.md", "memory/2026-03-19.md"}
    assert "ELM Street floods in spring." in "\n".join(plan.lines())
    before = mind.text("MEMORY.md")
    assert mind.text("MEMORY.md") == before
    proof = mind.forgetting.carry_out(plan)
    assert proof.gone
    assert mind.text("MEMORY.md") == (
        "# Memory\n\n## Around [forgotten]\n\n- Elm Streets of the world.\n- The elm by the street.\n"
    )
    assert mind.text("CORRECTIONS.md") == "# Corrections\n\n- **Wrong:** lives in [forgotten] now\n"
    assert mind.messages() == ["[forgotten]"]
    mind.workspace.close()
    assert set(mind.raw(b"Elm Street,")) | set(mind.raw(b"elm street")) | set(mind.raw(b"ELM")) == set()


def test_the_sentence_that_holds_the_words_goes_from_a_conversation_and_is_shown_before(mind: Mind) -> None:
    mind.say("s1", 1, "Kim lives in Elm Street now, by the park. She likes tea.")
    mind.write("memory/topics.md", "# Topics\n\nBefore.\n\nThe flat in Elm Street is let.\n\nAfter.\n")
    plan = mind.forgetting.plan(Target(words="elm street"))
    shown = "\n".join(plan.lines())
    assert "[forgotten] takes the place of:\n  “Kim lives in Elm Street now, by the park.”" in shown
    assert "Only “elm street” goes, and the text around it stays: memory/topics.md (1)" in shown
    proof = mind.forgetting.carry_out(plan)
    assert proof.gone
    assert mind.messages() == ["[forgotten] She likes tea."]


def test_the_message_that_taught_an_entry_in_other_words_loses_the_sentence_too(mind: Mind) -> None:
    mind.say("s1", 1, "I see Dr Weber tomorrow at noon. Tea was good.")
    origin = origin_of("owner", "msg:s1-1")
    done = mind.memory.remember(NewEntry("I see Dr Weber tomorrow at noon. (2026-03-20)", origin))
    assert mind.forget(ids=(done.entry,)).gone
    assert mind.messages() == ["[forgotten] Tea was good."]
    mind.workspace.close()
    assert mind.raw(b"Weber") == {}


def test_a_message_that_nobody_recognises_as_an_entry_is_named_and_stays(mind: Mind) -> None:
    mind.say("s1", 1, "Nicht vor dem Kaffee!")
    done = mind.memory.remember(NewEntry("Dislikes early meetings.", origin_of("agent", "msg:s1-1")))
    plan = mind.forgetting.plan(Target(ids=(done.entry,)))
    assert "Stays in message s1-1: an entry was concluded from it" in "\n".join(plan.lines())
    proof = mind.forgetting.carry_out(plan)
    assert proof.lines()[-1] == "A search of every byte finds it only in the places listed above."
    assert mind.messages() == ["Nicht vor dem Kaffee!"]


def test_a_sentence_that_another_entry_says_too_stays(mind: Mind) -> None:
    said = "My name is Alex and I work on tundra."
    mind.say("s1", 1, said)
    mind.memory.remember(NewEntry(said, origin_of("owner", "msg:s1-1")))
    note = mind.memory.remember(NewEntry("Alex works on a project, tundra.", origin_of("agent", "msg:s1-1")))
    assert mind.forget(ids=(note.entry,)).gone
    assert mind.messages() == [said]
    assert [one.text for one in mind.catalog.all()] == [said]


def test_words_within_the_json_of_a_tool_call_go_too(mind: Mind) -> None:
    said = 'My neighbour is "Bobo the Great" to his Töchter.'
    call = json.dumps({"calls": [["1", "memory_write", json.dumps({"content": said})]]})
    mind.say("s1", 1, json.dumps({"results": [{"snippet": said}]}))
    mind.bench.state.engine.write(lambda writer: writer.run("UPDATE messages SET meta = ?", (call,)))
    done = mind.memory.remember(NewEntry(said, origin_of("owner")))
    assert mind.forget(ids=(done.entry,)).gone
    assert mind.messages() == ['{"results": [{"snippet": "[forgotten]"}]}']
    mind.workspace.close()
    assert mind.raw(b"Bobo") == {}


def test_a_page_of_several_paragraphs_loses_the_words_and_keeps_the_rest(mind: Mind) -> None:
    mind.write("memory/topics.md", "# Topics\n\nBefore.\n\nThe flat in Elm Street is let.\n\nAfter.\n")
    plan = mind.forgetting.plan(Target(words="elm street"))
    assert (plan.entries, [cut.path for cut in plan.documents]) == ((), ["memory/topics.md"])
    assert mind.forgetting.carry_out(plan).gone
    assert mind.text("memory/topics.md") == "# Topics\n\nBefore.\n\nThe flat in [forgotten] is let.\n\nAfter.\n"


def test_words_that_only_the_past_contains_go_from_there(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(f"Once the code was {CANARY.decode()}, they say.", origin_of("owner")))
    mind.memory.edit(done.entry, "Once there was a code, they say.", origin_of("owner"))
    mind.workspace.close()
    assert mind.raw()
    plan = mind.forgetting.plan(Target(words=CANARY.decode().lower()))
    assert plan.commits
    assert mind.forgetting.carry_out(plan).gone
    assert mind.raw() == {}
    assert [one.text for one in mind.catalog.all()] == ["Once there was a code, they say."]


def test_one_operation_decides_what_words_or_an_id_mean(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    other = mind.memory.remember(NewEntry(f"Ask Max for {CANARY.decode()} again.", origin_of("owner")))
    assert [one.id for one in mind.forgetting.plan_for(done.entry.lower()).entries] == [done.entry]
    assert {one.id for one in mind.forgetting.plan_for("kestrel-4471").entries} == {done.entry, other.entry}
    with pytest.raises(NotFound) as told:
        mind.forgetting.plan_for("kestrel-44")
    assert str(told.value) == "No entry contains “kestrel-44”."


def test_words_within_others_are_forgotten_after_a_crash_too(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    mind.say("s1", 1, "Is it true that KESTREL-4471, of all birds, opens it?")
    plan = mind.forgetting.plan(Target(words="kestrel-4471"))
    with monkeypatch.context() as broken:
        broken.setattr(Forgetting, "_perform", lambda *_: None)
        mind.forgetting.carry_out(plan)
    (proof,) = mind.forgetting.resume()
    assert (proof.gone, proof.searched) == (True, True)
    assert mind.messages() == ["[forgotten]"]
    mind.workspace.close()
    assert mind.raw() == {}


def test_the_soul_is_not_changed_by_forgetting(mind: Mind) -> None:
    mind.write("SOUL.md", f"# Soul\n\n- {FACT}\n")
    mind.write("MEMORY.md", f"# Memory\n\n- {FACT}\n")
    proof = mind.forget(words=FACT)
    assert mind.text("SOUL.md") == f"# Soul\n\n- {FACT}\n"
    assert [(one.reference, one.reason) for one in proof.mentions] == [
        ("SOUL.md#L3", "yours alone to edit, not removed")
    ]


def test_what_it_was_made_into_is_named(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    made = mind.memory.remember(NewEntry("Keeps codes in mind.", origin_of("agent", f"entry:{done.entry}")))
    proof = mind.forget(ids=(done.entry,))
    assert [one.reason for one in proof.mentions] == ["made from what is forgotten, not removed"]
    assert mind.catalog.get(made.entry).lineage == (f"entry:{done.entry}",)


def test_earlier_words_of_the_same_entry_go_too(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    mind.memory.edit(done.entry, "The vault code is HERON-9902.", origin_of("owner"))
    mind.say("s1", 1, FACT)
    mind.workspace.close()
    mind.forget(ids=(done.entry,))
    assert mind.raw() == {}
    assert mind.raw(b"HERON-9902") == {}
    assert mind.messages() == ["[forgotten]"]


def test_a_session_goes_with_what_was_learned_in_it(mind: Mind) -> None:
    mind.say("s1", 1, FACT)
    mind.say("s1", 2, "yes")
    mind.say("s2", 1, "Something else")
    mind.memory.remember(NewEntry(FACT, origin_of("owner", "msg:s1-1")))
    mind.memory.remember(NewEntry("Yes.", origin_of("owner", "msg:s1-2")))
    mind.write("memory/2026-03-18.md", "# Memory Log: 2026-03-18\n\n## [08:00:00] note\n\nYes.\n")
    mind.forget(session="s1")
    assert mind.messages() == ["Something else"]
    assert [entry.path for entry in mind.catalog.all()] == ["memory/2026-03-18.md"]
    assert mind.bench.state.engine.read("SELECT id FROM sessions") == [("s2",)]
    assert mind.raw() == {}


def test_a_person_goes_with_their_folder(mind: Mind) -> None:
    mind.memory.remember(NewEntry(FACT, origin_of("person:Max"), person="Max", explicit=True))
    mind.write("users/max/USER.md", "# Max\n\n- **Name:** Max KESTREL-4471\n")
    about = mind.memory.remember(
        NewEntry("Max once lost a bet about the KESTREL-4471.", origin_of("owner"), who="person:Max")
    )
    mind.memory.remember(NewEntry("Likes long walks.", origin_of("owner")))
    mind.say("g1", 1, f"{FACT} says Max", person="max")
    mind.workspace.close()
    proof = mind.forget(person="Max")
    assert not (mind.top / "workspace/users/max/USER.md").exists()
    assert about.entry in proof.entries
    assert [entry.text for entry in mind.catalog.all()] == ["Likes long walks."]
    assert mind.messages() == []
    assert mind.raw() == {}


def test_days_go_with_their_messages_in_the_humans_time_zone(tmp_path: Path) -> None:
    clock = FrozenTime().clock("Asia/Seoul")
    with real_workspace(str(tmp_path), WorkspaceOptions(background=False), clock=clock) as bench:
        mind = Mind(bench, tmp_path)
        for day in ("2026-03-17", "2026-03-18", "2026-03-19"):
            mind.write(
                f"memory/{day}.md", f"# Memory Log: {day}\n\n## [08:00:00] note\n\nWord of {day} KESTREL-4471.\n"
            )
        # 23:30 of the 17th in UTC is the morning of the 18th in Seoul
        mind.say("s1", 1, "early", at="2026-03-17T14:00:00+00:00")
        mind.say("s1", 2, "late", at="2026-03-17T23:30:00+00:00")
        mind.forget(since=date(2026, 3, 18), until=date(2026, 3, 18))
        assert mind.messages() == ["early"]
        assert [entry.path for entry in mind.catalog.all()] == ["memory/2026-03-17.md", "memory/2026-03-19.md"]
        assert mind.raw(b"Word of 2026-03-18") == {}


def test_history_is_the_same_up_to_the_first_commit_that_held_it(mind: Mind) -> None:
    mind.write("MEMORY.md", "# Memory\n\n- First.\n")
    mind.write("memory/topic.md", "# Topic\n\n- Second.\n")
    mind.workspace.close()
    git = mind.top / "state/history.git"
    before = run_git(git, "rev-list", "--reverse", "main").split()
    planted = mind.write("MEMORY.md", f"- {FACT}\n")
    later = mind.write("MEMORY.md", "- Third.\n")
    proof = mind.forget(words=FACT)
    after = run_git(git, "rev-list", "--reverse", "main").split()
    assert after[:2] == before
    assert len(after) == 5
    assert run_git(git, "fsck", "--strict", "--full") == b""
    assert run_git(git, "show", "main:MEMORY.md") == b"# Memory\n\n- First.\n- Third.\n"
    assert len(proof.commits) == 3
    assert mind.bench.state.commit_of(later).encode() in after  # type: ignore[union-attr] # it has one
    stored = mind.bench.state.engine.read("SELECT old, new FROM rewritten_commits")
    assert sorted(stored) == sorted(proof.commits)
    assert mind.bench.state.verify_ledger().ok
    # a change that only stood upon it can still be undone
    assert Changes(mind.workspace).undo(later).applied
    with pytest.raises(RefusedByRule, match="forgotten"):
        Changes(mind.workspace).undo(planted)
    with pytest.raises(RefusedByRule, match="forgotten"):
        Changes(mind.workspace).undo(proof.change, dry_run=True)
    assert Changes(mind.workspace).show(planted).diff == ""


def test_packed_history_branches_and_tags_lose_it_too(mind: Mind) -> None:
    mind.write("MEMORY.md", f"# Memory\n\n- First.\n- {FACT}\n")
    mind.workspace.close()
    git = mind.top / "state/history.git"
    run_git(git, "branch", "mine", "main")
    subprocess.run(
        [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "--git-dir",
            str(git),
            "tag",
            "-a",
            "-m",
            "x",
            "one",
            "main",
        ],
        check=True,
    )
    mind.write("MEMORY.md", "- Second.\n")
    mind.workspace.close()
    run_git(git, "-c", "gc.writeCommitGraph=true", "gc", "-q", "--prune=now")
    assert list(git.glob("objects/pack/*.pack"))
    mind.write("MEMORY.md", "- Third.\n")
    proof = mind.forget(words=FACT)
    assert proof.gone
    assert mind.raw() == {}
    assert run_git(git, "fsck", "--strict", "--full") == b""
    assert run_git(git, "show", "mine:MEMORY.md") == run_git(git, "show", "one:MEMORY.md") == b"# Memory\n\n- First.\n"
    run_git(git, "gc", "-q", "--prune=now")
    assert mind.raw() == {}


def test_reasons_and_evidence_that_quote_it_lose_it(mind: Mind) -> None:
    edit = Append("MEMORY.md", f"# Memory\n\n- {FACT}\n".encode())
    mind.workspace.apply(Change(Author.OWNER, f'remember "{FACT}"', (edit,), evidence=(f"url:{FACT}",)))
    proof = mind.forget(words=FACT)
    record = mind.bench.state.list_changes()[1]
    assert (record.reason, record.evidence, record.forgotten) == ('remember "[forgotten]"', ("url:[forgotten]",), True)
    assert mind.raw() == {}
    assert {one.place: one.removed for one in proof.places}["change reasons"] == 1


def test_a_change_that_waits_in_the_journal_is_reached(mind: Mind) -> None:
    mind.write("MEMORY.md", f"# Memory\n\n- {FACT}\n- Second.\n")
    assert list((mind.top / "state/journal").iterdir())
    mind.forget(words=FACT)
    assert not list((mind.top / "state/journal").iterdir())
    assert mind.raw() == {}


def test_nobody_but_the_owner_brings_it_back(mind: Mind) -> None:
    entry = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    mind.forget(ids=(entry.entry,))
    for source in ("import", "agent", "tool", "web", "person:max"):
        with pytest.raises(RefusedByRule, match="forgotten"):
            mind.memory.remember(NewEntry(FACT.upper(), origin_of(source)))
    again = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    assert mind.catalog.get(again.entry).text == FACT


def test_the_guard_refuses_forgotten_entries_from_all_but_humans(mind: Mind) -> None:
    entry = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    mind.forget(ids=(entry.entry,))
    guard = tombstone_guard(mind.bench.state.entries)

    def asked(author: Author, text: str) -> list[str]:
        change = Change(author, "bring", (Create("memory/new.md", text.encode()),))
        seen = mind.workspace.preview(change)
        assert not isinstance(seen, Conflict)
        return list(guard(change, seen))

    for author in (Author.KEEPER, Author.IMPORT, Author.AGENT, Author.RUNTIME):
        assert asked(author, f"- {FACT}\n")
        assert asked(author, f"- Other. <!-- everself: id={entry.entry} -->\n")
        assert asked(author, "- Other words altogether.\n") == []
    assert asked(Author.HAND, f"- {FACT}\n") == []


def test_a_repository_of_the_persons_own_is_named_and_left_alone(mind: Mind) -> None:
    work = mind.top / "workspace"
    mind.write("MEMORY.md", f"# Memory\n\n- {FACT}\n")
    name = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(work)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "mine"], ["remote", "add", "hub", "ssh://x/y"]):
        subprocess.run([*name, *words], check=True, capture_output=True)
    objects = sorted((work / ".git/objects").rglob("*"))
    proof = mind.forget(words=FACT)
    assert proof.gone
    assert proof.degraded
    assert [(one.name, one.holds) for one in proof.remains] == [(".git", True)]
    assert "hub" in proof.remains[0].words
    assert sorted((work / ".git/objects").rglob("*")) == objects


def test_copies_of_editors_and_foreign_files_are_named(mind: Mind) -> None:
    mind.write("MEMORY.md", f"# Memory\n\n- {FACT}\n")
    for name in (".MEMORY.md.swp", "notes.txt"):
        (mind.top / "workspace" / name).write_text(f"b0VIM {FACT}")
    proof = mind.forget(words=FACT)
    assert {one.name for one in proof.remains} == {".MEMORY.md.swp", "notes.txt"}
    assert proof.degraded
    assert json.loads(proof.to_json())["degraded"] is True


def test_forgetting_again_finds_nothing(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    mind.forget(ids=(done.entry,))
    head = run_git(mind.top / "state/history.git", "rev-parse", "main")
    with pytest.raises(NotFound):
        mind.forget(ids=(done.entry,))
    with pytest.raises(NotFound):
        mind.forget(words=FACT)
    assert mind.forgetting.resume() == ()
    assert run_git(mind.top / "state/history.git", "rev-parse", "main") == head


def test_nothing_named_is_refused(mind: Mind) -> None:
    with pytest.raises(WrongUse):
        mind.forgetting.plan(Target())
    with pytest.raises(WrongUse):
        mind.forgetting.plan(Target(since=date(2026, 3, 2), until=date(2026, 3, 1)))


def test_other_rooms_register_their_places(mind: Mind) -> None:
    class Cache:
        name = "a cache"

        def __init__(self) -> None:
            self.texts = [FACT, "other"]

        def holds(self, words: object) -> int:
            return sum(words.in_text(text) is not None for text in self.texts)  # type: ignore[attr-defined] # Words

        def remove(self, words: object) -> int:
            before = len(self.texts)
            self.texts = [text for text in self.texts if words.in_text(text) is None]  # type: ignore[attr-defined] # Words
            return before - len(self.texts)

    cache = Cache()
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    forgetting = Forgetting(
        mind.catalog,
        ForgettingResources(mind.workspace, mind.bench.state, mind.bench.storage, (cache,)),
        mind.bench.clock,
    )
    proof = forgetting.carry_out(forgetting.plan(Target(ids=(done.entry,))))
    assert cache.texts == ["other"]
    assert [(one.found, one.removed, one.left) for one in proof.places if one.place == "a cache"] == [(1, 1, 0)]


def test_an_entry_of_another_script_with_quotes_and_lines_is_found(mind: Mind) -> None:
    text = '금고 번호는 "4471-참매"입니다.\n그리고 «둘째 줄»도 있습니다.'
    done = mind.memory.remember(NewEntry(text, origin_of("owner"), explicit=True))
    mind.say("s1", 1, f"기억해줘: {text}")
    mind.memory.correct(done.entry, "금고 번호는 모릅니다.", origin_of("owner"))
    mind.workspace.close()
    proof = mind.forget(ids=(done.entry,))
    assert mind.raw("참매".encode()) == {}
    assert mind.raw("둘째 줄".encode()) == {}
    assert proof.gone


def test_a_document_with_bytes_that_are_no_text_keeps_them(mind: Mind) -> None:
    odd = b"# Memory\n\n- caf\xe9 \xff\n- " + FACT.encode() + b"\n- last\x00\n"
    mind.workspace.apply(Change(Author.OWNER, "odd", (Create("memory/odd.md", odd),)))
    mind.forget(words=FACT)
    assert mind.workspace.read("memory/odd.md").data == b"# Memory\n\n- caf\xe9 \xff\n- last\x00\n"


def test_a_person_who_saves_meanwhile_keeps_their_words(mind: Mind) -> None:
    mind.write("MEMORY.md", f"# Memory\n\n- {FACT}\n- Second.\n")
    plan = mind.forgetting.plan(Target(words=FACT))
    data = mind.workspace.read("MEMORY.md").data
    edit = Replace("MEMORY.md", digest(data), len(data), len(data), b"- By hand.\n")
    assert not isinstance(mind.workspace.apply(Change(Author.HAND, "hand", (edit,))), Refused)
    assert mind.forgetting.carry_out(plan).gone
    assert mind.text("MEMORY.md") == "# Memory\n\n- Second.\n- By hand.\n"


def test_whoever_waits_is_told_how_far_it_is(mind: Mind) -> None:
    for number in range(3):
        mind.write("MEMORY.md", f"- {number}\n- {FACT}\n")
    mind.workspace.close()
    told: list[tuple[str, int, int]] = []
    mind.forgetting.plan(Target(words=FACT), tell=lambda *step: told.append(step))
    assert told == [("history", 1, 3), ("history", 2, 3), ("history", 3, 3)]


def test_a_reader_that_holds_the_log_back_is_told_and_it_is_gone_on_with(tmp_path: Path) -> None:
    make_folders(str(tmp_path))
    with open_state(str(tmp_path / "state/state.db"), KEY, busy_timeout=0.1) as state:
        storage = real_storage(str(tmp_path / "workspace"), str(tmp_path / "state"))
        clock = FrozenTime().clock()
        workspace = assemble(storage, state, clock, WorkspaceOptions(background=False))
        mind = Mind(Bench(workspace, state, storage, clock), tmp_path)
        mind.say("s1", 1, FACT)
        done = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
        with Engine.open(state.engine.path) as other, other.snapshot():
            proof = mind.forget(ids=(done.entry,))
            assert not proof.gone
            assert "NOT all of it is gone" in proof.render()
        (rest,) = mind.forgetting.resume()
        assert rest.gone
        assert not rest.searched
        assert mind.raw() == {}
        assert mind.forgetting.resume() == ()


def test_what_was_begun_is_finished_by_its_hashes_alone(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("owner"), explicit=True))
    mind.say("s1", 1, f"So: {FACT}")
    mind.workspace.close()
    plan = mind.forgetting.plan(Target(ids=(done.entry,)))

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(mind.bench.state.scrub), "rewrite", die)
        with pytest.raises(Killed):
            mind.forgetting.carry_out(plan)
    kept = [json.dumps(row) for row in mind.bench.state.engine.read("SELECT * FROM forgettings")]
    assert len(kept) == 1
    assert CANARY.decode() not in kept[0]
    (proof,) = mind.forgetting.resume()
    assert proof.gone
    assert proof.searched
    assert mind.raw() == {}
    assert mind.messages() == ["So: [forgotten]"]
