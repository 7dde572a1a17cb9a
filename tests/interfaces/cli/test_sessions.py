"""`everself sessions` and `everself simulate-compaction`, called as a person calls them."""

import json
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.conversation.sessions.session import Session
from everself.memory.writing import NewEntry
from everself.storage.state.searches import SearchRecord
from everself.testing.origins import origin_of


@pytest.fixture
def talk(workspace: Path) -> Session:
    """A conversation from which something was remembered and in which something was searched for."""
    assert workspace.is_dir()
    with open_runtime() as app:
        session = app.log.begin()
        said = app.log.add(session, "user", "The harbour fee is 40 euros. I sail on Sunday.")
        app.log.add(session, "assistant", "Noted.", meta={"calls": [["c", "memory_write", "{}"]]})
        app.log.add(session, "tool", '{"entry": "' + "x" * 300 + '"}', meta={"call": "c", "name": "memory_write"})
        app.log.add(session, "assistant", "I wrote that down.")
        app.memory.remember(NewEntry("I sail on Sunday.", origin_of("owner", f"msg:{said.id}")))
        asked = SearchRecord(app.clock.now(), session.id, "main", "default", "harbour")
        app.state.searches.record(asked, ())
        return session


@pytest.mark.usefixtures("workspace")
def test_before_anything_was_said_the_list_says_so(everself) -> None:
    assert everself("sessions", "list").out == "Nothing was said yet.\n"
    assert everself("sessions", "show").code == 5
    assert everself("simulate-compaction").code == 5


def test_the_list_shows_how_each_began(everself, talk: Session) -> None:
    (line,) = everself("sessions", "list").out.splitlines()
    assert line.startswith(talk.id)
    assert "main, cli, 4 messages  The harbour fee is 40 euros. I sail on Sunday." in line
    (data,) = everself("sessions", "list", "--json").json["data"]
    assert (data["id"], data["messages"], data["ended"]) == (talk.id, 4, False)


def test_show_tells_who_said_what(everself, talk: Session) -> None:
    out = everself("sessions", "show", talk.id[:6].lower()).out
    assert "  The harbour fee is 40 euros. I sail on Sunday." in out
    assert "calls memory_write" in out
    # what a tool returned is data: one line of it is enough
    assert max(map(len, out.splitlines())) < 120
    data = everself("sessions", "show", "--limit", "1", "--json").json["data"]
    assert [one["text"] for one in data["messages"]] == ["I wrote that down."]


def test_words_of_a_message_command_no_terminal(everself, talk: Session) -> None:
    with open_runtime() as app:
        app.log.add(talk, "user", "\x1b[31mred\x1b[0m")
    assert "\x1b" not in everself("sessions", "show").out
    assert "\x1b" not in everself("sessions", "search", "red").out


def test_search_finds_messages_with_all_words(everself, talk: Session) -> None:
    out = everself("sessions", "search", "EUROS", "harbour").out
    assert talk.id in out
    assert "40 euros" in out
    assert everself("sessions", "search", "harbour", "nothing").out == "No message holds all of these words.\n"


def test_export_prints_one_line_for_each_message(everself, talk: Session) -> None:
    with open_runtime() as app:
        app.log.add(talk, "user", "one\u2028line")
    lines = everself("sessions", "export").out.removesuffix("\n").split("\n")
    assert [json.loads(line)["seq"] for line in lines] == [0, 1, 2, 3, 4, 5]
    assert [one["seq"] for one in everself("sessions", "export", "--json").json["data"]] == [0, 1, 2, 3, 4, 5]


def test_deleting_wants_to_be_meant(everself, talk: Session) -> None:
    assert everself("sessions", "delete", talk.id).code == 2
    assert everself("sessions", "delete", talk.id, typed="n\n", at_terminal=True).code == 130
    said = everself("sessions", "delete", talk.id, "--dry-run")
    assert "What goes: 4 messages, the transcript, 1 search." in said.out
    assert "What stays: 1 entry that came of it." in said.out
    assert everself("sessions", "list", "--json").json["data"][0]["id"] == talk.id


def test_deleting_removes_every_trace_but_the_entries(everself, talk: Session, home: Path) -> None:
    said = everself("sessions", "delete", talk.id, "--yes")
    assert said.code == 0
    assert said.out.startswith(f"Deleted {talk.id}.")
    assert everself("sessions", "list").out == "Nothing was said yet.\n"
    holding = [one for one in home.rglob("*") if one.is_file() and b"harbour" in one.read_bytes()]
    assert holding == []
    assert "I sail on Sunday." in everself("memory", "list").out


def test_the_simulation_says_what_survives_and_changes_nothing(everself, talk: Session, workspace: Path) -> None:
    with open_runtime() as app:
        for number in range(10):
            app.log.add(talk, "user", f"My boat number {number} is called Zora{number}.")
            app.log.add(talk, "assistant", "I see. " * 300)
    before = {one: one.read_bytes() for one in workspace.rglob("*") if one.is_file()}
    data = everself("simulate-compaction", "--json").json["data"]
    fates = {one["text"]: one["fate"] for one in data["statements"]}
    assert any("Zora7" in text and fate == "new" for text, fate in fates.items())
    assert data["dropped"] > 10
    assert data["kept"] > 0
    assert {"SOUL.md", "CORRECTIONS.md"} <= set(data["stands"])
    out = everself("simulate-compaction").out
    assert "would be kept: " in out
    assert "Read completely in every turn: SOUL.md" in out
    assert {one: one.read_bytes() for one in workspace.rglob("*") if one.is_file()} == before
    with open_runtime() as app:
        assert app.log.find(talk.id).compacted == app.log.find(talk.id).checkpoint == 0
