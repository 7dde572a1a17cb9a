"""Packing documents: whole pieces, most important first, in the document's order, and a name for all that is left out."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from everself.conversation.context._prompt import left_out
from everself.conversation.context.packing import (
    Importance,
    PackItem,
    fit,
    items_of,
    join,
    pack,
    prioritize_unverified,
    readable,
    unverified_lines,
)
from everself.text.tokens import count, estimate

NOTES = b"""# Memory

Written by two people.

## House

- The spare key is with the neighbours. <!-- everself: id=0123456789AB tag=knowledge conf=0.95 src=owner -->
- Rent is due on the 1st,
  and late fees are steep.
- The boiler hums.

After the list.

---

## Log
### Empty
## [08:00:00] breakfast

With Hana.

### Menu

- pears
"""


def texts(items: list[PackItem] | tuple[PackItem, ...]) -> list[str]:
    return [item.text for item in items]


def by_words(*wanted: str) -> Importance:
    def weigh(item: PackItem) -> float:
        return float(sum(word in item.text for word in wanted))

    return weigh


def test_a_document_is_cut_into_its_entries() -> None:
    assert texts(items_of("MEMORY.md", NOTES)) == [
        "Written by two people.",
        "- The spare key is with the neighbours.",
        "- Rent is due on the 1st,\n  and late fees are steep.",
        "- The boiler hums.",
        "After the list.",
        "### Empty",
        "## [08:00:00] breakfast\n\nWith Hana.\n\n### Menu\n\n- pears",
    ]


def test_a_piece_knows_its_lines_and_the_titles_above_it() -> None:
    rent = items_of("MEMORY.md", NOTES)[2]
    assert (rent.path, rent.first_line, rent.last_line) == ("MEMORY.md", 8, 9)
    assert rent.heading == ("Memory", "House")
    assert [head.text for head in rent.above] == ["# Memory", "## House"]


def test_pieces_that_all_fit_read_like_the_document() -> None:
    packed = pack(items_of("MEMORY.md", NOTES), 1_000)
    assert packed.omitted == ()
    shown = [line for line in readable(NOTES).splitlines() if line not in ("", "---")]
    assert [line for line in packed.text.splitlines() if line] == shown


def test_the_most_important_pieces_stay_in_the_order_of_the_document() -> None:
    items = items_of("MEMORY.md", NOTES, by_words("boiler", "spare"))
    packed = pack(items, 22)
    assert packed.text == "# Memory\n\n## House\n\n- The spare key is with the neighbours.\n- The boiler hums.\n"
    assert packed.tokens == count(packed.text) <= 22


def test_a_heading_comes_with_the_first_kept_piece_below_it() -> None:
    items = items_of("MEMORY.md", NOTES, by_words("After"))
    assert pack(items, 12).text == "# Memory\n\n## House\n\nAfter the list.\n"


def test_what_does_not_fit_is_named_with_its_lines_and_reason() -> None:
    packed = pack(items_of("MEMORY.md", NOTES, by_words("hums")), 12)
    assert packed.text.endswith("- The boiler hums.\n")
    assert [one.reference for one in packed.omitted] == [
        *("MEMORY.md#L3", "MEMORY.md#L7", "MEMORY.md#L8-L9", "MEMORY.md#L12", "MEMORY.md#L17", "MEMORY.md#L18-L24"),
    ]
    assert {one.reason for one in packed.omitted} == {
        "larger than all the room there is",
        "less important than what was kept",
    }
    assert packed.omitted[2].heading == ("Memory", "House")


def test_a_smaller_piece_is_taken_where_a_more_important_one_is_too_large() -> None:
    items = items_of("a.md", b"# A\n\n- " + b"very " * 200 + b"long\n- short\n", by_words("very"))
    packed = pack(items, 20)
    assert packed.text == "# A\n\n- short\n"
    assert packed.omitted[0].reason == "larger than all the room there is"


def test_no_room_gives_no_text_and_names_everything() -> None:
    packed = pack(items_of("MEMORY.md", NOTES), 0)
    assert (packed.text, packed.tokens, packed.kept) == ("", 0, ())
    assert len(packed.omitted) == 7


def test_a_document_that_fits_is_given_as_it_stands_without_our_bookkeeping() -> None:
    packed = fit("MEMORY.md", NOTES, 1_000)
    assert packed.text == NOTES.decode().replace(
        " <!-- everself: id=0123456789AB tag=knowledge conf=0.95 src=owner -->", ""
    )
    assert packed.tokens == count(packed.text)
    assert fit("MEMORY.md", NOTES, packed.tokens // 2).omitted


def test_a_large_document_is_packed_without_counting_all_of_it() -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return count(text)

    document = b"# A\n\n" + b"".join(b"- The %d. note about the garden, which is long.\n" % at for at in range(4_000))
    packed = fit("a.md", document, 300, count=counting)
    assert 250 <= packed.tokens == count(packed.text) <= 300
    assert len(packed.kept) + len(packed.omitted) == 4_000
    assert sum(counted) < 10_000


def test_a_fence_that_nobody_closed_is_closed() -> None:
    document = b"# Snippets\n\n- one\n\n```sh\necho hello\n"
    assert readable(document) == "# Snippets\n\n- one\n\n```sh\necho hello\n```\n"
    assert items_of("a.md", document)[-1].text == "```sh\necho hello\n```"


def test_bytes_that_are_no_text_do_not_stop_packing() -> None:
    document = b"\xef\xbb\xbf# A\r\n\r\n- caf\xff\r\n- b\0c\r\n"
    assert texts(items_of("a.md", document)) == ["- caf\ufffd", "- b\0c"]
    assert pack(items_of("a.md", document), 100).text.startswith("# A\n\n- caf")


def test_equal_headings_of_two_documents_are_both_shown() -> None:
    items = [*items_of("memory/a.md", b"# Day\n\n- one\n"), *items_of("memory/b.md", b"# Day\n\n- two\n")]
    assert pack(items, 100).text == "# Day\n\n- one\n\n# Day\n\n- two\n"


def correction(day: int, right: str, embedded: str) -> str:
    return f"## [09:00:00] correction on 2026-03-{day:02}\n\n- **Right:** {right}\n- **Re-embedded:** {embedded}\n\n"


def test_corrections_not_embedded_again_come_first_then_the_newest() -> None:
    document = "# Corrections\n\n" + "".join(
        correction(day, right, embedded)
        for day, right, embedded in (
            (1, "oldest", "true"),
            (2, "unseen", "false"),
            (3, "middle", "`true`"),
            (4, "newest", "True"),
        )
    )
    data = document.encode()
    ranked = prioritize_unverified(items_of("CORRECTIONS.md", data), unverified_lines("CORRECTIONS.md", data))
    order = sorted(ranked, key=lambda item: -item.importance)
    assert [item.text.split("Right:** ")[1].split("\n")[0] for item in order] == [
        *("unseen", "newest", "middle", "oldest"),
    ]
    assert [item.first_line for item in ranked] == sorted(item.first_line for item in ranked)
    half = pack(ranked, count(document) * 3 // 5)
    assert "unseen" in half.text
    assert "newest" in half.text
    assert [one.lines for one in half.omitted] == [(ranked[0].first_line, ranked[0].last_line), (13, 16)]


def test_omissions_are_told_in_one_sentence() -> None:
    packed = pack(items_of("MEMORY.md", NOTES, by_words("hums")), 12)
    assert left_out(packed.omitted) == (
        "(Left out for lack of room: MEMORY.md lines 3, 7–9, 12, 17–24. Read it with memory_get if needed.)"
    )
    assert left_out(()) == ""
    many = [replace(packed.omitted[0], lines=(line, line)) for line in range(2, 40, 2)]
    assert "MEMORY.md 19 places in lines 2–38." in left_out(many)


lines = st.one_of(
    st.sampled_from(
        (
            *(
                "# A",
                "## B",
                "### C",
                "## [08:00:00] note",
                "- item",
                "- item <!-- everself: id=0123456789AB -->",
                "  more",
            ),
            *(
                "",
                "text",
                "---",
                "```",
                "> quote",
                "| a | b |",
                "|---|---|",
                "<!-- note -->",
                "1. one",
                "茶と猫",
                "    code",
            ),
            *("Title\n===", "<div>", "- [ ] task", "\t- sub", "-->", "~~~", "<!--"),
        )
    ),
    st.text(max_size=12),
)
documents = st.lists(lines, max_size=25).map(lambda parts: "\n".join(parts).encode("utf-8", "surrogatepass"))
weights = st.lists(st.sampled_from((0.0, 0.5, 1.0, 2.0)), min_size=1, max_size=5)


@given(document=documents, weights=weights, tokens=st.integers(0, 120), rough=st.booleans())
def test_packing_keeps_within_the_budget_and_names_the_rest(
    document: bytes, weights: list[float], tokens: int, rough: bool
) -> None:
    items = items_of(
        "a.md", document, lambda item: weights[item.first_line % len(weights)], estimate if rough else count
    )
    packed = pack(items, tokens)
    assert packed.tokens == count(packed.text) <= tokens
    assert packed.text == join(packed.kept)
    places = sorted([*((one.first_line, one.last_line) for one in packed.kept), *(one.lines for one in packed.omitted)])
    assert places == [(item.first_line, item.last_line) for item in items], "each piece is kept or named, once"
    assert list(packed.kept) == [item for item in items if item in packed.kept], "the order is the document's"
    assert all(item.text in packed.text for item in packed.kept), "no piece is cut"


@given(document=documents)
def test_pieces_hold_all_words_of_a_document(document: bytes) -> None:
    """Comments outside entries, rules between sections and white space aside."""

    def letters(text: str) -> set[str]:
        return {char for char in text if char.isalpha()}

    joined = join(items_of("a.md", document))
    bare = readable(document)
    assert letters(joined) <= letters(bare)
    if "<!--" not in bare:
        assert letters(joined) == letters(bare)


@given(document=documents, weights=weights, tokens=st.integers(10, 120))
def test_a_kept_piece_stands_under_the_headings_it_had(document: bytes, weights: list[float], tokens: int) -> None:
    packed = pack(items_of("a.md", document, lambda item: weights[item.first_line % len(weights)]), tokens)

    def trail(items: Iterable[PackItem]) -> list[tuple[str, ...]]:
        return [heading for heading, _ in groupby(item.heading for item in items)]

    assert trail(items_of("a.md", packed.text.encode("utf-8", "replace"))) == trail(packed.kept)
