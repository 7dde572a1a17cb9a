"""Pattern files become sets: sections, pieces, one language at a time."""

import pytest
import re2

from everself.classify.pattern_sets import LANGUAGES, load_set, parse, read_patterns

OURS = ("contrast", "tools", "openers", "promotion", "manners")


def test_a_file_has_sections_comments_and_pieces() -> None:
    text = "# why\nlet NO = no|nope\n\n[high]\n^{NO}\\b\n[low]\nx{1,3}\n"
    assert parse(text) == (("high", "^(?:no|nope)\\b"), ("low", "x{1,3}"))


def test_a_class_of_characters_alone_on_a_line_is_a_pattern() -> None:
    assert parse("[one]\n[ab]+\n[0-9]\n") == (("one", "[ab]+"), ("one", "[0-9]"))


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_of_ours_is_re2_and_matches_no_empty_text(name: str, language: str) -> None:
    quiet = re2.Options()
    quiet.log_errors = False
    found = read_patterns(name, language)  # type: ignore[arg-type] # pytest gives it as a string
    assert found
    assert [pattern for _, pattern in found if re2.compile(pattern, quiet).search("") is not None] == []


@pytest.mark.parametrize("name", ["triggers", "requests"])
def test_the_rules_for_every_language_are_re2_and_match_no_empty_text(name: str) -> None:
    found = read_patterns(name)
    assert found
    assert [pattern for _, pattern in found if re2.compile(pattern).search("") is not None] == []


def test_case_never_matters_and_the_section_is_told() -> None:
    assert load_set("tools").names("YOU HAVE A SCRIPT FOR that", "en") == {"tools"}


def test_only_the_languages_that_are_asked_for_answer() -> None:
    assert load_set("promotion").matches("我们决定了", "en") == ()
    assert {match.language for match in load_set("promotion").matches("我们决定了")} == {"zh"}


def test_a_lone_surrogate_is_no_reason_to_fail() -> None:
    assert load_set("tools").names("you have a script for that, \ud800", "en") == {"tools"}


def test_a_set_that_nobody_wrote_matches_nothing() -> None:
    assert load_set("no such set").matches("anything") == ()
