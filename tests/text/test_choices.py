"""Which of several things a short answer names."""

import pytest

from everself.text.choices import read_choice


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("2", 2),
        ("the second", 2),
        ("The second one.", 2),
        ("first", 1),
        ("#3", 3),
        ("number two", 2),
        ("das zweite", 2),
        ("第二个", 2),
        ("二つ目", 2),
        ("두 번째", 2),
        ("1番", 1),
        ("二つ目です。", 2),
        ("두 번째요", 2),
        ("第二", 2),
        ("(3)", 3),
    ],
)
def test_a_short_answer_names_one(said: str, number: int) -> None:
    assert read_choice(said, 3) == number


@pytest.mark.parametrize(
    "said", ["", "no", "5", "the first and the second", "2 or 3", "at nine I go swimming with two friends", "yes"]
)
def test_what_names_none_or_several_is_no_choice(said: str) -> None:
    assert read_choice(said, 3) == 0


@pytest.mark.parametrize(
    "said",
    [
        *("not the second", "not the first one", "nicht die zweite", "2 isn't wrong", "everything but 2", "第二个没错"),
        *("I have 2 cars", "tomorrow at 3", "at 2 pm", "second floor", "2 kids now", "none of the 3"),
        *("세상에", "두부 먹고 싶어", "the one", "one", "a couple"),
    ],
)
def test_what_says_something_else_too_is_no_choice(said: str) -> None:
    assert read_choice(said, 3) == 0


def test_a_word_for_yes_is_no_number() -> None:
    assert read_choice("네", 4) == read_choice("네, 맞아요", 4) == 0
