"""Expectations that a soul has to meet."""

import pytest

from everself.identity.soul_tests import failures, mentions, parse_tests, run_tests

SOUL = "# Soul\n\nYou answer in German. You like green tea.\n\n## Learned\n\n- Ask before you book.\n"


def verdict(test: str, principles: tuple[str, ...] = ()) -> str:
    return run_tests([test], SOUL, principles)[0].verdict


def test_expectations_are_list_items() -> None:
    document = (
        b"# Soul tests\n\nWords about it.\n\n- must mention tea\n- ~~must mention coffee~~\n\n1. judge: is it kind?\n"
    )
    assert parse_tests(document) == ("must mention tea", "judge: is it kind?")
    assert parse_tests(None) == ()


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("must mention green tea", "passed"),
        ('Must mention "GREEN  tea".', "passed"),
        ("must mention coffee", "failed"),
        ("must not mention Bob", "passed"),
        ("must never mention tea", "failed"),
        ("must not mention „German“", "failed"),
        ("must stay under 1000 tokens", "passed"),
        ("must stay under 5 tokens", "failed"),
        ("must answer in German", "waiting"),
        ("judge: would a child understand it?", "waiting"),
        ("tea", "unclear"),
    ],
)
def test_what_can_be_told_without_a_model_is_told(test: str, expected: str) -> None:
    assert verdict(test) == expected


def test_principles_from_corrections_are_kept() -> None:
    assert verdict("must keep principles from corrections", ("Ask before you book.",)) == "passed"
    results = run_tests(["must keep principles from corrections"], SOUL, ("Never call at night.",))
    assert failures(results) == results
    assert "Never call at night." in results[0].why


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("a bobbin and bob-cat", "bob", True),
        ("a bobbin", "Bob", False),
        ("kebob", "bob", False),
        ("她喜欢绿茶和咖啡", "绿茶", True),
        ("it costs 100", "10", False),
        ("anything", "", False),
    ],
)
def test_words_are_looked_for_as_words(text: str, words: str, found: bool) -> None:
    assert mentions(text, words) is found
