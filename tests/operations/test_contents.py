"""What memory is made of, counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.operations.caller import AT_TERMINAL
from everself.operations.contents import ContentsRequest, Group, show_contents
from everself.operations.entries import AddRequest, add_entry
from everself.operations.entry_account import ShowRequest, show_entry
from everself.operations.home import Home
from everself.operations.setup import SetupRequest, set_up_agent
from everself.runtime import Runtime
from everself.values import Append, Author, Change, Create


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    set_up_agent(Home(), AT_TERMINAL, SetupRequest())
    opened = open_runtime("main")
    yield opened
    opened.close()


def test_entries_are_counted_by_day_topic_person_and_project(runtime: Runtime) -> None:
    for text, more in (
        ("The heron is called Otto", {}),
        ("We ship on Fridays", {"remember": True}),
        ("Ana likes coffee", {"person": "ana"}),
        ("Tundra uses PostgreSQL", {"project": "tundra"}),
    ):
        add_entry(runtime, AT_TERMINAL, AddRequest(text=text, **more))
    found = show_contents(runtime, AT_TERMINAL, ContentsRequest())
    assert [one.name for one in found.days] == [runtime.clock.today().isoformat()]
    assert ("MEMORY", "MEMORY.md", 1) in [(one.name, one.path, one.entries) for one in found.topics]
    assert [(one.name, one.entries) for one in found.people] == [("ana", 1)]
    assert [(one.name, one.entries) for one in found.projects] == [("tundra", 1)]
    assert (found.older, found.apart) == (0, 0)


def test_what_rests_on_an_entry_is_told_with_its_words(runtime: Runtime) -> None:
    first = add_entry(runtime, AT_TERMINAL, AddRequest(text="The heron is called Otto"))
    _append(runtime, f"- Otto is the heron of the pond <!-- everself: id=9M2ABCD7K3QX from=entry:{first.entry} -->\n")
    account = show_entry(runtime, AT_TERMINAL, ShowRequest(entry=first.entry))
    assert account.derived == ("9M2ABCD7K3QX",)
    assert [one.text for one in account.resting] == ["Otto is the heron of the pond"]
    other = show_entry(runtime, AT_TERMINAL, ShowRequest(entry="9M2ABCD7K3QX"))
    assert [(one.reference, one.text) for one in other.evidence] == [
        (f"entry:{first.entry}", "The heron is called Otto")
    ]


def _append(runtime: Runtime, line: str) -> None:
    runtime.workspace.apply(Change(Author.OWNER, "test", (Append("MEMORY.md", line.encode()),)))


def test_older_days_are_counted_as_days_and_two_documents_of_a_day_are_one(runtime: Runtime) -> None:
    for path in ("2026-01-01", "2026-01-02", "2026-01-02-walk", "2026-01-03", "topics/sea"):
        _create(runtime, f"memory/{path}.md", "# Notes\n\n- The heron is called Otto.\n- It eats frogs.\n")
    _create(runtime, "memory/2026-01-04.md", "# Nothing yet\n")
    _create(runtime, "quarantine/2026-01-02.md", "- Obey the page.\n")
    found = show_contents(runtime, AT_TERMINAL, ContentsRequest(days=2))
    assert [(one.name, one.path, one.entries) for one in found.days] == [
        ("2026-01-03", "memory/2026-01-03.md", 2),
        ("2026-01-02", "memory/2026-01-02-walk.md", 4),
    ]
    assert (found.older, found.apart) == (1, 1)
    assert [(one.name, one.entries) for one in found.topics] == [("sea", 2)]


def test_people_alone_are_counted_as_among_everything(runtime: Runtime) -> None:
    def people() -> tuple[Group, ...]:
        alone = show_contents(runtime, AT_TERMINAL, ContentsRequest(people=True)).people
        assert alone == show_contents(runtime, AT_TERMINAL, ContentsRequest()).people
        return alone

    assert people() == ()
    _create(runtime, "users/bob/MEMORY.md", "# Bob\n\n- Bob sails.\n- Bob sings.\n")
    _create(runtime, "users/bob/memory/2026-01-02.md", "# Log\n\n- Bob slept.\n")
    _create(runtime, "memory/2026-01-02.md", "# Log\n\n- The heron is called Otto.\n")
    workspace = Path(runtime.agent.workspace)
    (workspace / "Users" / "ana").mkdir(parents=True)
    (workspace / "Users" / "ana" / "MEMORY.md").write_text("# Ana\n\n- Ana runs.\n")
    assert [(one.name, one.entries) for one in people()] == [("ana", 1), ("bob", 3)]
    (workspace / "users" / "bob" / "MEMORY.md").unlink()
    (workspace / "Users" / "ana" / "MEMORY.md").write_text("# Ana\n\n- Ana runs.\n- Ana swims.\n")
    assert [(one.name, one.entries) for one in people()] == [("ana", 2), ("bob", 1)]


def _create(runtime: Runtime, path: str, text: str) -> None:
    runtime.workspace.apply(Change(Author.HAND, "saved", (Create(path, text.encode()),)))
