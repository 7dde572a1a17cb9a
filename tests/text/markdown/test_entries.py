"""What a person would call an entry, in the files that people really have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.markdown.documents import line_soup, realistic

from everself.text.markdown.blocks import scan
from everself.text.markdown.entries import EntrySpan, entries, heading_time


def told(data: bytes) -> list[tuple[str, bytes]]:
    return [(str(entry.kind), entry.text(data)) for entry in entries(data)]


def test_a_daily_log_has_one_entry_per_timed_section() -> None:
    data = (
        b"# Memory Log: 2026-03-19\n\n## [09:30:00] decision\n\nWe chose apsw.\n\n- because\n- of locks\n"
        b"<!-- everself: id=A src=owner -->\n\n## [10:05:09] note\n\nLunch.\n### Detail\nSoup.\n\n## [10:05:10] empty\n"
    )
    found = entries(data)
    assert [(entry.time, entry.category, entry.text(data)) for entry in found] == [
        ("09:30:00", "decision", b"We chose apsw.\n\n- because\n- of locks"),
        ("10:05:09", "note", b"Lunch.\n### Detail\nSoup."),
        ("10:05:10", "empty", b""),
    ]
    assert found[0].comment is not None
    assert found[0].comment.comment.id == "A"
    assert data[found[1].start : found[1].end] == b"## [10:05:09] note\n\nLunch.\n### Detail\nSoup.\n"
    assert found[0].path == ("Memory Log: 2026-03-19", "[09:30:00] decision")


def test_items_sections_and_paragraphs_elsewhere() -> None:
    data = (
        b"# Me\n\n- one\n  goes on\n  - sub\n\n  own paragraph\n- two\n\nAfter the list.\n\n## Text\n\nFirst.\n\nSecond.\n\n"
        b"| a | b |\n|---|---|\n\n```\n- code\n```\n\n## Parent\nIntro.\n### Child\nBody.\n\n## Empty\n"
    )
    assert told(data) == [
        ("item", b"one\n  goes on\n  - sub\n\n  own paragraph"),
        ("item", b"two"),
        ("paragraph", b"After the list."),
        ("section", b"First.\n\nSecond.\n\n| a | b |\n|---|---|\n\n```\n- code\n```"),
        ("section", b"Intro."),
        ("section", b"Body."),
    ]
    text, parent, child = entries(data)[3:]
    assert data[text.start :].startswith(b"## Text")
    assert data[parent.start :].startswith(b"Intro.")
    assert data[child.start : child.end] == b"### Child\nBody.\n"


def test_an_item_added_later_leaves_the_section_text_one_entry() -> None:
    before = told(b"## A\nFirst.\n\nSecond.\n")
    assert told(b"## A\nFirst.\n\nSecond.\n\n- new\n") == [*before, ("item", b"new")]


def test_without_any_heading_each_paragraph_is_an_entry() -> None:
    assert told(b"One\nline.\n\nTwo:\n\n```\nx\n```\n\n> said\n\n1. a\n2. b") == [
        ("paragraph", b"One\nline."),
        ("paragraph", b"Two:\n\n```\nx\n```\n\n> said"),
        ("item", b"a"),
        ("item", b"b"),
    ]


def test_dashes_separate_from_the_first_line_on() -> None:
    data = b"---\n\n## 02:14 UTC - Heartbeat\n\nHEARTBEAT_OK\n\n---\n\n## Notes\n\nA.\n\n---\n\nB.\n"
    assert told(data) == [("log", b"HEARTBEAT_OK"), ("section", b"A."), ("paragraph", b"B.")]


def test_front_matter_is_spanned_by_itself() -> None:
    assert told(b"---\ntitle: x\n---\n\nText.\n") == [("front_matter", b"---\ntitle: x\n---"), ("paragraph", b"Text.")]


def test_comments_of_other_tools_stay_part_of_the_text() -> None:
    data = b"- tea <!-- dc:type=event dc:importance=4.5 -->\n- mix <!-- everself: id=A --> <!-- dc:x=1 -->\n"
    first, second = entries(data)
    assert first.text(data) == b"tea <!-- dc:type=event dc:importance=4.5 -->"
    assert first.comment is None
    assert second.comment is not None
    assert second.text(data) == b"mix <!-- dc:x=1 -->"


@pytest.mark.parametrize(
    "data",
    [
        b"- a\n  - b <!-- everself: id=A -->\n",
        b"- a\n  <!-- everself: id=A -->\n",
        b"- a\n<!-- everself: id=A -->\n",
        b"## S\ntext\n\n<!-- everself: id=A -->\n",
        b"## S\ntext <!-- everself: id=A -->\n\n---\n",
        b"text\n<!-- everself: id=A -->",
        b"\xef\xbb\xbf- a <!-- everself: id=A -->\r\n",
    ],
)
def test_the_comment_is_found_where_people_leave_it(data: bytes) -> None:
    (entry,) = entries(data)
    assert entry.comment is not None
    assert entry.comment.comment.id == "A"
    assert b"everself" not in entry.text(data)


@pytest.mark.parametrize(
    "data",
    [
        b"- a\n\n<!-- everself: id=A -->\n",
        b"- `<!-- everself: id=A -->`\n",
        b"- a\n  ```\n  <!-- everself: id=A -->\n",
        b"- ```\n  <!-- everself: id=A -->\n",
        b"- > quoted <!-- everself: id=A -->\n",
        b"## S\n```\n<!-- everself: id=A -->\n",
        b"## S\ntext\n\n    <!-- everself: id=A -->\n",
        b"## 14:30\n- a <!-- everself: id=A -->\n",
        b"- a <!-- everself: id=A --> and more\n",
    ],
)
def test_a_comment_in_code_in_a_quotation_or_amid_words_is_nobodys(data: bytes) -> None:
    assert all(entry.comment is None for entry in entries(data))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"## 14:30\ntext\n<!-- everself: id=A -->\nmore\n", [("log", b"text"), ("paragraph", b"more")]),
        (
            b"## 14:30\n\ntext\n<!-- everself: id=A -->\n\nmore\n\nand more\n- item\n### Sub\nbody\n## 15:00\nnext\n",
            [
                ("log", b"text"),
                ("paragraph", b"more\n\nand more"),
                ("item", b"item"),
                ("section", b"body"),
                ("log", b"next"),
            ],
        ),
        (
            b"## 14:30\ntext\n<!-- everself: id=A -->\nother\n<!-- everself: id=B -->\n",
            [("log", b"text"), ("paragraph", b"other")],
        ),
        (b"- a <!-- everself: id=A -->\n  - added later\n", [("item", b"a"), ("item", b"added later")]),
        (b"- a <!-- everself: id=A -->\n  - b\n  - c\n- d\n", [("item", t) for t in (b"a", b"b", b"c", b"d")]),
        (b"- a <!-- everself: id=A -->\nlazy\n- b\n", [("item", b"a"), ("paragraph", b"lazy"), ("item", b"b")]),
        (
            b"# H\n- a <!-- everself: id=A -->\n  goes on\n\n  still\n",
            [("item", b"a"), ("paragraph", b"goes on\n\n  still")],
        ),
        (
            b"- a <!-- everself: id=A -->\nlazy\n\nPara\n",
            [("item", b"a"), ("paragraph", b"lazy"), ("paragraph", b"Para")],
        ),
        (b"text <!-- everself: id=A -->\nmore\n", [("paragraph", b"text"), ("paragraph", b"more")]),
        (b"## S\ntext <!-- everself: id=A -->\nmore\n", [("section", b"text"), ("paragraph", b"more")]),
        (b"## S\r\ntext <!-- everself: id=A -->\r\nmore\r\n", [("section", b"text"), ("paragraph", b"more")]),
        (
            "## [09:00:00] note\n\n→ MEMORY.md (entry:7K3QX9M2ABCD)\nmine\n".encode(),
            [("log", "→ MEMORY.md (entry:7K3QX9M2ABCD)".encode()), ("paragraph", b"mine")],
        ),
        (
            "## [09:00:00] note\n\n→ MEMORY.md (entry:7K3QX9M2ABCD)\n\nmine\n".encode(),
            [("log", "→ MEMORY.md (entry:7K3QX9M2ABCD)".encode()), ("paragraph", b"mine")],
        ),
    ],
)
def test_an_entry_ends_at_its_comment(data: bytes, expected: list[tuple[str, bytes]]) -> None:
    assert told(data) == expected
    marked = entries(data)[0]
    if marked.comment is not None:
        assert marked.comment.comment.id == "A"
        assert marked.comment.end <= marked.end


@pytest.mark.parametrize(
    ("text", "struck"),
    [
        (b"- ~~old~~\n", True),
        (b"- [x] ~~old~~\n", True),
        (b"- ~~old~~ <!-- dc:a=1 --> <!-- everself: id=A -->\n", True),
        (b"## A\n~~over\ntwo lines~~\n", True),
        (b"- ~~old~~ new\n", False),
        (b"- ~~a~~ and ~~b~~\n", False),
        (b"- ~~~~\n", False),
        (b"- ~~open\n", False),
        (b"- old\n", False),
    ],
)
def test_an_entry_is_struck_when_all_of_it_is(text: bytes, struck: bool) -> None:
    assert [entry.struck for entry in entries(text)] == [struck]


@pytest.mark.parametrize(
    ("title", "time", "rest"),
    [
        ("[09:30:00] decision", "09:30:00", "decision"),
        ("[09:30] note", "09:30:00", "note"),
        ("02:14 UTC - Heartbeat", "02:14:00", "UTC - Heartbeat"),
        ("14:30", "14:30:00", ""),
        ("9:05 stand-up", "09:05:00", "stand-up"),
        ("9:05 PM stand-up", "21:05:00", "stand-up"),
        ("12:00am", "00:00:00", ""),
        ("14:30-15:00 call", "14:30:00", "-15:00 call"),
        ("14:30:05Z", "14:30:05", "Z"),
        ("14：30 午饭", "14:30:00", "午饭"),
    ],
)
def test_a_title_may_begin_with_a_time(title: str, time: str, rest: str) -> None:
    assert heading_time(title)[:2] == (time, rest)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Notes",
        "24:00",
        "12:60",
        "1:1 with Bob",
        "16:9",
        "2026-03-19",
        "[draft]",
        "[12:00",
        "12:00:00:00",
        "12:30pages",
        "²:30",
    ],
)
def test_other_titles_are_not_taken_for_a_time(title: str) -> None:
    assert heading_time(title) == ("", title, False)


def test_the_same_section_twice_in_a_row_is_two_entries() -> None:
    once = b"## [10:00:00] note\n\nSame.\n\n"
    assert told(once * 2) == [("log", b"Same.")] * 2
    assert told(b"## A\nSame.\n" * 2) == [("section", b"Same.")] * 2


def test_several_first_level_headings_each_hold_their_own() -> None:
    assert told(b"# A\n- x\n# B\n- y\n") == [("item", b"x"), ("item", b"y")]


def test_an_unbalanced_fence_takes_the_rest_with_it() -> None:
    assert told(b"## A\ntext\n```\n\n## [10:00:00] lost\n- x") == [("section", b"text\n```\n\n## [10:00:00] lost\n- x")]


def test_noise_and_raw_transcripts_are_spanned_too() -> None:
    data = b"# Session\n\nuser: hi\nassistant: NO_REPLY\n\n```json\n{}\n```\n"
    assert told(data) == [("section", b"user: hi\nassistant: NO_REPLY\n\n```json\n{}\n```")]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_ends_and_a_missing_last_one_make_no_difference(newline: bytes) -> None:
    data = b"\xef\xbb\xbf- a\x00b\n- bad \xff\xfe\n\n## 14:30\n\nlast".replace(b"\n", newline)
    assert told(data) == [("item", b"a\x00b"), ("item", b"bad \xff\xfe"), ("log", b"last")]


def test_a_huge_line_is_one_entry() -> None:
    data = b"- " + b"word " * 1_000_000
    (entry,) = entries(data)
    assert entry.text_end == len(data) - 1


def assert_sound(data: bytes, found: tuple[EntrySpan, ...]) -> None:
    reached = 0
    for entry in found:
        assert reached <= entry.start < entry.end
        assert entry.start <= entry.text_start <= entry.text_end <= entry.end
        assert entry.first_line <= entry.last_line
        reached = entry.end
    assert reached <= len(data)


@given(st.one_of(st.binary(max_size=300), line_soup.map(str.encode), realistic.map(str.encode)))
def test_spans_are_in_order_and_never_overlap(data: bytes) -> None:
    assert_sound(data, entries(data))


@given(st.one_of(line_soup, realistic))
def test_no_words_are_left_outside_the_entries(text: str) -> None:
    data = text.encode()
    scanned = scan(data)
    spans = entries(scanned)
    for block in scanned.blocks:
        inside = any(entry.start <= block.start and block.end <= entry.end for entry in spans)
        assert inside or block.kind in ("blank", "thematic_break", "comment", "heading")
