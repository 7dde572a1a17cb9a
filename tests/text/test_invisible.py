"""Invisible characters: those that a script or an emoji needs stay unremarked, all others are seen."""

import unicodedata

import pytest

from everself.text.invisible import UNSEEN, hiding, stripped


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦 went out, 👩🏽‍🚀 too",
        "❤️ and 1️⃣ and ☺︎",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f won",
        "می‌خواهم کتاب‌ها را بخوانم",
        "क्‍ष और र्‌य",
        "葛󠄀城市",
        "\ufeffThe file begins here.",
        "\u200fשלום, world",
        "ᠠ᠋",
        "ภาษา\u200bไทย",
    ],
)
def test_what_a_script_needs_is_let_be(text: str) -> None:
    assert hiding(text) == ()


def test_every_invisible_character_between_letters_is_seen() -> None:
    assert [f"U+{ord(char):04X}" for char in sorted(UNSEEN) if hiding(f"pay{char}ment") != (3,)] == []


def test_every_format_character_that_shows_nothing_is_known() -> None:
    # signs of Arabic, Syriac and Kaithi numbers are drawn although Unicode counts them among the formats
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    formats = {code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"}
    assert {code for code in formats - drawn if chr(code) not in UNSEEN} == set()


def test_a_row_of_selectors_is_a_channel_whatever_stands_before() -> None:
    assert hiding("😀" + "\ufe0f" * 9) != ()


def test_tags_without_a_flag_or_a_flag_without_end_are_seen() -> None:
    assert hiding("\U000e0067\U000e0062") == (0, 1)
    assert hiding("\U0001f3f4\U000e0067\U000e0062 ends") == (1, 2)


def test_reading_leaves_them_out() -> None:
    assert stripped("pay\u200bment\U000e0041") == "payment"
