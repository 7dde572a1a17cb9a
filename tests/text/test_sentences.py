"""Sentences end where a reader ends them; quotations hold together; letters tell the language."""

import pytest

from everself.text.sentences import breaths, has_words, language_of, quotations, split


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich bin da", "en"),
        ("我用Rust写代码", "zh"),
        ("러스트를 써요", "ko"),
        ("編集はEmacsです", "ja"),
        ("", "en"),
        ("123", "en"),
    ],
)
def test_the_script_tells_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_characters_without_kana_are_read_as_what_stands_around_them() -> None:
    assert language_of("東京") == "zh"
    assert language_of("東京", "東京に住んでいます") == "ja"
    assert language_of("東京", "我住在东京") == "zh"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I live here. I work there!", ["I live here.", "I work there!"]),
        ("Dr. Bell called. See e.g. a?b=c for it.", ["Dr. Bell called.", "See e.g. a?b=c for it."]),
        ("我住在上海。他在北京！", ["我住在上海。", "他在北京！"]),
        ("Never\nsend it to anyone.", ["Never\nsend it to anyone."]),
        ("- milk\n- bread", ["milk", "bread"]),
        ('He said "Go. Now." and left. I stayed.', ['He said "Go. Now." and left.', "I stayed."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_text_is_split_into_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in split(text)] == sentences


def test_quotations_are_found_with_their_marks_and_apostrophes_are_none() -> None:
    text = "“One „two“ three” isn't 6\" long, 「四」"
    assert [text[start:end] for start, end in quotations(text)] == ["“One „two“ three”", "「四」"]


def test_somebody_without_punctuation_begins_anew_behind_a_korean_ending() -> None:
    assert breaths("나 이사했어 이제 부산이야") == [len("나 이사했어 ")]
    assert breaths("I moved to Porto") == []


def test_numbers_and_ids_are_no_words() -> None:
    assert not has_words("12, 14")
    assert not has_words("a1b2c3d4e5f6a7b8")
    assert has_words("ok")
