"""No entry vanishes unless a human wants it; what only adds to a log is judged by what it adds."""

import pytest

from everself.values import Author, Change, FileChange
from everself.workspace.guards import added_section, shrink_guard

LOG = b"# Memory Log: 2026-01-02\n\n## [10:00:00] note\n\nTea.\n<!-- everself: id=AAAAAAAAAAAA -->\n"
MORE = b"\n## [11:00:00] note\n\nCake.\n<!-- everself: id=BBBBBBBBBBBB -->\n"
KEEPER = Change(Author.KEEPER, "", ())


def judged(*files: FileChange) -> list[str]:
    return list(shrink_guard(KEEPER, files))


def test_a_section_behind_the_last_entry_is_all_that_is_read() -> None:
    assert added_section(FileChange("memory/2026-01-02.md", LOG, LOG + MORE)) == MORE
    assert judged(FileChange("memory/2026-01-02.md", LOG, LOG + MORE)) == []


def test_a_record_that_no_comment_ends_is_read_no_further_either() -> None:
    records = b"# Conflicts\n\n## [10:00:00] Conflict open on 2026-01-02\n\n- older: I live in York.\n"
    assert added_section(FileChange("CONFLICTS.md", records, records + MORE)) == MORE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LOG, LOG + b"more of the same\n"),
        (LOG, LOG + b"    indented\n"),
        (LOG.removesuffix(b"\n"), LOG + MORE),
        (b"```\n" + LOG, b"```\n" + LOG + MORE),
        (b"~~~\n" + LOG, b"~~~\n" + LOG + MORE),
        (LOG + b"\nLast words", LOG + b"\nLast words" + MORE),
        (b"# Notes\n\n<!-- open\n", b"# Notes\n\n<!-- open\n" + MORE),
        (b"---\ntitle: x\n", b"---\ntitle: x\n" + MORE),
        (LOG, LOG.replace(b"Tea", b"Tee") + MORE),
        (LOG + MORE, LOG),
        (LOG, None),
        (None, LOG),
    ],
)
def test_whatever_else_is_done_is_read_whole(before: bytes | None, after: bytes | None) -> None:
    assert added_section(FileChange("memory/2026-01-02.md", before, after)) is None


def test_what_leaves_one_log_may_arrive_behind_another() -> None:
    there = FileChange("memory/2026-01-03.md", LOG.replace(b"AAAA", b"CCCC"), LOG.replace(b"AAAA", b"CCCC") + MORE)
    assert judged(FileChange("memory/2026-01-02.md", LOG + MORE, LOG), there) == []


def test_what_arrives_under_another_id_does_not_make_up_for_what_left() -> None:
    other = MORE.replace(b"BBBB", b"DDDD")
    there = FileChange("memory/2026-01-03.md", LOG.replace(b"AAAA", b"CCCC"), LOG.replace(b"AAAA", b"CCCC") + other)
    assert judged(FileChange("memory/2026-01-02.md", LOG + MORE, LOG), there) != []


def test_an_entry_that_goes_is_missed() -> None:
    assert judged(FileChange("memory/2026-01-02.md", LOG + MORE, LOG)) == [
        "1 of 2 entries would be lost without a tombstone or an archive."
    ]
