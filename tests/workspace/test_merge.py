"""Carrying a change over to a text that somebody else changed too."""

from hypothesis import given
from hypothesis import strategies as st

from everself.workspace.merge import merge

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"- tea\n"]), max_size=12).map(b"".join)


def test_edits_in_different_places_both_stay() -> None:
    assert merge(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n") == b"A\nb\nC\n"


def test_two_additions_at_the_end_both_stay() -> None:
    assert merge(b"log\n", b"log\nmine\n", b"log\nyours\n") == b"log\nyours\nmine\n"


def test_taking_back_a_line_leaves_the_one_added_after_it() -> None:
    assert merge(b"log\none\n", b"log\none\ntwo\n", b"log\n") == b"log\ntwo\n"


def test_the_same_line_changed_twice_is_a_conflict() -> None:
    assert merge(b"a\nb\nc\n", b"a\nX\nc\n", b"a\nY\nc\n") is None


def test_the_same_change_made_twice_is_made_once() -> None:
    assert merge(b"a\nb\n", b"a\nX\n", b"a\nX\n") == b"a\nX\n"


def test_a_line_without_newline_at_the_end() -> None:
    assert merge(b"a\nb", b"A\nb", b"a\nb\nc\n") == b"A\nb\nc\n"


def test_lines_that_the_person_removed_are_not_brought_back_by_an_edit_elsewhere() -> None:
    assert merge(b"a\nb\nc\nd\n", b"a\nc\nd\n", b"a\nb\nc\nD\n") == b"a\nc\nD\n"


def test_an_empty_line_alone_does_not_say_where_something_stood() -> None:
    base, ours = b"# Log\n\none\n\n", b"# Log\n\none\n\ntwo\n"
    theirs = b"# Log\n\nthree:\n\n- a\n- b\n\nfour\n"
    assert merge(base, theirs, ours) == b"# Log\n\nthree:\n\n- a\n- b\n\nfour\ntwo\n"


@given(LINES, LINES)
def test_one_side_unchanged_yields_the_other(base: bytes, other: bytes) -> None:
    assert merge(base, base, other) == other
    assert merge(base, other, base) == other


@given(LINES, LINES, st.lists(st.sampled_from([b"mine 1\n", b"mine 2\n"]), min_size=1, max_size=3), st.integers(0, 12))
def test_no_line_that_the_person_added_is_ever_lost(base: bytes, ours: bytes, mine: list[bytes], at: int) -> None:
    lines = base.splitlines(keepends=True)
    theirs = b"".join([*lines[:at], *mine, *lines[at:]])
    result = merge(base, theirs, ours)
    assert result is None or all(result.count(line) == theirs.count(line) for line in set(mine))
