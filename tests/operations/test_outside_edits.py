"""What a person saves in an editor is on the next page that shows it, in an agent that stays open."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.operations.agents import count_entries
from everself.operations.caller import AT_TERMINAL
from everself.operations.contents import ContentsRequest, show_contents
from everself.operations.entry_account import ListRequest, ShowRequest, list_memory, show_entry
from everself.operations.home import Home
from everself.operations.setup import SetupRequest, set_up_agent
from everself.runtime import Runtime

# long past the grain of any clock
PAST = (1_700_000_000_000_000_000, 1_700_000_000_000_000_000)
DAY = "memory/2026-01-02.md"
BOB = "users/bob/MEMORY.md"


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    home = Home({"HOME": str(tmp_path)})
    set_up_agent(home, AT_TERMINAL, SetupRequest())
    with open_runtime("", environ=home.variables) as opened:
        save(opened, DAY, "# Log\n\n- The heron is called Otto.\n")
        save(opened, "MEMORY.md", "# Memory\n\n- The garden is small.\n")
        save(opened, BOB, "# Bob\n\n- Bob sails.\n")
        # in a small memory everything is looked at each time
        for number in range(100):
            save(opened, f"projects/p{number}/notes.md", "# Notes\n")
        # so often that the next look finds nothing to read, and small views rely on it
        for _ in range(3):
            opened.memory.catalog.refresh()
        yield opened


def file_of(runtime: Runtime, path: str) -> Path:
    return Path(runtime.agent.workspace) / path


def save(runtime: Runtime, path: str, text: str) -> None:
    """Saved within the file, as long ago: neither its folder nor its time tells."""
    file = file_of(runtime, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, ns=PAST)


def listed(runtime: Runtime, **wanted: str) -> dict[str, str]:
    return {one.entry.text: one.entry.id for one in list_memory(runtime, AT_TERMINAL, ListRequest(**wanted)).entries}


def texts(runtime: Runtime, person: str = "bob") -> list[str]:
    return list(listed(runtime, person=person))


def test_an_entry_that_was_edited_in_its_file(runtime: Runtime) -> None:
    heron = listed(runtime)["The heron is called Otto."]
    runtime.memory.catalog.refresh()
    save(runtime, DAY, "# Log\n\n- The heron is called Lena.\n")
    assert show_entry(runtime, AT_TERMINAL, ShowRequest(entry=heron)).entry.text == "The heron is called Lena."


def test_an_entry_that_was_moved_to_another_file(runtime: Runtime) -> None:
    heron = listed(runtime)["The heron is called Otto."]
    runtime.memory.catalog.refresh()
    save(runtime, DAY, "# Log\n")
    save(runtime, "MEMORY.md", "# Memory\n\n- The garden is small.\n- The heron is called Otto.\n")
    assert show_entry(runtime, AT_TERMINAL, ShowRequest(entry=heron)).entry.path == "MEMORY.md"


def test_what_rests_on_an_entry_in_a_file_that_is_new_edited_or_removed(runtime: Runtime) -> None:
    heron = listed(runtime)["The heron is called Otto."]
    said = f"# Birds\n\n- Birds have names. <!-- everself: id=9M2ABCD7K3QX from=entry:{heron} -->\n"
    for _ in range(3):
        runtime.memory.catalog.refresh()

    def resting() -> list[str]:
        found = show_entry(runtime, AT_TERMINAL, ShowRequest(entry=heron))
        assert len(found.derived) == len(found.resting)
        return [one.text for one in found.resting]

    assert resting() == []
    save(runtime, "memory/topics/birds.md", said)
    assert resting() == ["Birds have names."]
    save(runtime, "memory/topics/birds.md", said.replace("names", "wings"))
    assert resting() == ["Birds have wings."]
    file_of(runtime, "memory/topics/birds.md").unlink()
    assert resting() == []


def test_what_is_known_about_a_person(runtime: Runtime) -> None:
    assert texts(runtime) == ["Bob sails."]
    save(runtime, BOB, "# Bob\n\n- Bob sings.\n")
    assert texts(runtime) == ["Bob sings."]
    save(runtime, "users/bob/memory/2026-01-03.md", "# Log\n\n- Bob slept.\n")
    assert sorted(texts(runtime)) == ["Bob sings.", "Bob slept."]
    file_of(runtime, BOB).unlink()
    assert texts(runtime) == ["Bob slept."]


def test_the_first_line_in_an_empty_file_of_a_person(runtime: Runtime) -> None:
    save(runtime, "users/ana/MEMORY.md", "# Ana\n")
    assert texts(runtime, "ana") == []
    for _ in range(3):
        runtime.memory.catalog.refresh()
    save(runtime, "users/ana/MEMORY.md", "# Ana\n\n- Ana runs.\n")
    assert texts(runtime, "ana") == ["Ana runs."]


def test_what_there_is_to_browse_and_how_much(runtime: Runtime) -> None:
    def days() -> list[tuple[str, int]]:
        return [(one.name, one.entries) for one in show_contents(runtime, AT_TERMINAL, ContentsRequest()).days]

    assert days() == [("2026-01-02", 1)]
    count = count_entries(runtime)
    save(runtime, DAY, "# Log\n\n- The heron is called Otto.\n- The heron fishes.\n")
    assert days() == [("2026-01-02", 2)]
    assert count_entries(runtime) == count + 1
    save(runtime, "memory/2026-01-03.md", "# Log\n\n- The heron rests.\n")
    assert count_entries(runtime) == count + 2
    assert days() == [("2026-01-03", 1), ("2026-01-02", 2)]
    file_of(runtime, DAY).unlink()
    assert count_entries(runtime) == count
    assert days() == [("2026-01-03", 1)]


def test_a_day_and_a_topic_that_had_no_entry(runtime: Runtime) -> None:
    save(runtime, "memory/topics/birds.md", "# Birds\n")
    save(runtime, "memory/2026-01-01.md", "# Log\n")
    for _ in range(3):
        runtime.memory.catalog.refresh()

    def browse(days: int) -> tuple[list[str], list[str], int]:
        found = show_contents(runtime, AT_TERMINAL, ContentsRequest(days=days))
        return [one.name for one in found.days], [one.name for one in found.topics], found.older

    assert browse(1) == (["2026-01-02"], ["MEMORY"], 0)
    save(runtime, "memory/topics/birds.md", "# Birds\n\n- Birds sing.\n")
    save(runtime, "memory/2026-01-01.md", "# Log\n\n- The first day.\n")
    assert browse(1) == (["2026-01-02"], ["MEMORY", "birds"], 1)
    assert browse(2) == (["2026-01-02", "2026-01-01"], ["MEMORY", "birds"], 0)
