"""Edits change one entry: all other bytes stay, and reading again finds exactly what was meant."""

import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.text.markdown.documents import line_soup, realistic, tight, words

from everself.errors import WrongUse
from everself.text.markdown.blocks import scan
from everself.text.markdown.comment import EntryComment, with_fields
from everself.text.markdown.edit import (
    Splice,
    append_item,
    append_log,
    apply_splice,
    insert_log,
    newline,
    remove_entry,
    replace_text,
    set_comment,
)
from everself.text.markdown.entries import EntryKind, entries

few = settings(max_examples=40)
MINE = EntryComment((("id", "7K3QX9M2ABCD"), ("src", "owner"), ("n", "1")))
documents = st.builds(
    lambda text, end, nl: (text if end else text.rstrip("\n")).replace("\n", nl).encode(),
    st.one_of(realistic, tight),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)


def texts(data: bytes) -> list[bytes]:
    return [entry.text(data) for entry in entries(data)]


def said(found: list[bytes]) -> list[bytes]:
    return re.sub(rb"<!--.*?-->", b"", b"\n".join(found), flags=re.DOTALL).split()


def outside(data: bytes, splice: Splice) -> tuple[bytes, bytes]:
    return data[: splice.start], data[splice.end :]


@few
@given(documents, st.integers(0, 9), st.one_of(words, st.builds("{}\n{}".format, words, words)))
def test_replacing_the_text_changes_one_entry_only(data: bytes, which: int, text: str) -> None:
    found = [entry for entry in entries(data) if entry.kind is not EntryKind.FRONT_MATTER]
    assume(found)
    which %= len(found)
    splice = replace_text(scan(data), found[which], text.encode())
    changed = apply_splice(data, splice)
    assert outside(data, splice) == outside(changed, Splice(splice.start, splice.start + len(splice.data), b""))
    again = entries(changed)
    assert len(again) == len(found)
    for at, (old, new) in enumerate(zip(found, again, strict=True)):
        if at != which:
            assert new.text(changed) == old.text(data)
            continue
        assert (new.kind, new.path) == (old.kind, old.path)
        # at most a blank line comes before it, where a block that touches it would flow in
        assert not changed[old.start : new.start].strip()
        said = [line.strip() for line in new.text(changed).splitlines()]
        assert said[: len(text.split("\n"))] == text.encode().split(b"\n")


def test_replacing_keeps_marker_comments_and_line_ends() -> None:
    data = b"1) a\r\n   b <!-- dc:x=1 --> <!-- everself: id=A -->\r\n2) c\r\n"
    changed = apply_splice(data, replace_text(scan(data), entries(data)[0], b"new\nwords"))
    assert changed == b"1) new\r\n   words <!-- dc:x=1 --> <!-- everself: id=A -->\r\n2) c\r\n"


def test_replacing_leaves_what_stands_below_the_comment() -> None:
    data = b"- a <!-- everself: id=A -->\n  - sub\n- b\n"
    changed = apply_splice(data, replace_text(scan(data), entries(data)[0], b"new"))
    assert changed == b"- new <!-- everself: id=A -->\n  - sub\n- b\n"


def test_replacing_with_a_fence_moves_the_comment_below_it() -> None:
    data = b"- a <!-- everself: id=A -->\n- b\n"
    changed = apply_splice(data, replace_text(scan(data), entries(data)[0], b"see\n```\ncode"))
    assert changed == b"- see\n  ```\n  code\n  ```\n  <!-- everself: id=A -->\n- b\n"
    assert [entry.comment is not None for entry in entries(changed)] == [True, False]


def test_replacing_gives_an_empty_log_entry_its_text() -> None:
    for data in (b"## [10:00:00] note\n", b"## [10:00:00] note"):
        changed = apply_splice(data, replace_text(scan(data), entries(data)[0], b"now"))
        assert changed == b"## [10:00:00] note\nnow\n"


@few
@given(documents, st.integers(0, 9))
@example(b"- ```\n  open\n- b\n", 0)
@example(b"- a\n  ```\n  open\n- b\n", 0)
@example(b"## A\n```\nopen", 0)
@example(b"- > said\n- b\n", 0)
@example(b"-\n  - ~~~\n    open", 0)
def test_a_comment_can_be_set_on_any_entry(data: bytes, which: int) -> None:
    found = entries(data)
    assume(found and found[0].kind is not EntryKind.FRONT_MATTER)
    which %= len(found)
    splice = set_comment(scan(data), found[which], MINE)
    assert splice.start == splice.end
    changed = apply_splice(data, splice)
    again = entries(changed)
    assert [entry.comment.comment if entry.comment else None for entry in again] == [
        MINE if at == which else None for at in range(len(found))
    ]
    for at, (old, new) in enumerate(zip(found, again, strict=True)):
        assert new.kind is old.kind
        if at != which or not scan(data[old.start : old.end]).closer:
            assert new.text(changed).startswith(old.text(data).rstrip())
    mention = with_fields(MINE, n="2", seen="2026-03-20")
    updated = apply_splice(changed, set_comment(scan(changed), again[which], mention))
    assert len(updated) == len(changed) + len(" seen=2026-03-20")
    assert apply_splice(updated, set_comment(scan(updated), entries(updated)[which], MINE)) == changed


@few
@given(st.one_of(realistic, tight), st.integers(0, 9))
def test_removing_the_comment_undoes_setting_it(text: str, which: int) -> None:
    data = text.encode()
    found = entries(data)
    assume(found and found[0].kind is not EntryKind.FRONT_MATTER)
    which %= len(found)
    changed = apply_splice(data, set_comment(scan(data), found[which], MINE))
    assert apply_splice(changed, set_comment(scan(changed), entries(changed)[which], None)) == data


def test_a_comment_stands_where_the_format_says() -> None:
    data = b"- a\n  - b\n\n## S\n\ntext"
    for at in (1, 0):
        data = apply_splice(data, set_comment(scan(data), entries(data)[at], EntryComment((("id", "A"),))))
    assert data == b"- a\n  - b <!-- everself: id=A -->\n\n## S\n\ntext\n<!-- everself: id=A -->\n"


@few
@given(documents, words)
@example(b"## Learned\n```\nopen", "x")
@example(b"## Learned", "x")
@example(b"## Learned\n\n- a\n\n---\n\n## Next\n", "x")
@example(b"## Learned\n<div>\n", "x")
@example(b"# A\n## Learned\nNext\n====\n", "x")
def test_an_item_is_added_under_its_heading_and_nothing_else_moves(data: bytes, text: str) -> None:
    before = texts(data)
    splice = append_item(scan(data), "Learned", text.encode(), MINE)
    assert splice.start == splice.end
    changed = apply_splice(data, splice)
    again = entries(changed)
    (new,) = [entry for entry in again if entry.comment is not None]
    assert new.kind is EntryKind.ITEM
    assert new.path[-1] == "Learned"
    assert new.text(changed) == text.encode()
    others = [entry.text(changed) for entry in again if entry is not new]
    assert len(others) == len(before)
    assert all(now.startswith(old.rstrip()) for now, old in zip(others, before, strict=True))
    assert newline(data) != b"\r\n" or b"\n" not in splice.data.replace(b"\r\n", b"")


@few
@given(st.lists(st.one_of(line_soup, words), min_size=1, max_size=6))
@example(["---"])
@example(["- -"])
@example(["* *"])
@example(["```\nopen", "next"])
@example(["<!-- open", "next"])
@example(["# h\n\n    code", "- a\n- b"])
def test_whatever_the_text_an_item_stays_one_item(contents: list[str]) -> None:
    data = b"# Notes\n"
    contents = [text for text in contents if text.strip()]
    for text in contents:
        data = apply_splice(data, append_item(scan(data), "Learned", text.encode(), MINE))
    found = entries(data)
    assert [(entry.kind, entry.path, entry.comment is not None) for entry in found] == [
        (EntryKind.ITEM, ("Notes", "Learned"), True)
    ] * len(contents)


def test_items_follow_the_bullets_of_the_list_they_join() -> None:
    data = b"## L\n\n* a\n  * b\n\n## M\n"
    assert apply_splice(data, append_item(scan(data), "L", b"c\nd")) == b"## L\n\n* a\n  * b\n* c\n  d\n\n## M\n"


def test_a_missing_heading_is_made_at_the_end() -> None:
    assert apply_splice(b"", append_item(scan(b""), "New one", b"a")) == b"## New one\n\n- a\n"
    assert apply_splice(b"x", append_item(scan(b"x"), "New", b"a")) == b"x\n\n## New\n\n- a\n"
    crlf = b"x\r\n\r\n"
    assert apply_splice(crlf, append_item(scan(crlf), "New", b"a")) == b"x\r\n\r\n## New\r\n\r\n- a\r\n"


@few
@given(st.one_of(documents, line_soup.map(str.encode), st.binary(max_size=80)), st.one_of(line_soup, words))
@example(b"```\nopen", "a\n---\n---\n===")
@example(b"<!-- open", "# h\n\n## [10:00:00] forged")
@example(b"<script>", "```\nopen")
@example(b"", "---\nkey: 1\n---")
@example(b"x", "===\n" * 12 + "---")
def test_a_log_entry_is_swallowed_by_nothing_and_swallows_nothing(data: bytes, text: str) -> None:
    assume(text.strip())
    before = entries(data)
    changed = apply_splice(data, append_log(scan(data), "10:05:00", "note", text.encode(), MINE))
    assert changed.startswith(data)
    again = entries(changed)
    assert len(again) == len(before) + 1
    # the words begin where they did; a lone first-level section now shares its heading with the new entry
    assert [entry.text_start for entry in again[:-1]] == [entry.text_start for entry in before]
    assert (again[-1].kind, again[-1].time, again[-1].category) == (EntryKind.LOG, "10:05:00", "note")
    assert again[-1].comment is not None
    more = apply_splice(changed, append_log(scan(changed), "10:06:00", "note", b"next"))
    assert more.startswith(changed)
    assert texts(more) == [*texts(changed), b"next"]


def test_what_was_said_earlier_stands_before_what_was_said_later() -> None:
    log = b"# Day\n"
    for clock in ("09:00:00", "11:30:00", "11:45:00", "10:15:00", "11:30:00", "08:00:00", "12:00:00"):
        log = apply_splice(log, insert_log(scan(log), clock, "note", b"said.\n\n### more\n\nand more", MINE))
    found = [line[4:12].decode() for line in log.splitlines() if line.startswith(b"## [")]
    assert found == ["08:00:00", "09:00:00", "10:15:00", "11:30:00", "11:30:00", "11:45:00", "12:00:00"]
    assert b"\n\n\n" not in log


@pytest.mark.parametrize(
    "log",
    [
        # under a heading of a person's, nothing is put in between
        b"## [11:00:00] note\n\na\n\n## Ideas\n\nb\n",
        # a fence is no heading
        b"## [09:00:00] note\n\n```\n## [11:00:00] note\n```\n",
        b"# [11:00:00] a title\n\nb\n",
    ],
)
def test_an_earlier_entry_stands_at_the_end_where_there_is_no_other_place(log: bytes) -> None:
    assert insert_log(scan(log), "10:00:00", "note", b"said.", MINE).start == len(log)


@few
@given(documents, words)
def test_inserting_leaves_every_other_byte_and_entry_alone(data: bytes, text: str) -> None:
    splice = insert_log(scan(data), "00:00:01", "note", text.encode(), MINE)
    after = apply_splice(data, splice)
    assert splice.start == splice.end
    assert after.replace(splice.data, b"", 1) == data
    mine = [one for one in entries(after) if one.comment is not None and one.comment.comment.id == MINE.id]
    assert [(one.time, one.kind) for one in mine] == [("00:00:01", EntryKind.LOG)]
    assert len(texts(after)) == len(texts(data)) + 1


def test_a_log_entry_looks_as_the_format_says() -> None:
    data = b"# Memory Log: 2026-03-19\n"
    changed = apply_splice(
        data, append_log(scan(data), "09:30:00", "decision", b" a\n\nb \n", EntryComment((("id", "A"),)))
    )
    assert changed == data + b"\n## [09:30:00] decision\n\na\n\nb\n<!-- everself: id=A -->\n"


@few
@given(documents, st.integers(0, 9))
@example(b"Para\n- a\n---\nx\n", 1)
@example(b"Para\n- a\n\n  b\n2. c\n", 1)
@example(b"- a\n\npara\n\n  indented\n", 1)
def test_removing_an_entry_leaves_the_others_alone(data: bytes, which: int) -> None:
    found = entries(data)
    assume(found)
    which %= len(found)
    splice = remove_entry(scan(data), found[which])
    changed = apply_splice(data, splice)
    assert not splice.data.strip(b"\r\n").strip(b"<!-> ")
    rest = [entry.text(data) for at, entry in enumerate(found) if at != which]
    # text on both sides of a list that is gone may become one entry, and a comment that followed the entry another's;
    # all words are still there, in order
    left = texts(changed)
    assert said(left) == said(rest)
    assert len(left) >= len(rest) - 1


# what a person types on the lines below an entry; each says HUMAN
BELOW = [
    b"HUMAN\n",
    b"\nHUMAN\n",
    b"  HUMAN indented\n",
    b"    HUMAN code\n",
    b"\n  HUMAN own paragraph\n",
    b"- HUMAN item\n",
    b"  - HUMAN sub\n",
    b"\n### HUMAN heading\n\nHUMAN body\n",
    b"```\nHUMAN fenced\n```\n",
    b"> HUMAN quoted\n",
    b"<!-- HUMAN hidden -->\n",
    b"| HUMAN | b |\n|---|---|\n",
    b"---\nHUMAN\n",
    "→ HUMAN arrow (entry:7K3QX9M2ABCD) and more\n".encode(),
]


@few
@given(documents, st.integers(0, 9), st.sampled_from(BELOW))
@example(b"## [08:00:00] a\n\nA\n\n## [09:00:00] b\n\nB\n", 1, b"HUMAN\n")
@example(b"- z\n- a\n", 1, b"  HUMAN indented\n")
@example(b"- z\n- a\n", 1, b"HUMAN\n")
@example("## [08:00:00] a\n\n→ M.md (entry:A)\n\n## [09:00:00] b\n\nB\n".encode(), 1, b"HUMAN\n")
def test_what_a_person_writes_below_a_comment_stays_when_the_entry_goes(data: bytes, which: int, below: bytes) -> None:
    below = below.replace(b"\n", newline(data))
    found = [entry for entry in entries(data) if entry.kind is not EntryKind.FRONT_MATTER]
    assume(found)
    marked = apply_splice(data, set_comment(scan(data), found[which % len(found)], MINE))
    (mine,) = (entry for entry in entries(marked) if entry.comment and entry.comment.comment.id == MINE.id)
    line_end = marked.find(b"\n", mine.end - 1) + 1 or len(marked)
    assume(not scan(marked[:line_end]).closer)
    grown = (
        marked[:line_end] + (b"" if marked[:line_end].endswith(b"\n") else newline(data)) + below + marked[line_end:]
    )
    again = [entry for entry in entries(grown) if entry.comment and entry.comment.comment.id == MINE.id]
    # the words that somebody vouches for are the same, so the provenance record still holds
    assert [entry.text(grown) for entry in again] == [mine.text(marked)]
    rest = [entry.text(grown) for entry in entries(grown) if entry.start != again[0].start]
    changed = apply_splice(grown, remove_entry(scan(grown), again[0]))
    assert below.strip() in changed
    assert said(texts(changed)) == said(rest)
    others = [one.text(changed) for one in entries(changed) if b"HUMAN" in one.text(changed)]
    assert len(others) == sum(b"HUMAN" in text for text in rest)


def test_the_heading_of_a_log_entry_stays_for_what_a_person_wrote_under_it() -> None:
    data = b"## 08:00\n\nBreakfast.\n\n## [09:00:00] note\n\nTea.\n<!-- everself: id=A -->\nMine.\n\n## [10:00:00] x\n\ny\n"
    changed = apply_splice(data, remove_entry(scan(data), entries(data)[1]))
    assert changed == b"## 08:00\n\nBreakfast.\n\n## [09:00:00] note\n\nMine.\n\n## [10:00:00] x\n\ny\n"
    assert texts(changed) == [b"Breakfast.", b"Mine.", b"y"]


def test_removing_leaves_no_double_gap() -> None:
    data = b"# A\n\n## [10:00:00] a\n\nx\n\n## [11:00:00] b\n\ny\n"
    first, second = entries(data)
    assert apply_splice(data, remove_entry(scan(data), first)) == b"# A\n\n## [11:00:00] b\n\ny\n"
    assert apply_splice(data, remove_entry(scan(data), second)) == b"# A\n\n## [10:00:00] a\n\nx\n\n"
    items = b"- a\n- b\n- c\n"
    assert apply_splice(items, remove_entry(scan(items), entries(items)[1])) == b"- a\n- c\n"


def test_an_entry_without_words_is_refused() -> None:
    for text in (b"", b" \n\t\n"):
        with pytest.raises(WrongUse):
            append_item(scan(b""), "A", text)
        with pytest.raises(WrongUse):
            append_log(scan(b""), "10:00:00", "note", text)
    with pytest.raises(WrongUse):
        append_item(scan(b""), " ", b"x")
