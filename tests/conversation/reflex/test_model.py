"""The reflex as a chat model: which tools it calls for a message, and what it makes of their answers."""

import asyncio
import json

import pytest

from everself.classify.save_claims import claims_saving
from everself.classify.sentence_kinds import Language
from everself.conversation.reflex._concepts import asked_in
from everself.conversation.reflex.model import Reflex
from everself.conversation.reflex.replies import reply
from everself.errors import ModelFailed
from everself.models.chat.protocol import (
    ChatRequest,
    ModelTurn,
    ReplyCall,
    ReplyEnd,
    ReplyPart,
    ReplyText,
    ToolCall,
    ToolReturn,
    ToolSpec,
    ToolTurn,
    Turn,
    UserTurn,
)

# how a reply begins that does not know for certain, by how one in the same language begins that does not know
NOT_CERTAIN = {
    "I don't know that yet.": "I don't know that for certain.",
    "这个我还不知道。": "这个我不太清楚。",
    "그건 아직 몰라요.": "확실히는 몰라요.",
    "それはまだわかりません。": "はっきりとはわかりません。",
}
TOOLS = tuple(ToolSpec(name, "", {}) for name in ("memory_search", "memory_get", "memory_write", "memory_forget"))
DELTA = "- Date: Sunday, 2026-11-15\n"


def ask(*turns: Turn, prefix: str = "", tools: tuple[ToolSpec, ...] = TOOLS) -> list[ReplyPart]:
    async def run() -> list[ReplyPart]:
        return [piece async for piece in Reflex().stream(ChatRequest(prefix, DELTA, turns, tools))]

    return asyncio.run(run())


def calls_of(*turns: Turn) -> list[ToolCall]:
    return [piece.call for piece in ask(*turns) if isinstance(piece, ReplyCall)]


def text_of(pieces: list[ReplyPart]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, ReplyText))


def converse(text: str, *contents: object, failed: bool = False, done: tuple[str, ...] = ()) -> str:
    """What is said to a message when the calls it leads to give this."""
    turn = UserTurn(text, done)
    calls = calls_of(turn)
    assert len(calls) == len(contents), calls
    given = tuple(
        ToolReturn(call.id, call.name, json.dumps(content, ensure_ascii=False), failed)
        for call, content in zip(calls, contents, strict=True)
    )
    return text_of(ask(turn, ModelTurn("", tuple(calls)), ToolTurn(given)))


def found(*snippets: str, score: float = 0.8, source: str = "owner") -> dict[str, object]:
    return {
        "results": [
            {"snippet": words, "citation": f"memory/2026-11-14.md#L{line}", "score": score, "source": source}
            for line, words in enumerate(snippets, 3)
        ]
    }


WRITTEN = {"entry": "A", "path": "memory/2026-11-15.md", "citation": "memory/2026-11-15.md#L3", "mention": False}


def test_a_statement_is_written_whole_and_in_the_persons_words() -> None:
    (call,) = calls_of(UserTurn("My name is Alex and I am working on a Rust project called tundra."))
    assert call.name == "memory_write"
    assert json.loads(call.arguments)["content"] == "My name is Alex and I am working on a Rust project called tundra."
    assert "explicit" not in json.loads(call.arguments)


def test_what_shall_be_remembered_is_asked_for_explicitly() -> None:
    (call,) = calls_of(UserTurn("记一下：梯子在阿强那儿"))
    assert json.loads(call.arguments) == {"content": "梯子在阿强那儿", "tag": "knowledge", "explicit": True}


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "how are you?",
        "谢谢你",
        "안녕하세요",
        "ありがとう！",
        "ok",
        "lol",
        "Write me a poem about rain",
        "who are you?",
    ],
)
def test_small_talk_is_answered_and_nothing_is_written(text: str) -> None:
    pieces = ask(UserTurn(text))
    assert not any(isinstance(piece, ReplyCall) for piece in pieces)
    assert text_of(pieces)


def test_a_kept_statement_is_confirmed_with_its_file_in_the_language_of_the_message() -> None:
    assert converse("My cat is called Miso.", WRITTEN) == "I'll remember that (memory/2026-11-15.md)."
    assert converse("우리 고양이 이름은 미소야.", WRITTEN) == "기억해 둘게요 (memory/2026-11-15.md)."


def test_what_could_not_be_written_is_not_claimed() -> None:
    said = converse("My cat is called Miso.", {"error": "the disk is full"}, failed=True)
    assert "the disk is full" in said
    assert not claims_saving(said)


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What project am I working on?", "My name is Alex and I am working on a Rust project called tundra."),
        ("What is my name?", "My name is Alex and I am working on a Rust project called tundra."),
        ("我在做什么项目？", "我叫小明，我在做一个叫苔原的项目。"),
        ("내가 무슨 프로젝트 하고 있지?", "내 이름은 알렉스고 툰드라라는 러스트 프로젝트를 하고 있어."),
        ("私はどんなプロジェクトをやってる？", "ツンドラというプロジェクトをやっています。"),
        ("Who fixes our bikes?", "Old Bernard on Mill Lane fixes our bikes."),
        ("When do they pick up the trash?", "The bins go out on Monday night."),
    ],
)
def test_a_question_is_answered_by_quoting_memory_with_its_citation(question: str, memory: str) -> None:
    calls = calls_of(UserTurn(question))
    assert {call.name for call in calls} == {"memory_search"}
    said = converse(question, *(found("The weather was fine.", memory) for _ in calls))
    assert memory in said
    assert "memory/2026-11-14.md#L4" in said


@pytest.mark.parametrize(
    ("question", "memory", "refusal"),
    [
        ("When does my library card expire?", "I keep my library card in the hall drawer.", "I don't know that yet."),
        ("What does my brother do for a living?", "My brother Ben moved to Oslo.", "I don't know that yet."),
        ("How old is Ben?", "Ben lives in Oslo with two cats.", "I don't know that yet."),
        ("Is my brother married?", "My brother Ben lives in Oslo.", "I don't know that yet."),
        ("What is the cat's name?", "Our dog is called Bean.", "I don't know that yet."),
        ("我哥哥结婚了吗？", "我哥哥住在北京。", "这个我还不知道。"),
        ("我妈妈多大了？", "我妈妈喜欢唱歌。", "这个我还不知道。"),
        ("우리 형 직업이 뭐야?", "형은 부산에 살아.", "그건 아직 몰라요."),
        ("弟の誕生日はいつ？", "弟は大阪に住んでいる。", "それはまだわかりません。"),
        # every word but the one that is asked about
        (
            "Who conducts our orchestra?",
            "Our orchestra plays Mahler with the Bradford choir.",
            "I don't know that yet.",
        ),
        (
            "When is my next appointment for the knee?",
            "Knee exercises every morning before breakfast.",
            "I don't know that yet.",
        ),
        ("What did we pay Hobson for the fence?", "The fence was built by Hobson and Sons.", "I don't know that yet."),
        ("小雨的钢琴老师姓什么？", "小雨的班主任是陈老师，教语文。", "这个我还不知道。"),
        ("어느 병원에서 미나가 일해?", "미나는 간호사고 이름은 박미나예요.", "그건 아직 몰라요."),
        # somebody else, another time
        ("健太の血液型は？", "血液型はOです", "それはまだわかりません。"),
        ("老周欠我多少钱？", "借给老方一万五，说好中秋前还", "这个我还不知道。"),
        ("재작년 수확량은 몇 상자였지?", "작년 수확량은 300상자였다.", "그건 아직 몰라요."),
    ],
)
def test_what_nobody_said_is_not_known_however_near_it_sounds(question: str, memory: str, refusal: str) -> None:
    calls = calls_of(UserTurn(question))
    said = converse(question, *(found(memory) for _ in calls))
    assert said == refusal or said.startswith(NOT_CERTAIN[refusal])


def test_the_nearest_thing_is_shown_as_no_more_than_that() -> None:
    question, memory = "Who conducts our orchestra?", "Our orchestra plays Mahler with the Bradford choir."

    def near(words: str, meaning: float) -> dict[str, object]:
        one = {"snippet": words, "citation": "memory/2026-11-14.md#L3", "score": 0.7, "source": "owner"}
        return {"results": [{**one, "meaning": meaning}]}

    calls = calls_of(UserTurn(question))
    said = converse(question, *(near(memory, 0.8) for _ in calls))
    assert said == f"I don't know that for certain. The nearest I have: “{memory}” (memory/2026-11-14.md#L3)"
    assert converse(question, *(near("The weather was fine.", 0.1) for _ in calls)) == "I don't know that yet."


def test_who_somebody_is_may_stand_in_another_memory() -> None:
    question, memory = "How much do I owe Lionel?", "I owe my brother 340 pounds for the roof rack."
    calls = calls_of(UserTurn(question))
    # they are looked for by name, too
    assert "lionel" in [json.loads(call.arguments)["query"] for call in calls]
    assert "You told me" in converse(question, *(found(memory, "My brother is called Lionel.") for _ in calls))
    assert "You told me" not in converse(question, *(found(memory, "My uncle is called Lionel.") for _ in calls))


def test_nothing_is_near_to_a_name_that_nobody_gave() -> None:
    one = {"snippet": "My brother's name is Ben.", "citation": "memory/2026-11-14.md#L3", "score": 0.8, "meaning": 0.9}
    calls = calls_of(UserTurn("What is my name?"))
    assert converse("What is my name?", *({"results": [one]} for _ in calls)) == "I don't know that yet."


@pytest.mark.parametrize(
    ("question", "language", "concept", "words"),
    [
        ("私の母は何歳？", "ja", "mother", "母"),
        ("우리 형 직업이 뭐야?", "ko", "brother", "형"),
        ("What does my dad do?", "en", "father", "dad"),
    ],
)
def test_what_may_not_stand_beside_a_word_is_no_part_of_its_concept(
    question: str, language: Language, concept: str, words: str
) -> None:
    places = {one.name: spans for one, spans in asked_in(question, language)}
    assert [question[start:end] for start, end in places[concept]] == [words]


def test_a_line_of_a_talk_that_a_note_keeps_is_not_quoted_as_told() -> None:
    question = "Where is the ladder?"
    told = {
        "snippet": "The ladder is in the barn.",
        "citation": "memory/2026-11-14.md#L3",
        "score": 0.7,
        "source": "owner",
    }
    note = "memory/2026-11-14-ladder-barn.md"
    lines = [
        {"snippet": f"{who}: The ladder is in the barn.", "citation": f"{note}#L{line}", "score": 0.9, "path": note}
        for line, who in enumerate(("User", "- User", "Assistant"), 3)
    ]
    calls = calls_of(UserTurn(question))
    assert "memory/2026-11-14.md#L3" in converse(question, *({"results": [*lines, told]} for _ in calls))
    assert converse(question, *({"results": lines} for _ in calls)) == "I don't know that yet."


def test_what_is_near_in_meaning_answers_where_words_alone_would_not() -> None:
    question = "What do I blow into at band practice?"
    memory = "I play the trombone in a brass band."
    calls = calls_of(UserTurn(question))

    def near(meaning: float) -> dict[str, object]:
        one = {"snippet": memory, "citation": "memory/2026-11-14.md#L3", "score": 0.6, "source": "owner"}
        other = {"snippet": "The bins go out on Monday.", "citation": "memory/2026-11-14.md#L4", "score": 0.3}
        return {"results": [{**one, "meaning": meaning}, {**other, "meaning": 0.4}]}

    assert memory in converse(question, *(near(0.8) for _ in calls))
    assert "You told me" not in converse(question, *(near(0.2) for _ in calls))


def test_an_empty_memory_and_a_broken_search_are_told_apart() -> None:
    question = "Where is the ladder?"
    calls = calls_of(UserTurn(question))
    assert converse(question, *({"results": []} for _ in calls)) == "I don't know that yet."
    said = converse(question, *({"error": "the index is away"} for _ in calls), failed=True)
    assert "the index is away" in said


def test_a_statement_does_not_answer_the_question_in_the_same_message() -> None:
    text = "I can't find my ticket! Where is my ticket?"
    calls = calls_of(UserTurn(text))
    assert calls[0].name == "memory_write"
    said = converse(text, WRITTEN, *(found("I can't find my ticket!") for _ in calls[1:]))
    assert said.endswith("I don't know that yet.")


def test_words_that_were_not_the_persons_are_called_a_note() -> None:
    calls = calls_of(UserTurn("Where is the ladder?"))
    said = converse("Where is the ladder?", *(found("The ladder is in the barn.", source="web") for _ in calls))
    assert said.startswith("I have a note of this")


def test_everything_about_somebody_is_listed() -> None:
    said = converse(
        "What do you know about Priya?", found("Priya lives in Leeds.", "The sea is blue.", "Priya bakes bread.")
    )
    assert said.splitlines()[1:] == [
        "- Priya lives in Leeds. (memory/2026-11-14.md#L3)",
        "- Priya bakes bread. (memory/2026-11-14.md#L5)",
    ]


def test_what_was_said_on_a_day_is_read_from_that_days_log() -> None:
    (call,) = calls_of(UserTurn("What did I say yesterday?"))
    assert (call.name, json.loads(call.arguments)) == ("memory_get", {"path": "memory/2026-11-14.md"})
    log = "# Memory Log: 2026-11-14\n\n## [09:00:00] note\n\nI bought a kite.\n<!-- everself: id=A -->\n"
    said = converse("What did I say yesterday?", {"path": "memory/2026-11-14.md", "from": 1, "to": 6, "text": log})
    assert said.splitlines()[1:] == ["- I bought a kite. (memory/2026-11-14.md#L5)"]
    assert converse("我昨天说了什么？", {"error": "no such file"}, failed=True) == "2026-11-14没有任何记录。"


def test_forgetting_is_asked_for_by_the_words_that_are_meant() -> None:
    (call,) = calls_of(UserTurn("Forget what I said about the ladder"))
    assert (call.name, json.loads(call.arguments)) == ("memory_forget", {"what": "the ladder"})
    assert "gone" in converse("Forget about the ladder", {"forgotten": 1, "gone": True, "places": {}, "candidates": []})
    listed = {"forgotten": 0, "gone": False, "candidates": [{"entry": "A1", "text": "The ladder is in the barn."}]}
    assert "- The ladder is in the barn. (A1)" in converse("Forget about the ladder", listed, failed=True)


def test_what_was_corrected_already_is_said_and_not_written_again() -> None:
    pieces = ask(UserTurn("No, it's Lisbon, not Porto.", ("Corrected: it is Lisbon.",)))
    assert text_of(pieces) == "Corrected: it is Lisbon."


def test_a_paste_of_two_thousand_lines_writes_next_to_nothing() -> None:
    lines = [f"2026-01-01 worker {number} finished job {number * 7}" for number in range(2000)]
    assert calls_of(UserTurn("\n".join(lines))) == []
    calls = calls_of(UserTurn("\n".join(["I run this on the machine in my cellar.", "", *lines])))
    assert [json.loads(call.arguments)["content"] for call in calls] == ["I run this on the machine in my cellar."]


def test_the_first_greeting_speaks_of_the_ritual_as_long_as_it_waits() -> None:
    assert "/bootstrap" in text_of(ask(UserTurn("hello"), prefix="## BOOTSTRAP.md\n"))
    assert "/bootstrap" not in text_of(ask(UserTurn("hello")))


def test_no_canned_reply_but_a_confirmation_claims_that_something_was_kept() -> None:
    keys = (
        "greeting",
        "ritual",
        "thanks",
        "okay",
        "unknown",
        "order",
        "self",
        "shown",
        "failed",
        "not_forgotten",
    )
    for language in ("en", "zh", "ko", "ja"):
        assert [key for key in keys if claims_saving(reply(key, language))] == []


def test_it_ends_every_answer_calls_nothing_it_was_not_given_and_fills_in_no_forms() -> None:
    assert isinstance(ask(UserTurn("My cat is called Miso."))[-1], ReplyEnd)
    assert not any(isinstance(piece, ReplyCall) for piece in ask(UserTurn("My cat is called Miso."), tools=()))
    assert text_of(ask(UserTurn("Store what matters, or reply NO_REPLY."))) == "NO_REPLY"

    async def fill() -> None:
        async for _ in Reflex().stream(ChatRequest("", "", (UserTurn("hi"),), schema={"type": "object"})):
            pass

    with pytest.raises(ModelFailed):
        asyncio.run(fill())
