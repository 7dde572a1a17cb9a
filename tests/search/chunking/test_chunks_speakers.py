"""Conversations become turns; records that only look like conversations do not."""

import pytest

from everself.search.chunking._speakers import without_speaker
from everself.search.chunking.chunks import chunk_document
from everself.search.chunking.marks import Flag

NOTE = "memory/talk.md"


def turns(text: str, path: str = NOTE) -> list[tuple[str, str]]:
    return [(chunk.speaker, chunk.text) for chunk in chunk_document(path, text.encode())]


def speakers(text: str) -> list[str]:
    return [speaker for speaker, _ in turns(text)]


FORMS = [
    "**{}:** {}",
    "**{}**: {}",
    "**{}：** {}",
    "*{}:* {}",
    "{}: {}",
    "{}：{}",
    "- **{}:** {}",
    "* {}: {}",
    "1. **{}:** {}",
    "> **{}:** {}",
    "[14:03] {}: {}",
    "[2024-03-14 14:03:22] **{}:** {}",
    "14:03 {}: {}",
    "14:03 - {}: {}",
    "2024-03-14 14:03 {}: {}",
    "**{} (14:03):** {}",
    "**{}** (14:03): {}",
    "**[14:03] {}:** {}",
]


@pytest.mark.parametrize("heading", ["", "# Talk\n\n", "## [09:30:00] talk\n\n"])
@pytest.mark.parametrize("between", ["\n", "\n\n", "\r\n"])
@pytest.mark.parametrize("form", FORMS)
def test_every_turn_is_a_chunk(form: str, between: str, heading: str) -> None:
    said = [("Anna", "hello there"), ("Ben", "good day"), ("Anna", "how are you?"), ("Ben", "fine, thanks")]
    found = chunk_document(NOTE, (heading + between.join(form.format(*one) for one in said) + "\n").encode())
    assert [chunk.speaker for chunk in found] == ["Anna", "Ben", "Anna", "Ben"]
    assert all(chunk.flags & Flag.SPOKEN for chunk in found)
    assert [without_speaker(chunk.text, chunk.speaker) for chunk in found] == [words for _, words in said]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("user", "assistant"),
        ("Human", "AI"),
        ("用户", "助手"),
        ("ユーザー", "アシスタント"),
        ("사용자", "어시스턴트"),
        ("Usuario", "Asistente"),
    ],
)
def test_known_roles_speak_even_once(first: str, second: str) -> None:
    assert speakers(f"{first}: hello\n{second}: good day\n") == [first, second]


def test_two_people_who_say_one_thing_each_speak() -> None:
    assert speakers("**Anna:** hello\n**Ben:** good day\n") == ["Anna", "Ben"]


def test_somebody_who_speaks_up_once_speaks() -> None:
    assert speakers("Anna: a\nBen: b\nAnna: c\nClara: d\nBen: e\n") == ["Anna", "Ben", "Anna", "Clara", "Ben"]


def test_japanese_quotation_marks_are_turns() -> None:
    assert speakers("太郎「元気ですか」\n花子「はい」\n太郎「よかった」\n") == ["太郎", "花子", "太郎"]


def test_a_turn_holds_what_follows_it() -> None:
    answer = "**Ben:** like this:\n\n- one\n- two\n\n```yaml\nAnna: 1\nBen: 2\n```\n\nand so on"
    text = f"## [10:00:00] talk\n\n**Anna:** how?\n\n{answer}\n\n**Anna:** ah\n"
    assert turns(text) == [("Anna", "**Anna:** how?"), ("Ben", answer), ("Anna", "**Anna:** ah")]


def test_entries_between_two_turns_belong_to_the_first() -> None:
    text = "# Talk\n\n**Ben:** like this:\n\n- one\n- two\n\n**Anna:** ah\n\n**Ben:** yes\n\n## Notes\n\n- three\n"
    assert speakers(text) == ["Ben", "Ben", "Ben", "Anna", "Ben", ""]


def test_an_item_between_turns_in_a_list_is_nobodys() -> None:
    assert speakers("- **Anna:** hi\n- bought milk\n- **Ben:** hello\n- **Anna:** bye\n") == ["Anna", "", "Ben", "Anna"]


def test_what_stands_before_the_first_turn_is_nobodys() -> None:
    assert turns("# Talk\n\nAt the market.\n\n**Anna:** a\n**Ben:** b\n**Anna:** c\n")[0] == ("", "At the market.")


def test_every_part_of_a_long_turn_has_its_speaker() -> None:
    long = " ".join(f"This is sentence {number} of a long story." for number in range(300))
    found = chunk_document(NOTE, f"**Anna:** {long}\n**Ben:** I see.\n**Anna:** Yes.\n".encode())
    assert [chunk.speaker for chunk in found[:-2]] == ["Anna"] * (len(found) - 2)
    assert len(found) > 6
    assert found[-2].speaker == "Ben"


@pytest.mark.parametrize(
    "text",
    [
        "- **Name:** Bob\n- **Time zone:** UTC\n- **Pronouns:** he\n",
        "**Name:** Bob\n**Time zone:** UTC\n**Creature:** fox\n",
        "- **Coffee:** black\n- **Tea:** green\n- **Juice:** none\n",
        "## Stew\n\n**Ingredients:** x\n**Method:** y\n\n## Soup\n\n**Ingredients:** z\n**Method:** w\n",
        "## One\n\n- **Status:** done\n- **Owner:** Bob\n\n## Two\n\n- **Status:** open\n- **Owner:** Eve\n",
        "- **Decision:** use Postgres\n- **Decision:** drop Redis\n- **Reason:** cost\n",
        "Note: first\nNote: second\nTODO: third\n",
        "姓名：小明\n地址：北京\n备注：无\n备注：有\n",
        "Bring milk: two litres.\nWe talked for an hour about the trip.\nThe weather was fine.\nWe left late.\n",
        "```\nuser: a\nassistant: b\nuser: c\n```\n",
        "https://example.org: a\nhttps://example.org: b\n",
        "10:30: a\n10:31: b\n",
        "user: only one line\n",
        "| user: a | b |\n|---|---|\n| user: c | d |\n",
    ],
)
def test_records_do_not_speak(text: str) -> None:
    found = chunk_document(NOTE, text.encode())
    assert found
    assert not any(chunk.speaker or chunk.flags & Flag.SPOKEN for chunk in found)


def test_names_in_a_few_lines_of_a_long_text_do_not_speak() -> None:
    text = "# Plan\n\n" + "\n".join(["Berlin: two days"] * 2 + ["We go on by train to the next town."] * 20)
    assert speakers(text) == [""]


def test_a_name_is_taken_away_only_where_it_is_a_label() -> None:
    assert without_speaker("**Anna:** Ben: hi", "Anna") == "Ben: hi"
    assert without_speaker("Ben: hi", "Anna") == "Ben: hi"
    assert without_speaker("Anna went home", "Anna") == "Anna went home"
    assert without_speaker("Note: hi", "") == "Note: hi"
    assert without_speaker("**小明：** 你好", "小明") == "你好"
