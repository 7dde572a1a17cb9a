"""What is read for a prompt, in which order, and what is told of it where something is amiss."""

from datetime import date

from tests.conversation.context.tables import BEFORE, SOUL, TODAY, YESTERDAY, Table

from everself.conversation.context._sources import DocumentReader, Material, Viewer, recent_days
from everself.conversation.context.budget import Slot
from everself.search.scopes import Scope, SessionKind
from everself.values import Document

DAY = date(2026, 3, 19)


def gather(files: dict[str, str], scope: Scope | None = None) -> Material:
    table = Table(files)
    viewer = Viewer(scope or Scope(SessionKind.MAIN))
    return DocumentReader(table).gather(viewer, recent_days(DAY, 48), table.speaker())


def test_recent_are_today_and_yesterday_of_the_humans_day() -> None:
    assert recent_days(DAY, 48) == (DAY, date(2026, 3, 18))
    assert recent_days(DAY, 24) == (DAY,)
    assert recent_days(DAY, 1) == (DAY,)
    assert recent_days(DAY, 49) == (DAY, date(2026, 3, 18), date(2026, 3, 17))


def test_the_newest_day_comes_first_and_its_log_before_its_notes() -> None:
    files = dict.fromkeys((BEFORE, YESTERDAY, TODAY, "memory/2026-03-19-tea.md", "memory/garden.md"), "- words\n")
    paths = [one.path for one in gather(files).slots[Slot.RECENT]]
    assert paths == [TODAY, "memory/2026-03-19-tea.md", YESTERDAY]


def test_the_other_spelling_of_the_core_memory_is_read_where_there_is_no_first() -> None:
    assert [one.path for one in gather({"memory.md": "- words\n"}).slots[Slot.LONGTERM]] == ["memory.md"]
    both = gather({"memory.md": "- words\n", "MEMORY.md": "- others\n"})
    assert [one.path for one in both.slots[Slot.LONGTERM]] == ["MEMORY.md"]


def test_what_a_session_should_have_and_has_not_is_missing() -> None:
    assert set(gather({"SOUL.md": SOUL}).missing) == {"AGENTS.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md"}
    assert set(gather({}, Scope(SessionKind.SUBAGENT)).missing) == {"AGENTS.md", "TOOLS.md"}


def test_a_document_seen_in_parts_says_so() -> None:
    text = "# Memory\n\n- secret\n\n## Shared\n<!-- share: group -->\n\n- open\n"
    (seen,) = gather({"MEMORY.md": text}, Scope(SessionKind.GROUP)).slots[Slot.LONGTERM]
    assert seen.partly
    assert b"secret" not in seen.data
    (whole,) = gather({"MEMORY.md": text}).slots[Slot.LONGTERM]
    assert not whole.partly


def test_a_document_that_was_not_read_to_its_end_is_told() -> None:
    class Long(Table):
        def find(self, path: str) -> Document | None:
            return Document(path, b"- words\n", cut=1_000) if path == "USER.md" else None

    table = Long({"USER.md": "- words\n"})
    made = DocumentReader(table).gather(Viewer(Scope(SessionKind.MAIN)), (DAY,), table.speaker())
    assert made.notices == ("USER.md is larger than Everself reads; its last 1,000 bytes are not in the prompt.",)
