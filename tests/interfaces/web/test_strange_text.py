"""A stranger's text in a page: text, whatever it holds."""

import pytest

from everself.interfaces.web.strange_text import one_line, shown
from everself.interfaces.web.templates import unwrapped


def test_markup_is_text() -> None:
    hostile = '<script>alert(1)</script><img src=x onerror="alert(1)"> & [a](javascript:1)'
    found = shown(hostile)
    assert "<script" not in found
    assert "<img" not in found
    assert "&lt;script&gt;" in found
    assert found.startswith("<bdi>")
    assert found.endswith("</bdi>")


@pytest.mark.parametrize(
    "char", ["\u202e", "\u2066", "\u200b", "\x1b", "\x00", "\U000e0041", "\u2028", "\ue000", "\ud800"]
)
def test_what_nobody_would_see_is_shown(char: str) -> None:
    found = shown(f"a{char}b")
    assert char not in found
    assert f"U+{ord(char):04X}" in found


def test_what_a_script_or_an_emoji_needs_stays() -> None:
    for text in ("👩‍💻", "می‌خواهم", "日本語", "line\nanother\tcell", "שלום", "ﬁ é"):
        assert str(shown(text)) == f"<bdi>{text}</bdi>"


def test_long_text_is_cut() -> None:
    assert shown("x" * 100, 10) == "<bdi>xxxxxxxxxx…</bdi>"
    assert one_line("a\n\n b\t c", 80) == "<bdi>a b c</bdi>"
    assert len(shown("\u202e" * 2_000_000, 200)) < 20_000


def test_paragraphs_are_unwrapped_and_nothing_else() -> None:
    assert (
        unwrapped("# Soul\n\nYou are\n  someone.\n\n- one\n  more\n- two\n")
        == "# Soul\n\nYou are someone.\n\n- one more\n- two\n"
    )
    for text in ("```\na\nb\n```\n", "> q\n> r\n", "    a\n    b\n", "| a |\n|---|\n| b |\n", "", "\ud800\n"):
        assert unwrapped(text) == text
