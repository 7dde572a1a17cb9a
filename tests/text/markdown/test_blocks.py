"""The scanner tiles every document and draws block boundaries where CommonMark does."""

import tracemalloc

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.text.markdown.documents import line_soup, realistic, tight
from tests.text.markdown.oracle import expected, ours, strays

from everself.text.markdown.blocks import Block, BlockKind, scan


def kinds(data: bytes) -> list[str]:
    return [str(block.kind) for block in scan(data).blocks]


def assert_tiles(data: bytes) -> tuple[Block, ...]:
    blocks = scan(data).blocks
    assert b"".join(data[block.start : block.end] for block in blocks) == data
    reached, line = 0, 1
    for block in blocks:
        assert block.start == reached < block.end
        assert block.first_line == line <= block.last_line
        reached, line = block.end, block.last_line + 1
    assert reached == len(data)
    assert line == len(data.splitlines()) + 1
    return blocks


@given(st.binary(max_size=400))
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"\r")
@example(b"a\rb\r\nc\n\rd")
@example(b"\x00\xff\xfe- \x00\n")
def test_random_bytes_are_tiled(data: bytes) -> None:
    assert_tiles(data)


@settings(max_examples=60)
@given(st.one_of(line_soup, realistic), st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n", "\r"]))
def test_mutated_markdown_is_tiled(text: str, random: object, newline: str) -> None:
    data = bytearray(text.replace("\n", newline).encode())
    for _ in range(3):
        at = random.randrange(len(data))  # type: ignore[attr-defined]
        data[at] = random.choice(b"\n\r\t -#`>|<\x00\xff")  # type: ignore[attr-defined]
    assert_tiles(bytes(data))


@given(realistic)
@settings(max_examples=60)
def test_boundaries_agree_with_the_oracle_on_documents(text: str) -> None:
    assume(not strays(text))
    assert ours(text) == expected(text)


@given(tight)
@settings(max_examples=60)
def test_boundaries_agree_with_the_oracle_without_blank_lines(text: str) -> None:
    assume(not strays(text))
    assert ours(text) == expected(text)


@given(line_soup)
@settings(max_examples=400)
@example("- a\n2. b\n")
@example("a\n2. b\n")
@example("> a\nlazy\n===\n")
@example("- a\n\n      code\n\n\n- b\n")
@example("-\n\n  a\n")
@example("-\n  a\n")
@example("| a |\n---\nrow\n\n")
@example("text\na | b\n-|-\nrow\n# h\n")
@example("- ```\n  x\n\ny\n")
@example("<b>\ntext\n\n<!-- a\n\n-->\n")
@example("1)\tx\n\n\ty\n")
def test_boundaries_agree_with_the_oracle_on_line_soup(text: str) -> None:
    # front matter is ours alone
    assume(not text.startswith("---") and not strays(text))
    assert ours(text) == expected(text)


@pytest.mark.slow
@given(line_soup)
@settings(max_examples=4_000)
def test_boundaries_agree_with_the_oracle_on_much_line_soup(text: str) -> None:
    assume(not text.startswith("---") and not strays(text))
    assert ours(text) == expected(text)


@settings(max_examples=40)
@given(st.one_of(line_soup, realistic))
def test_line_ends_do_not_change_the_blocks(text: str) -> None:
    plain = [(*block[3:], block.kind) for block in scan(text.encode()).blocks]
    for newline in (b"\r\n", b"\r"):
        assert [(*block[3:], block.kind) for block in scan(text.encode().replace(b"\n", newline)).blocks] == plain


@settings(max_examples=40)
@given(st.one_of(line_soup, realistic))
def test_a_byte_order_mark_changes_nothing_but_offsets(text: str) -> None:
    plain = [(block.kind, block.first_line, block.last_line) for block in scan(text.encode()).blocks]
    marked = [
        (block.kind, block.first_line, block.last_line) for block in assert_tiles(b"\xef\xbb\xbf" + text.encode())
    ]
    assert marked == plain


def test_an_unclosed_fence_runs_to_the_end_and_names_its_closer() -> None:
    scanned = scan(b"# a\n````py\n## no heading\n```\n")
    assert [str(block.kind) for block in scanned.blocks] == ["heading", "fence"]
    assert scanned.closer == b"````"


@pytest.mark.parametrize(
    ("data", "closer"),
    [
        (b"```\n```\n", b""),
        (b"- ```\n  x\n", b""),
        (b"> ~~~\n", b""),
        (b"~~~\n", b"~~~"),
        (b"<!-- a\n\nb\n", b"-->"),
        (b"<script>\n", b"</script>"),
        (b"<div>\n", b""),
    ],
)
def test_the_closer_is_what_ends_a_block_left_open(data: bytes, closer: bytes) -> None:
    scanned = scan(data)
    assert scanned.closer == closer
    assert kinds(data + closer + b"\n\n# next\n")[-1] == "heading"


@pytest.mark.parametrize(
    "head",
    [
        b"---\ntitle: x\n---\n",
        b"---\ntitle: x\ntags:\n- a\n- b\n\n# why\nnested:\n  deep: 1\n...\n",
        b"\xef\xbb\xbf---\r\nname: y\r\n---\r\n",
        "---\n标题: 日记\n---\n".encode(),
    ],
)
def test_front_matter_is_keys_between_dashes(head: bytes) -> None:
    assert kinds(head + b"# h\n") == ["front_matter", "heading"]


@pytest.mark.parametrize(
    "data",
    [
        b"---\n",
        b"---\n\n## 02:14\n\n---\n",
        b"---\nSome words: and more\n---\n",
        b"---\nkey: 1\n",
        b"---\nkey: 1\nplain words\n---\n",
        b"---\nhttp://example.org\n---\n",
        b"---\n- a\n---\n",
        b"----\nkey: 1\n----\n",
        b"\n---\nkey: 1\n---\n",
    ],
)
def test_dashes_on_the_first_line_are_mostly_a_separator(data: bytes) -> None:
    assert "front_matter" not in kinds(data)
    assert_tiles(data)


def test_a_comment_may_have_several_lines_and_neighbours_but_no_words() -> None:
    assert kinds(b"<!-- a\n\nb -->\n") == ["comment"]
    assert kinds(b"<!-- a --> <!-- b -->\n") == ["comment"]
    assert kinds(b"<!-- a --> words\n") == ["html"]
    assert kinds(b"<!-- a\nb --> words\n") == ["html"]


def test_sub_items_are_deeper_and_all_that_an_item_holds_too() -> None:
    data = b"- a\n  more\n  - b\n    - c\n\n  text\n\n  ```\n  x\n  ```\n- d\n"
    found = [(str(block.kind), block.depth) for block in scan(data).blocks if block.kind is not BlockKind.BLANK]
    assert found == [
        ("list_item", 0),
        ("list_item", 1),
        ("list_item", 2),
        ("paragraph", 1),
        ("fence", 1),
        ("list_item", 0),
    ]


def test_a_list_item_tells_what_it_leads_with_and_where_its_content_begins() -> None:
    block = scan(b"10. > q\n").blocks[0]
    assert (block.kind, block.lead, block.indent) == (BlockKind.LIST_ITEM, BlockKind.QUOTE, 4)
    assert scan(b"- ```\n").blocks[0].lead is BlockKind.FENCE
    assert scan(b"*\ta\n").blocks[0].indent == 4


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "data",
    [
        b"- " * 500_000 + b"x\n" + b"\n" * 1000,
        b">" * 1_000_000 + b"\n" + b"> x\n" * 1000,
        b"x" * 5_000_000,
        b"<a " * 300_000 + b"\n",
        b"<!-- -->" * 100_000 + b"\n",
        b"|" * 1_000_000 + b"\n" + b"|-" * 500_000 + b"|\n",
        b"a\n===\n" * 30_000,
        b"-\n" * 50_000,
        b" \t" * 500_000 + b"x\n",
        b"`" * 1_000_000 + b"\n",
        b"1" * 1_000_000 + b". x\n",
    ],
    ids=lambda data: repr(data[:8]),
)
def test_hostile_documents_end(data: bytes) -> None:
    assert_tiles(data)


def test_blocks_hold_no_copy_of_the_text() -> None:
    data = (b"word " * 40 + b"\n\n") * 5_000
    tracemalloc.start()
    scanned = scan(data)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(scanned.blocks) == 10_000
    assert kept < 3 * len(data)
    assert peak < 5 * len(data)
