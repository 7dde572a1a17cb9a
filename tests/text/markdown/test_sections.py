"""Sections: ranges with and without sub-sections, titles as read, and the sharing label."""

from itertools import pairwise

import pytest
from hypothesis import given
from tests.text.markdown.documents import realistic

from everself.text.markdown.blocks import scan
from everself.text.markdown.sections import sections


def titles(data: bytes) -> list[str]:
    return [section.title for section in sections(scan(data))]


def test_sections_nest_by_level_and_know_their_own_part() -> None:
    data = b"pre\n\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne"
    found = sections(scan(data))
    assert [section.path for section in found] == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("E",)]
    assert [data[section.start : section.own_end] for section in found] == [
        b"# A\na\n",
        b"## B\nb\n",
        b"### C\nc\n",
        b"## D\nd\n",
        b"# E\ne",
    ]
    assert data[found[0].start : found[0].end] == b"# A\na\n## B\nb\n### C\nc\n## D\nd\n"
    assert data[found[1].body : found[1].end] == b"b\n### C\nc\n"
    assert [(section.first_line, section.last_line) for section in found] == [
        (3, 10),
        (5, 8),
        (7, 8),
        (9, 10),
        (11, 12),
    ]


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"## Plain ##  \n", "Plain"),
        (b"# C#\n", "C#"),
        (b"#\n", ""),
        (b"## ##\n", ""),
        (b"Two\nlines\n=====\n", "Two lines"),
        (b"\xef\xbb\xbf# Marked\r\n", "Marked"),
        (b"## Deploy <!-- dc:type=event --> <!-- x -->\n", "Deploy"),
        (b"# bad \xff byte\n", "bad \ufffd byte"),
        ("## 记忆 🧠\n".encode(), "记忆 🧠"),
    ],
)
def test_a_title_is_what_a_reader_sees(data: bytes, title: str) -> None:
    assert titles(data) == [title]


def test_headings_in_items_quotes_and_fences_make_no_section() -> None:
    assert titles(b"- # a\n\n> # b\n\n```\n# c\n```\n\n# d\n") == ["d"]


def test_a_deep_heading_first_and_several_of_the_first_level() -> None:
    found = sections(scan(b"### a\n# b\n# b\n"))
    assert [section.path for section in found] == [("a",), ("b",), ("b",)]


@pytest.mark.parametrize(
    ("under", "share"),
    [
        (b"<!-- share: group, subagent -->\ntext\n", ("group", "subagent")),
        (b"\n<!--share:group-->\n", ("group",)),
        (b"text\n<!-- share: group -->\n", ()),
        (b"<!-- share: group --> text\n", ()),
        (b"<!-- share: gro up -->\n", ()),
        (b"<!-- share: -->\n", ()),
        (b"<!-- share: group\n", ()),
        (b"<!-- shared: group -->\n", ()),
        (b"<!-- share: group --> <!-- x -->\n", ()),
        (b"- <!-- share: group -->\n", ()),
        (b"```\n<!-- share: group -->\n```\n", ()),
        (b"", ()),
    ],
)
def test_only_a_clean_label_directly_under_the_heading_shares(under: bytes, share: tuple[str, ...]) -> None:
    assert sections(scan(b"## A\n" + under))[0].share == share


@given(realistic)
def test_own_parts_tile_everything_after_the_first_heading(text: str) -> None:
    data = text.encode()
    found = sections(scan(data))
    for section, following in pairwise(found):
        assert section.own_end == following.start
        assert section.own_end <= section.end
        assert following.level > section.level or section.end == section.own_end
    if found:
        assert found[-1].own_end == found[-1].end == len(data)
