"""Lines of a pipe become messages."""

from everself.interfaces.repl.input_lines import messages_of


def read(text: str) -> list[str]:
    return list(messages_of(text.splitlines(keepends=True)))


def test_each_line_is_a_message() -> None:
    assert read("one\ntwo\r\n\n   \nthree") == ["one", "two", "three"]


def test_a_backslash_goes_on_with_the_next_line() -> None:
    assert read("first\\\nsecond\\\nthird\nnext\n") == ["first\nsecond\nthird", "next"]


def test_a_fence_is_one_message_with_its_empty_lines_and_backslashes() -> None:
    assert read("```sh\necho a \\\n\n  b\n```\nnext\n") == ["```sh\necho a \\\n\n  b\n```", "next"]


def test_a_message_may_lead_into_a_fence() -> None:
    assert read("look at this:\\\n```\nx\n```\n") == ["look at this:\n```\nx\n```"]


def test_what_ends_in_the_middle_is_a_message_too() -> None:
    assert read("```\nnever closed\n") == ["```\nnever closed"]
    assert read("and then\\\n") == ["and then"]


def test_backquotes_within_a_line_open_nothing() -> None:
    assert read("say ```x``` please\nnext\n") == ["say ```x``` please", "next"]
