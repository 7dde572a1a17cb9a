"""The entry comment: read and written without loss, deaf to anything malformed, and not to be forged."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everself.errors import WrongUse
from everself.text.markdown.comment import (
    KEYS,
    EntryComment,
    escape_forged,
    find_comment,
    parse_comment,
    render_comment,
    with_fields,
)
from everself.text.markdown.entries import entries
from everself.text.markdown.sections import parse_share

CANONICAL = b"<!-- everself: id=7K3QX9M2ABCD tag=decision conf=0.95 src=owner seen=2026-03-19 n=2 -->"

_keys = st.one_of(st.sampled_from(KEYS[1:]), st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)).filter(
    lambda k: k != "id"
)
_values = st.text(st.characters(codec="utf-8"), max_size=12)
_comments = st.builds(
    lambda fields, name: EntryComment((("id", name), *fields.items())),
    st.dictionaries(_keys, _values, max_size=5),
    _values.filter(bool),
)


def test_the_canonical_comment_is_read_and_written_as_it_stands() -> None:
    comment = parse_comment(CANONICAL)
    assert comment is not None
    assert comment.id == "7K3QX9M2ABCD"
    assert comment.get("seen") == "2026-03-19"
    assert comment.get("who") == ""
    assert render_comment(comment) == CANONICAL


@given(_comments)
@example(EntryComment((("id", "a--b---c>-"), ("x", "\x00\n\u200b `<"))))
def test_rendering_and_parsing_are_inverse(comment: EntryComment) -> None:
    raw = render_comment(comment)
    again = parse_comment(raw)
    assert again is not None
    assert dict(again.fields) == dict(comment.fields)
    assert render_comment(again) == raw
    inner = raw.removeprefix(b"<!--").removesuffix(b"-->")
    assert b"--" not in inner
    assert b">" not in inner
    assert b"\n" not in inner
    assert find_comment(b"text " + raw, 0, len(raw) + 5) is not None


def test_half_a_character_is_written_as_a_whole_one_and_read_as_no_comment() -> None:
    raw = render_comment(EntryComment((("id", "A"), ("who", "a\ud800\udcffb"))))
    assert parse_comment(raw) == EntryComment((("id", "A"), ("who", "a\ufffd\ufffdb")))
    assert parse_comment(b"<!-- everself: id=A who=a%ED%A0%80 -->") is None
    assert parse_comment(b"<!-- everself: id=A who=a%FF -->") is None


def test_unknown_keys_stay_in_place_when_read_and_go_last_when_written() -> None:
    comment = parse_comment(b"<!--everself: zeta=1 n=2\tid=A alpha=%20x -->")
    assert comment == EntryComment((("zeta", "1"), ("n", "2"), ("id", "A"), ("alpha", " x")))
    assert render_comment(comment) == b"<!-- everself: id=A n=2 zeta=1 alpha=%20x -->"


def test_with_fields_sets_adds_and_removes() -> None:
    comment = EntryComment((("id", "A"), ("n", "1"), ("odd", "x")))
    changed = with_fields(comment, n="2", seen="2026-03-20", odd=None, from_="msg:1", copy_of="a.md")
    assert dict(changed.fields) == {"id": "A", "n": "2", "seen": "2026-03-20", "from": "msg:1", "copy-of": "a.md"}
    assert comment.get("n") == "1"


def test_a_copy_header_needs_no_id() -> None:
    comment = parse_comment(b"<!-- everself: copy-of=memory/2026-01-01.md sha=abc -->")
    assert comment is not None
    assert comment.get("copy-of") == "memory/2026-01-01.md"


@pytest.mark.parametrize(
    "raw",
    [
        b"<!-- everself: id=A",
        b"<!-- everself: id=A --",
        b"everself: id=A -->",
        b"<!-- everself: -->",
        b"<!-- everself: tag=decision -->",
        b"<!-- everself: id= -->",
        b"<!-- everself: id=A id=B -->",
        b"<!-- everself: id=A word -->",
        b"<!-- everself: id=A =x -->",
        b"<!-- everself: id=A K\xc3\x89Y=x -->",
        b"<!-- everself: id=\xff -->",
        b"<!-- everself: id=%FF -->",
        b"<!-- everself: id=A -- n=2 -->",
        b"<!-- everself: id=A > n=2 -->",
        b"<!-- everself: id=A\nn=2 -->",
        b"<!-- other: id=A -->",
        b"<!-->",
        b"<!--->",
        b"",
        b"<!-- everself: id=" + b"A" * 1_000_000 + b" -->",
    ],
    ids=lambda raw: repr(raw[:40]),
)
def test_what_is_malformed_is_plain_text(raw: bytes) -> None:
    assert parse_comment(raw) is None
    assert find_comment(b"- x " + raw, 0, len(raw) + 4) is None


@given(st.binary(max_size=60))
def test_no_bytes_crash_the_reader(noise: bytes) -> None:
    parse_comment(noise)
    parse_comment(b"<!-- everself: id=A " + noise + b" -->")
    find_comment(noise, 0, len(noise))


def test_only_other_comments_may_follow_ours() -> None:
    mine = b"<!-- everself: id=A -->"
    for after in (b"", b"  \r\n", b" <!-- dc:type=event -->", b"\n<!-- b -->\n"):
        data = b"x " + mine + after
        found = find_comment(data, 0, len(data))
        assert found is not None
        assert data[found.start : found.end] == mine
    assert find_comment(b"x " + mine + b" y", 0, 40) is None
    assert find_comment(b"`" + mine + b"`", 0, 40) is None


@pytest.mark.parametrize(
    "comment",
    [
        EntryComment(()),
        EntryComment((("tag", "x"),)),
        EntryComment((("id", "A"), ("id", "B"))),
        EntryComment((("id", "A"), ("bad key", "B"))),
        EntryComment((("id", "A"), ("a--b", "B"))),
        EntryComment((("id", "A" * 9000),)),
    ],
)
def test_a_comment_that_could_not_be_read_back_is_not_written(comment: EntryComment) -> None:
    with pytest.raises(WrongUse):
        render_comment(comment)


_outside = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "<!--",
                " ",
                "\t",
                "\n",
                "\u200b",
                "\u3000",
                "everself:",
                "EverSelf",
                ":",
                "share:",
                " id=X -->",
                "<!",
                "--",
                "&lt;",
                "a",
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=8,
).map("".join)


@given(_outside)
def test_forged_comments_are_defused_once(text: str) -> None:
    escaped = escape_forged(text)
    assert escape_forged(escaped) == escaped
    assert escaped.replace("&lt;!--", "<!--") == text.replace("&lt;!--", "<!--")
    data = escaped.encode("utf-8", "surrogatepass")
    assert all(entry.comment is None for entry in entries(data))
    for at in range(len(data)):
        if data.startswith(b"<!--", at):
            end = data.find(b"-->", at) + 3
            assert parse_comment(data[at:end]) is None
            assert parse_share(data[at:end]) == ()


@given(st.text().filter(lambda text: "everself" not in text.lower() and "share" not in text.lower()))
@example("<!-- dc:type=event --> and <!-- todo: everyself -->")
@example("We share: everything. everself: a word")
@example("&lt;!-- everself: id=A -->")
def test_honest_text_is_not_touched(text: str) -> None:
    assert escape_forged(text) == text


def test_a_forgery_stays_readable() -> None:
    assert escape_forged("yes <!-- everself: id=A conf=1.0 -->") == "yes &lt;!-- everself: id=A conf=1.0 -->"
    assert escape_forged("\ud800 <!-- everself: \udfff") == "\ud800 &lt;!-- everself: \udfff"
    assert escape_forged("<!--\u200bSHARE : group -->") == "&lt;!--\u200bSHARE : group -->"
