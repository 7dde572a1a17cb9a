"""The reflex as a chat model: which tools it calls for a message, and what it makes of their answers."""

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from everself.classify.pairs import Answering
from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.conversation.reflex import _answers, _plan
from everself.conversation.reflex.model import Reflex
from everself.conversation.reflex.replies import reply
from everself.conversation.save_claims import claims_saving
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

TOOLS = tuple(
    ToolSpec(name, "", {}) for name in ("memory_search", "memory_get", "memory_write", "memory_forget", "file_read")
)
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
        ("我在做什么项目？", "我叫小明，我在做一个叫苔原的项目。"),
        ("내가 무슨 프로젝트 하고 있지?", "내 이름은 알렉스고 툰드라라는 러스트 프로젝트를 하고 있어."),
        ("私はどんなプロジェクトをやってる？", "ツンドラというプロジェクトをやっています。"),
        ("Who fixes our bikes?", "Old Bernard on Mill Lane fixes our bikes."),
    ],
)
def test_a_question_is_answered_by_quoting_memory_with_its_citation(question: str, memory: str) -> None:
    calls = calls_of(UserTurn(question))
    assert {call.name for call in calls} == {"memory_search"}
    said = converse(question, *(found("The weather was fine.", memory) for _ in calls))
    assert memory in said
    assert "memory/2026-11-14.md#L4" in said


def judged(likely: float) -> Callable[[str, Sequence[str]], Answering]:
    def judge(_: str, memories: Sequence[str]) -> Answering:
        return Answering((likely,) * len(memories), sure=likely >= 0.9, near=likely >= 0.2)

    return judge


@pytest.mark.parametrize(
    ("likely", "reply_to"),
    [
        (0.95, "You told me: “Our orchestra plays Mahler.” (memory/2026-11-14.md#L3)"),
        (
            0.5,
            "The nearest I have: “Our orchestra plays Mahler.” (memory/2026-11-14.md#L3)",
        ),
        (0.1, "I don't know that yet."),
    ],
)
def test_how_likely_a_memory_answers_decides_how_it_is_told(
    likely: float, reply_to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_answers, "answering", judged(likely))
    assert converse("Who conducts our orchestra?", found("Our orchestra plays Mahler.")) == reply_to


def test_what_has_nothing_of_the_question_is_no_answer() -> None:
    assert converse("Who conducts our orchestra?", found("The weather was fine.")) == "I don't know that yet."


def labelled(path: str, *lines: str) -> dict[str, object]:
    return {"path": path, "from": 1, "to": len(lines), "text": "\n".join(lines)}


def test_who_it_is_stands_in_identity_and_what_it_is_is_said_with_it() -> None:
    (call,) = calls_of(UserTurn("Who are you?"))
    assert (call.name, json.loads(call.arguments)) == ("file_read", {"path": "IDENTITY.md"})
    said = converse(
        "Who are you?",
        labelled("IDENTITY.md", "# Identity", "- **Name:** Ada", "- **Emoji:** _(the one you sign with)_"),
    )
    assert said == f"I am Ada (IDENTITY.md).\n{reply('self', 'en')}"
    assert converse("Who are you?", labelled("IDENTITY.md", "- **Name:** _(what?)_")) == reply("self", "en")


def test_who_the_owner_is_stands_in_user_or_was_told() -> None:
    calls = calls_of(UserTurn("Who am I?"))
    assert [call.name for call in calls] == ["file_read", "memory_search"]
    known = labelled("USER.md", "# User", "- **Name:** Alex Doe", "- **Call them:** Al")
    assert converse("Who am I?", known, {"results": []}) == "You are Alex Doe, Al (USER.md)."
    assert converse("Who am I?", labelled("USER.md", "# User"), {"results": []}) == "I don't know that yet."


def test_what_is_known_of_the_owner_is_listed_by_file_without_what_ended() -> None:
    calls = calls_of(UserTurn("What do you know about me?"))
    assert {call.name for call in calls} == {"file_read", "memory_get"}
    user = labelled(
        "USER.md", "# User", "<!-- The person", "you live with. -->", "- **Name:** Alex", "- **Time zone:** _(?)_"
    )
    log = labelled("memory/2026-11-15.md", "# Log", "", "I drink tea.", "I drink oolong.") | {
        "ended": [{"from": 3, "to": 3, "ended": "until 2026-11-15"}]
    }
    given = {"USER.md": user, "memory/2026-11-15.md": log}
    paths = [json.loads(call.arguments)["path"] for call in calls]
    said = converse("What do you know about me?", *(given.get(path, labelled(path)) for path in paths))
    assert said.splitlines()[1:] == [
        "USER.md:",
        "- **Name:** Alex (USER.md#L4)",
        "memory/2026-11-15.md:",
        "- I drink oolong. (memory/2026-11-15.md#L4)",
    ]


@pytest.mark.parametrize("kind", [SentenceKind.ORDER, SentenceKind.QUESTION])
def test_a_reminder_is_not_promised(kind: SentenceKind, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "remind me tomorrow to call the bank"
    monkeypatch.setattr(_plan, "read", lambda _: Reading((Sentence(text, kind, "en"),)))
    pieces = ask(UserTurn(text))
    assert not any(isinstance(piece, ReplyCall) for piece in pieces)
    assert "everself cron add" in text_of(pieces)
    assert not claims_saving(text_of(pieces))


def test_what_is_told_with_the_wish_for_a_reminder_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "remind me tomorrow to call the bank"
    monkeypatch.setattr(_plan, "read", lambda _: Reading((Sentence(text, SentenceKind.STATEMENT, "en"),)))
    assert [call.name for call in calls_of(UserTurn(text))] == ["memory_write"]
    assert "everself cron add" in converse(text, WRITTEN)


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


def test_an_empty_memory_and_a_broken_search_are_told_apart() -> None:
    question = "Where is the ladder?"
    calls = calls_of(UserTurn(question))
    assert converse(question, *({"results": []} for _ in calls)) == "I don't know that yet."
    said = converse(question, *({"error": "the index is away"} for _ in calls), failed=True)
    assert "the index is away" in said


def test_a_statement_does_not_answer_the_question_in_the_same_message() -> None:
    text = "I lost my ticket on the tram! Where is my ticket?"
    calls = calls_of(UserTurn(text))
    assert calls[0].name == "memory_write"
    said = converse(text, WRITTEN, *(found("I lost my ticket on the tram!") for _ in calls[1:]))
    assert said.endswith("I don't know that yet.")


def test_words_that_were_not_the_persons_are_called_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_answers, "answering", judged(0.95))
    said = converse("Where is the ladder?", found("The ladder is in the barn.", source="web"))
    assert said.startswith("I have a note of this")


def test_everything_about_somebody_is_listed() -> None:
    said = converse(
        "What do you know about Priya?", found("Priya lives in Leeds.", "The sea is blue.", "Priya bakes bread.")
    )
    assert said.splitlines()[1:] == [
        "- Priya lives in Leeds. (memory/2026-11-14.md#L3)",
        "- Priya bakes bread. (memory/2026-11-14.md#L5)",
    ]


def test_what_shares_only_a_little_of_the_topic_is_not_listed() -> None:
    said = converse(
        "What do you know about the garden party in Leeds?",
        found("The garden party in Leeds is on Friday.", "Leeds is cold."),
    )
    assert "Friday" in said
    assert "cold" not in said


def test_what_was_said_on_a_day_is_read_from_that_days_log() -> None:
    calls = calls_of(UserTurn("What did I say yesterday?"))
    paths = [json.loads(call.arguments)["path"] for call in calls]
    assert (paths, {call.name for call in calls}) == (["memory/2026-11-14.md", "MEMORY.md"], {"memory_get"})
    log = "# Memory Log: 2026-11-14\n\n## [09:00:00] note\n\nI bought a kite.\n<!-- everself: id=A -->\n"
    core = labelled(
        "MEMORY.md",
        "# Memory",
        "- I own a boat <!-- everself: id=B src=correction seen=2026-11-14 n=1 -->",
        "- I own a barn <!-- everself: id=C src=owner seen=2026-11-13 n=1 -->",
        "- I own a bike",
    )
    said = converse("What did I say yesterday?", labelled("memory/2026-11-14.md", *log.splitlines()), core)
    assert said.splitlines()[1:] == ["- I bought a kite. (memory/2026-11-14.md#L5)", "- I own a boat (MEMORY.md#L2)"]
    failed = {"error": "no such file"}
    assert converse("我昨天说了什么？", failed, failed, failed=True) == "2026-11-14没有任何记录。"


def test_forgetting_is_asked_for_by_the_words_that_are_meant() -> None:
    (call,) = calls_of(UserTurn("Forget what I said about the ladder"))
    assert (call.name, json.loads(call.arguments)) == ("memory_forget", {"what": "the ladder"})
    assert "gone" in converse("Forget about the ladder", {"forgotten": 1, "gone": True, "places": {}, "candidates": []})
    none = {
        "forgotten": 0,
        "gone": False,
        "candidates": [],
        "hint": "Nothing was forgotten: no entry contains these words.",
    }
    assert converse("Forget about the ladder", none, failed=True) == reply("forget_none", "en")
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


NOTES = "My sister Ana moves to Porto in March.\n\n- Bed 4 moves to ward 7\n- Tom works at Christmas\n- Priya orders the new pumps\n"


def test_what_was_shown_below_ones_own_words_is_said_to_stay_out() -> None:
    kept = {"entry": "7K3QX9M2ABCD", "path": "memory/2026-11-15.md", "mention": False}
    told = converse(NOTES, kept)
    assert told.endswith(reply("shown_rest", "en"))
    # a short quotation is no text that anybody would miss
    assert reply("shown_rest", "en") not in converse("My sister Ana always says “Carpe diem” to me.", kept)


def test_more_than_an_ok_of_which_nothing_is_kept_is_told_so() -> None:
    assert converse("lol ok") == reply("okay", "en")
    assert converse("haha that was so very funny") == reply("unkept", "en")
    assert converse("好的。") == reply("okay", "zh")


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
        "unkept",
        "left_out",
        "which",
        "longer",
        "command",
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
