"""A correction through the chat, without a model: what is wrong is found by recall and replaced, every copy of it, or asked about."""

from collections.abc import Iterator

import pytest
from tests.conversation.reflex.talking import agent, converse

from everself.agent import Agent
from everself.classify import encoder
from everself.classify.corrections import Correction
from everself.classify.triage import Triage, Verdict
from everself.conversation import corrections
from everself.conversation.corrections import CorrectionHandler
from everself.conversation.resources import Acted
from everself.conversation.tools.protocol import ToolContext
from everself.operations.changes import undo_change
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.recall import OWNER

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path: str) -> Iterator[Runtime]:
    with agent(str(tmp_path)) as opened:
        set_up(opened)
        assert opened.embedder is not None
        with encoder.offering(opened.embedder.embed):
            yield opened


def known(app: Runtime) -> list[str]:
    app.memory.catalog.refresh()
    return [entry.text for entry in app.memory.catalog.all() if not entry.closed and entry.vouched]


async def _say(app: Runtime, *messages: str) -> list[str]:
    return [said.reply for said in await converse(app, messages)]


def say(app: Runtime, *messages: str) -> list[str]:
    import asyncio

    return asyncio.run(_say(app, *messages))


def correct(app: Runtime, text: str, old: str = "", new: str = "") -> Acted:
    """What becomes of a message that is a correction for certain."""
    handler = CorrectionHandler(app.memory, app.recall, Triage())
    told = Verdict(Correction("high", text, old, new))
    return handler.act(text, told, ToolContext(OWNER, "session", "m1", text, True))


@pytest.mark.parametrize(
    ("told", "again", "right"),
    [
        ("the demo is on 12 May", "I already told you the demo is on 14 May!", "the demo is on 14 May"),
        ("the train leaves at 17:40", "no, the train leaves at 18:10", "18:10"),
        ("演示在5月12号", "不对，演示在5月14号", "演示在5月14号"),
        ("데모는 5월 12일이야", "아니요, 데모는 5월 14일이야", "데모는 5월 14일이야"),
        ("デモは5月12日です", "違うよ、デモは5月14日です", "デモは5月14日です"),
    ],
)
def test_a_known_fact_with_another_value_is_replaced(app: Runtime, told: str, again: str, right: str) -> None:
    said = say(app, told, again)
    (entry,) = known(app)
    assert right in entry
    assert told in said[1]


@pytest.mark.parametrize(
    ("told", "moved", "names"),
    [
        ("I live in Lisbon", "I moved to Porto", ("Lisbon", "Porto")),
        ("我住在苏州", "我搬到厦门了", ("苏州", "厦门")),
        ("나는 전주에 살아", "나 부산으로 이사했어", ("전주", "부산")),
        ("松本に住んでいます", "金沢に引っ越しました", ("松本", "金沢")),
    ],
)
def test_what_may_be_another_value_is_kept_and_the_older_one_is_asked_about(
    app: Runtime, told: str, moved: str, names: tuple[str, str]
) -> None:
    Agent(app, fresh=False).remember(told)
    Agent(app, fresh=False).remember("The blue bicycle stands in the cellar")
    acted = correct(app, moved)
    assert names[0] in (*acted.done, acted.question)[-1]
    assert "bicycle" not in acted.question
    assert any(names[1] in text for text in known(app))


@pytest.mark.parametrize(
    ("told", "change", "gone", "name"),
    [
        ("my running buddy is Jonas", "Jonas isn't my running buddy anymore, it's Lena now", "is Jonas", "Lena"),
        ("我的跑步搭子是小周", "我的跑步搭子不是小周，是小林", "是小周", "小林"),
        ("내 러닝 메이트는 민수야", "내 러닝 메이트는 민수가 아니라 지연이야", "민수", "지연"),
        ("ランニング仲間は健太です", "ランニング仲間は健太じゃなくて美咲です", "健太", "美咲"),
    ],
)
def test_a_new_name_takes_the_place_of_the_old_one(app: Runtime, told: str, change: str, gone: str, name: str) -> None:
    say(app, told, change)
    (entry,) = known(app)
    assert name in entry
    assert gone not in entry
    assert "Lena is Jonas" not in entry


@pytest.mark.parametrize(
    ("copies", "correction", "right"),
    [
        (
            ("The demo is on 12 May", "The demo is on 12 May.", "the demo is on 12 may!"),
            "No, the demo is on 14 May",
            "14 May",
        ),
        (("演示在5月12号", "演示在5月12号。"), "不对，演示在5月14号", "5月14号"),
    ],
)
def test_every_copy_is_closed_in_one_change(app: Runtime, copies: tuple[str, ...], correction: str, right: str) -> None:
    entries = [Agent(app, fresh=False).remember(text).entry for text in copies]
    acted = correct(app, correction)
    assert not acted.question
    (written,) = acted.written
    (entry,) = known(app)
    assert right in entry
    closed = [app.memory.catalog.get(one) for one in dict.fromkeys(entries)]
    assert all(one.closed for one in closed)
    undo_change(app.workspace, written.change)
    assert len(known(app)) == len(closed)


def test_nothing_that_is_known_is_noted_and_nothing_is_said_of_it(app: Runtime) -> None:
    acted = correct(app, "No, the concert hall seats nine hundred people")
    assert [one.deed for one in acted.written] == ["remembered"]
    assert not acted.question


@pytest.mark.parametrize(
    ("told", "moved", "names"),
    [
        ("I live in Lisbon", "I moved to Porto", ("Lisbon", "Porto")),
        ("i'm mara, i live in lisbon and work as a nurse", "I moved to Porto", ("lisbon", "Porto")),
        ("my bank is Millennium", "I changed my bank to N26", ("Millennium", "N26")),
        ("我住在苏州", "我搬到厦门了", ("苏州", "厦门")),
        ("나는 전주에 살아", "나 부산으로 이사했어", ("전주", "부산")),
    ],
)
def test_who_tells_of_a_change_is_asked_whether_the_older_still_holds(
    app: Runtime, told: str, moved: str, names: tuple[str, str]
) -> None:
    Agent(app).remember("The blue bicycle stands in the cellar")
    said = say(app, told, moved)
    assert names[0] in said[1]
    assert "bicycle" not in said[1]
    assert {one for one in known(app) if any(name in one for name in names)} == {told, moved}


@pytest.mark.parametrize("new", ["I started learning the cello", "I stopped smoking last week"])
def test_who_tells_of_a_change_of_nothing_known_is_not_asked(app: Runtime, new: str) -> None:
    Agent(app).remember("my tortoise is called Archimedes")
    (said,) = say(app, new)
    assert "Archimedes" not in said
    assert any(new in one for one in known(app))


# each beside what is wrong, and about something else
NEAR_MISSES = (
    ("the demo is on 12 May", "the dress rehearsal is on 12 May", "I already told you the demo is on 14 May!"),
    ("my running buddy is Jonas", "Jonas fixes my bike", "Jonas isn't my running buddy anymore, it's Lena now"),
    ("my sister's birthday is 3 June", "my brother's birthday is 3 June", "no, my sister's birthday is 5 June"),
    ("the train leaves at 17:40", "the bus leaves at 17:40", "no, the train leaves at 18:10"),
    ("演示在5月12号", "彩排在5月12号", "不对，演示在5月14号"),
    ("데모는 5월 12일이야", "리허설은 5월 12일이야", "아니요, 데모는 5월 14일이야"),
    ("デモは5月12日です", "リハーサルは5月12日です", "違うよ、デモは5月14日です"),
)


@pytest.mark.parametrize(("wrong", "beside", "correction"), NEAR_MISSES)
def test_a_correction_never_closes_what_is_about_something_else(
    app: Runtime, wrong: str, beside: str, correction: str
) -> None:
    Agent(app).remember(wrong)
    Agent(app).remember(beside)
    say(app, correction)
    assert beside in known(app)


@pytest.mark.parametrize(("wrong", "beside", "correction"), NEAR_MISSES)
def test_a_correction_of_what_nobody_told_closes_nothing(
    app: Runtime, wrong: str, beside: str, correction: str
) -> None:
    Agent(app).remember(beside)
    say(app, correction)
    assert beside in known(app), wrong


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The head that sees message and memory is sure of nothing, so that the owner is asked."""
    monkeypatch.setattr(corrections, "find_judged", lambda *_: None)


def asked_about(app: Runtime, told: str, moved: str) -> tuple[CorrectionHandler, Acted]:
    Agent(app, fresh=False).remember(told)
    handler = CorrectionHandler(app.memory, app.recall, Triage())
    setting = ToolContext(OWNER, "session", "AAAAAAAAAAAA", moved, True)
    return handler, handler.act(moved, Verdict(Correction("low", moved)), setting)


def answer(handler: CorrectionHandler, text: str, session: str = "session", *, by_owner: bool = True) -> Acted:
    return handler.process(text, ToolContext(OWNER, session, "BBBBBBBBBBBB", text, by_owner))


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize(
    ("told", "moved", "no"),
    [("I live in Lisbon", "I moved to Porto", "no"), ("松本に住んでいます", "金沢に引っ越しました", "いいえ")],
)
def test_who_says_no_to_what_was_asked_closes_it(app: Runtime, told: str, moved: str, no: str) -> None:
    handler, acted = asked_about(app, told, moved)
    assert told in acted.question
    done = answer(handler, no)
    assert told in done.done[0]
    assert known(app) == [moved]
    undo_change(app.workspace, done.written[0].change)
    assert set(known(app)) == {told, moved}


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize("said", ["yes", "", "no idea", "I like tea"])
def test_any_other_answer_closes_nothing_and_ends_the_question(app: Runtime, said: str) -> None:
    handler, _ = asked_about(app, "I live in Lisbon", "I moved to Porto")
    answer(handler, said)
    answer(handler, "no")
    assert {"I live in Lisbon", "I moved to Porto"} <= set(known(app))


def test_only_the_owner_answers_and_only_where_it_was_asked(app: Runtime) -> None:
    handler, _ = asked_about(app, "I live in Lisbon", "I moved to Porto")
    answer(handler, "no", by_owner=False)
    answer(handler, "no", "another")
    assert "I live in Lisbon" in known(app)
    Agent(app, fresh=False).forget(words="Porto")
    answer(handler, "no")
    assert "I live in Lisbon" in known(app)


def test_a_correction_said_twice_is_a_mention_of_it(app: Runtime) -> None:
    say(app, "the train leaves at 17:40", "no, the train leaves at 18:10", "no, as i said, the train leaves at 18:10!")
    (now,) = [one for one in app.memory.catalog.all() if not one.closed and one.vouched]
    assert "18:10" in now.text


@pytest.mark.parametrize(
    ("told", "said", "left"),
    [
        (
            "the flour comes every wednesday",
            "no wait, the flour comes thursday not wednesday",
            "the flour comes every thursday",
        ),
        (
            "kids: Wren is 7, Otis turned three in august.",
            "i told you rubbish about the kids, wren is 8",
            "kids: Wren is 8, Otis turned three in august.",
        ),
    ],
)
def test_another_value_is_put_in_its_place_and_the_rest_stays(app: Runtime, told: str, said: str, left: str) -> None:
    Agent(app, fresh=False).remember("i run a small bakery in utrecht")
    Agent(app, fresh=False).remember(told)
    say(app, said)
    (now,) = [one for one in known(app) if "bakery" not in one]
    assert now.startswith(left)


def test_a_change_of_a_day_asks_about_nothing_else(app: Runtime) -> None:
    Agent(app, fresh=False).remember("i run a small bakery in utrecht")
    (reply,) = say(app, "we moved the flour delivery to wednesday")
    assert "bakery" not in reply


@pytest.mark.parametrize(
    ("said", "gone", "right"),
    [
        (
            ("our flour comes from Hendersons every Wednesday", "when does the flour come?", "no, thursdays now"),
            "Wednesday",
            "our flour comes from Hendersons every thursdays",
        ),
        (("my standup is at 9:30 every day", "no its 9:45"), "9:30", "my standup is at 9:45 every day"),
        (("合唱团周五晚上6点排练", "合唱团几点排练？", "不对，7点"), "6点", "合唱团周五晚上7点排练"),
    ],
)
def test_a_value_alone_puts_right_what_was_said_right_before(
    app: Runtime, said: tuple[str, ...], gone: str, right: str
) -> None:
    Agent(app).remember("the dentist is on Wednesday at 9:30 and the bank at 6 pm")
    say(app, *said)
    assert right in known(app)
    assert sum(gone in one for one in known(app)) == (gone in "the dentist is on Wednesday at 9:30")


@pytest.mark.parametrize(
    ("told", "asked", "said"),
    [
        # both names are words of grammar in some other language
        ("Leo is 8 years old.", "How old is Leo?", "Mia 6"),
        ("Choir rehearsal is Friday at 6pm.", "When is choir rehearsal?", "Ben 7:15"),
    ],
)
def test_a_value_of_somebody_else_closes_nothing(app: Runtime, told: str, asked: str, said: str) -> None:
    say(app, told, asked, said)
    assert told in known(app)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I paid 20 euros for lunch on monday", "I paid 30 euros for lunch on tuesday"),
        ("we had 12 guests on friday", "we had 15 guests on saturday"),
    ],
)
def test_what_is_told_of_another_day_closes_nothing_that_was_told_right_before(
    app: Runtime, first: str, second: str
) -> None:
    say(app, first, second)
    assert {first, second} <= set(known(app))


def test_a_word_a_denial_and_another_word_put_a_name_right(app: Runtime) -> None:
    say(app, "hair comes from a mr pavic in brno, i trust nobody else with it", "RAVIC not pavic.")
    assert known(app) == ["hair comes from a mr RAVIC in brno, i trust nobody else with it"]


@pytest.mark.usefixtures("unjudged")
def test_what_is_said_beside_a_doubt_stays_together(app: Runtime) -> None:
    said = "fenna wrote, shes not coming the 19th after all, exam got moved. she lands 22 december now"
    replies = say(app, "fenna is our daughter and flies home 19 december", said)
    assert "Does this still hold" in replies[1]
    assert said in known(app)


def test_a_value_that_nobody_spoke_of_is_asked_about_and_not_noted(app: Runtime) -> None:
    (reply,) = say(app, "no its 9:45")
    assert "What exactly is wrong" in reply
    assert known(app) == []


def test_of_several_the_one_that_is_named_is_closed(app: Runtime) -> None:
    Agent(app, fresh=False).remember("Mara keeps the spare key of the workshop")
    Agent(app, fresh=False).remember("Mara keeps the spare key of the garage")
    handler = CorrectionHandler(app.memory, app.recall, Triage())
    setting = ToolContext(OWNER, "session", "AAAAAAAAAAAA", "", True)
    told = Verdict(Correction("high", "No, Jonas keeps the spare key now"))
    asked = handler.act("No, Jonas keeps the spare key now", told, setting)
    assert "1. Mara" in asked.question
    assert "2. Mara" in asked.question
    second = "workshop" if "1. Mara keeps the spare key of the garage" in asked.question else "garage"
    acted = handler.process("the second one", setting)
    assert [one.deed for one in acted.written] == ["corrected"]
    assert not any("Mara" in one and second in one for one in known(app))
    assert sum("Mara" in one for one in known(app)) == 1
