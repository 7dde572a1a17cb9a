"""Triage says what a message asks of memory: a correction, something to keep, a program to tell."""

import pytest

from everself.classify.corrections import find_correction
from everself.classify.triage import Triage, Verdict, find_triggers
from everself.config.sections import CustomPattern


@pytest.mark.parametrize(
    "text",
    [
        "I already told you that I don't drink coffee",
        "you forgot my birthday",
        "I mentioned this before",
        "No, it's on Friday",
        "How many times do I have to say it?",
        "Don't you remember? I said Tuesday",
        "That’s wrong, it’s the 9th",
        "你记错了，我是五月份搬来的",
        "你說錯了，不是禮拜二",
        "아니요, 제 이름은 민아예요",
        "違います、火曜日です",
    ],
)
def test_plain_corrections_are_sure(text: str) -> None:
    found = Triage().read(text).correction
    assert found is not None
    assert found.sure == "high"


@pytest.mark.parametrize(
    "text",
    [
        "내 혈액형 뭐라고 했지",
        "자기 전에 누구 소설 읽는다고 했지",
        "사랑니 뽑는 치과 이름이 뭐라고 했죠?",
        "내가 싫어하는 채소가 뭐라고?",
        "我什么时候去拔智齿?",
        "我什么时候去体检？",
    ],
)
def test_who_asks_what_they_once_said_corrects_nobody(text: str) -> None:
    assert Triage().read(text).correction is None


@pytest.mark.parametrize(
    "text", ["내가 언제 그런 말 했어?", "我什么时候说过要去北京了?", "When did I ever say that I eat meat?"]
)
def test_a_question_that_denies_still_corrects(text: str) -> None:
    assert Triage().read(text).correction is not None


@pytest.mark.parametrize(
    "text",
    ["Actually, she's my stepmother", "准确地说，她是我继母", "정확히는 4년 차예요", "正確には4年目なんですけどね"],
)
def test_gentle_corrections_are_less_so(text: str) -> None:
    found = Triage().read(text).correction
    assert found is not None
    assert found.sure != "high"


@pytest.mark.parametrize(
    "text",
    [
        "How many times did the job run?",
        "the wifi changed",
        "No, thank you.",
        "is that wrong?",
        '"You forgot my birthday," she said. Continue the story.',
        "> that's wrong, it's Friday\nWhat do you make of this mail?",
        "```\nthat's wrong\n```",
        "",
        "\n\n...",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert Triage().read(text).correction is None


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("No, my sister is called Mia, not Mira", "Mira", "Mia"),
        ("It isn’t Dr. Pell, it’s Dr. Bell.", "Dr. Pell", "Dr. Bell"),
        ("不是左膝，是右膝。", "左膝", "右膝"),
        ("我34岁，不是43", "43", "34岁"),
        ("제 여동생 이름은 미나가 아니라 민아예요.", "미나", "민아"),
        ("うちのチームは5人ではなく7人です", "5人", "7人"),
        ("That's wrong, I moved to Leeds in May", "", ""),
    ],
)
def test_the_wrong_and_the_right_words_are_told_where_both_are_named(text: str, old: str, new: str) -> None:
    found = find_correction(text)
    assert found is not None
    assert (found.old, found.new) == (old, new)


def test_the_trigger_is_the_sentence_that_corrects_in_the_persons_own_words() -> None:
    found = find_correction("Good morning! You’ve got my “birthday” wrong. Talk later.")
    assert found is not None
    assert (found.sure, found.trigger) == ("high", "You’ve got my “birthday” wrong.")


def test_of_a_long_message_the_beginning_and_the_end_are_read() -> None:
    filler = "The report goes on about sales in the north. " * 2_000
    said = "That's wrong, it's Friday."
    assert find_correction(f"{said} {filler}") is not None
    assert find_correction(f"{filler} {said}") is not None
    assert find_correction(f"{filler} {said} {filler}") is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Remember that the gate code is 5582", "remember"),
        ("important: the boiler is old", "remember"),
        ("We agreed on SQLite", "remember"),
        ("We decided to use SQLite", "decision"),
        ("The plan is to ship in June", "remember"),
        ("记住，我对花生过敏", "remember"),
        ("我们决定用SQLite", "decision"),
        ("내일 화요일인 거 기억해줘", "remember"),
        ("明日が火曜日だってこと覚えといて", "remember"),
        ("引っ越すことにしました", "decision"),
    ],
)
def test_what_memory_should_keep_is_flagged(text: str, kind: str) -> None:
    assert kind in find_triggers(text)
    assert Triage().read(text).keep


@pytest.mark.parametrize("text", ["I prefer tea", "Turns out the cable was loose", "저는 고양이를 더 좋아해요"])
def test_so_is_whatever_else_is_worth_keeping(text: str) -> None:
    assert Triage().read(text).keep


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("We talked about this, I am vegan", "high"),
        ("we discussed this already", "high"),
        ("That's old, we left that office", None),
        ("I switched to the night shift", None),
        ("I moved to Porto", None),
        ("it's Lena now", None),
    ],
)
def test_what_the_lists_of_the_seed_match_is_sent_on(text: str, sure: str | None) -> None:
    found = Triage().read(text).correction
    assert found is not None
    assert sure in (None, found.sure)


@pytest.mark.parametrize("text", ["what did we agree on?", "Did I decide already?", "tell me a joke", "기억이 안 나"])
def test_a_question_keeps_nothing(text: str) -> None:
    assert not Triage().read(text).keep


def test_patterns_of_the_person_route_as_they_say() -> None:
    triage = Triage(
        (CustomPattern("ship(ped)?", "miner"), CustomPattern("bzzt", "validator"), CustomPattern("crm", "/opt/x"))
    )
    assert Triage().read("haha SHIPPED") == Verdict()
    assert triage.read("haha SHIPPED") == Verdict(keep=True)
    found = triage.read("bzzt, try again").correction
    assert found is not None
    assert found.sure == "medium"
    assert triage.read("put it into the CRM").routes == ("/opt/x",)


def test_a_pattern_meets_typographic_quotes_as_plain_ones() -> None:
    assert Triage((CustomPattern("don't ship", "miner"),)).read("please don’t ship").keep
    assert Triage((CustomPattern("don’t ship", "miner"),)).read("please don't ship").keep


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "RE2 cannot read it: missing )"),
        ("(?=x)y", "RE2 cannot read it"),
        ("(?:(?:a{1,30}){1,30})", "too large"),
        (".*", "matches every message"),
    ],
)
def test_a_bad_pattern_is_refused_with_the_reason_and_the_others_work(pattern: str, why: str) -> None:
    triage = Triage((CustomPattern(pattern, "miner"), CustomPattern("ship", "miner")))
    (refused,) = triage.refused
    assert "Pattern 1 " in refused
    assert why in refused
    assert triage.read("ship it").keep
    assert triage.read("hello").refused == triage.refused


def test_patterns_that_are_too_large_together_are_refused_from_there_on() -> None:
    patterns = [
        CustomPattern(f"{letter}[a-z]{{1,150}}{letter}", "miner") for letter in "abcdefghijklmnopqrstuvwxyz"
    ] * 2
    triage = Triage(patterns)
    assert 0 < len(triage.refused) < len(patterns)
    assert "together" in triage.refused[-1]


def test_a_forgotten_tool_goes_to_the_handler_where_there_is_one() -> None:
    said = "You have a script for that, you used it yesterday"
    assert Triage(handler="/opt/handler").read(said).routes == ("/opt/handler",)
    assert Triage().read(said).routes == ()
