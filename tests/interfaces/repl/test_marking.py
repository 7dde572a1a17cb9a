"""Markdown that streams: looks, wrapping, and no command to the terminal but ours."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.interfaces.repl.markdown import BOLD, CODE, DIM, RESET, Marking, wrapped


def shown(*pieces: str, width: int = 80) -> str:
    marking = Marking(lambda: width)
    return "".join(map(marking.feed, pieces)) + marking.end()


def bare(text: str) -> str:
    for look in (BOLD, CODE, DIM, RESET):
        text = text.replace(look, "")
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", "plain words\n"),
        ("## A heading\nand text", f"{BOLD}A heading{RESET}\nand text\n"),
        ("this is **bold**, that is not", f"this is {BOLD}bold{RESET}, that is not\n"),
        ("2 ** 3 and a * b", "2 ** 3 and a * b\n"),
        ("call `run()` now", f"call {CODE}`run()`{RESET} now\n"),
        ("- one\n  - two", "• one\n  • two\n"),
        ("-not a list\n#nor a heading", "-not a list\n#nor a heading\n"),
        (
            "```py\n# no heading\n**\n```\nafter",
            f"{DIM}```py{RESET}\n{CODE}# no heading{RESET}\n{CODE}**{RESET}\n{DIM}```{RESET}\nafter\n",
        ),
        ("**never closed\nnext", f"{BOLD}never closed{RESET}\nnext\n"),
        ("two\n\nparagraphs\n", "two\n\nparagraphs\n"),
        ("", ""),
    ],
)
def test_looks(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_words_are_wrapped_and_a_list_keeps_its_margin() -> None:
    assert shown("- one two three four five six seven", width=20) == "• one two three four\n  five six seven\n"


def test_wide_letters_are_broken_anywhere_and_never_beyond_the_edge() -> None:
    assert shown("一二三四五六七八九十一二三", width=20) == "一二三四五六七八九十\n一二三\n"


def test_a_word_longer_than_the_line_is_left_whole() -> None:
    assert shown("see https://example.org/a/very/long/way", width=20) == "see\nhttps://example.org/a/very/long/way\n"


def test_code_is_never_wrapped() -> None:
    line = "x = " + "1 + " * 30 + "1"
    assert bare(shown(f"```\n{line}\n```", width=20)) == f"```\n{line}\n```\n"


def test_escape_codes_are_shown_and_not_obeyed() -> None:
    assert "\x1b" not in shown("\x1b[2J\x1b]0;title\x07 and \x9b31m")
    assert shown("half \x1b", "[31m red") == "half ␛[31m red\n"


def test_a_new_reply_begins_plain() -> None:
    marking = Marking(lambda: 80)
    marking.feed("```\nunfinished")
    marking.end()
    assert marking.feed("# x") + marking.end() == f"{BOLD}x{RESET}\n"


def test_lines_of_commands_are_wrapped_with_their_margin() -> None:
    assert wrapped("  one two three four five six", 20) == "  one two three four\n    five six"
    assert wrapped("files   one, two, three, four", 20) == "files   one, two,\n  three, four"
    assert wrapped("short", 20) == "short"
    assert wrapped("\x1b[2J", 20) == "␛[2J"


@given(st.text(alphabet="ab*`# \n\r-字\x1b", max_size=60), st.data())
def test_pieces_make_no_difference(text: str, data: st.DataObject) -> None:
    at = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    cuts = [0, *at, len(text)]
    pieces = [text[one:other] for one, other in pairwise(cuts)]
    assert shown(*pieces, width=20) == shown(text, width=20)
