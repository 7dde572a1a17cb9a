"""What people ask of whoever remembers, as they type it: who it is, who they are, what it knows, what was said on a day, a reminder."""

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.conversation.reflex.talking import agent, converse
from tests.conversation.talks import done, notices, say, talking
from tools.train_classify.examples import rows
from tools.train_classify.training import encoder as bundled

from everself.agent import Agent
from everself.classify import encoder
from everself.classify.asks import Ask
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.statements import read
from everself.conversation.events import Text
from everself.conversation.reflex._plan import plan_reply
from everself.identity.ritual import Answers
from everself.operations.setup import set_up
from everself.runtime import Runtime

pytestmark = pytest.mark.slow

TODAY = date(2026, 11, 15)
# what of a message may well ask something, or is not its writer's
ASKING = frozenset({"question", "task", "remember", "quoted"})
EVERY, MISTAKEN = 3, 0.01
# no sentence of tests/corpora/asks
TYPED: dict[Ask, tuple[str, ...]] = {
    "agent": ("who are you then", "你究竟是谁", "너는 대체 누구니", "あなた誰なの"),
    "owner": ("who am i again", "你知道我是谁吗", "내가 누구인지 기억해?", "私が誰か覚えてる"),
    "all": ("what do you know about me now", "你都知道我些什么", "나에 대해서 뭐 알고 있어", "私のこと何か知ってる"),
    "about": (
        "what do you know about my brother in law",
        "关于我嫂子你知道什么",
        "우리 이모에 대해 뭘 알아",
        "義理の兄について何を知ってる",
    ),
    "day": (
        "what did i tell you today then",
        "今天我跟你说了些什么",
        "오늘 내가 뭐라고 말했지",
        "今日は何を話したっけ",
    ),
    "remind": (
        "remind me tomorrow to ring the plumber",
        "明天提醒我给水管工打电话",
        "내일 배관공한테 전화하라고 알려줘",
        "明日配管工に電話するのをリマインドして",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _embedding() -> Iterator[None]:
    with encoder.offering(bundled()):
        yield


@pytest.mark.parametrize(("wanted", "text"), [(ask, text) for ask, texts in TYPED.items() for text in texts])
def test_it_is_recognised_as_people_type_it(wanted: Ask, text: str) -> None:
    plan = plan_reply(text, (), TODAY)
    if wanted == "remind":
        assert plan.remarks == ("remind",)
    else:
        assert [act.job for act in plan.acts] == [wanted]


@pytest.mark.parametrize("text", ["good evening", "你好呀", "안녕안녕", "こんばんは", "thx", "you are mistaken"])
def test_a_greeting_is_no_question_who_it_is(text: str) -> None:
    assert plan_reply(text, (), TODAY).acts == ()


def test_what_people_type_otherwise_asks_nothing_of_the_kind() -> None:
    """Of parts of messages that were not learned from: statements, small talk, wishes."""
    parts = [part for _, row in rows("messages/more/*.jsonl") for part in row["acts"] if part["act"] not in ASKING]
    looked = [part["span"] for part in parts][::EVERY]
    alarms = []
    for text in looked:
        plan = plan_reply(text, (), TODAY)
        if "remind" in plan.remarks or any(act.job in TYPED for act in plan.acts):
            alarms.append(text)
    print(f"{len(alarms)} of {len(looked)} parts of messages that ask nothing are taken for such a question")
    assert len(alarms) <= MISTAKEN * len(looked), alarms


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Runtime]:
    with agent(str(tmp_path)) as opened:
        set_up(opened)
        yield opened


def said(app: Runtime, *messages: str) -> list[str]:
    return [one.reply for one in asyncio.run(converse(app, messages))]


def test_today_has_what_was_put_right_and_not_what_was_replaced(app: Runtime) -> None:
    told = said(
        app,
        "the demo is on 12 may",
        "my tortoise eats dandelions",
        "I already told you the demo is on 14 May!",
        "what did i tell you today",
    )
    listed = told[-1].splitlines()[1:]
    assert len(listed) == 2
    assert any("dandelions" in line for line in listed)
    assert any("14 May" in line and "MEMORY.md" in line for line in listed)


def test_what_the_core_knows_from_another_day_was_not_told_today(app: Runtime) -> None:
    memory = Path(app.agent.workspace, "MEMORY.md")
    old = "- I play the oboe <!-- everself: id=AAAAAAAAAAAA tag=knowledge conf=1 src=owner seen=2020-01-01 n=1 -->\n"
    memory.write_text(memory.read_text(encoding="utf-8") + old, encoding="utf-8")
    (listed,) = said(app, "my tortoise eats dandelions", "what did i tell you today")[1:]
    assert "dandelions" in listed
    assert "oboe" not in listed


@pytest.mark.parametrize(
    ("told", "wish"),
    [
        ("i'm allergic to peanuts", "forget that i'm allergic to peanuts"),
        ("I live in Leeds.", "Please forget that I live in Leeds."),
        ("我对花生过敏", "忘掉我对花生过敏"),
        ("땅콩 알레르기 있어", "땅콩 알레르기 있다는 거 잊어줘"),
        ("ピーナッツアレルギーがある", "ピーナッツアレルギーのことは忘れて"),
    ],
)
def test_a_wish_to_forget_is_never_kept(app: Runtime, told: str, wish: str) -> None:
    Agent(app).remember(told)
    assert [one.kind for one in read(wish).sentences] == [SentenceKind.FORGET]
    said(app, wish)
    app.memory.catalog.refresh()
    assert wish not in [one.text for one in app.memory.catalog.all()]


def test_what_the_reflex_quotes_promises_nothing(app: Runtime) -> None:
    Agent(app).remember("I have saved it and will remember it for you.")
    events = say(app, "what do you know about me")
    assert "saved it" in "".join(one.text for one in events if isinstance(one, Text))
    assert [one for one in notices(events) if "nothing was written" in one] == []


def test_what_the_first_conversation_found_is_known_in_the_next_question(tmp_path: Path) -> None:
    """Through the agent's own tools: a scripted answer would hide that they refuse these files."""
    with talking(tmp_path, answered=False) as (app, _):
        app.ritual.finish(Answers("Miso", "a cat ghost", "dry", "ghost", "Jonas Weber", "Jonas"))
        assert "I am Miso, a cat ghost, dry (IDENTITY.md)." in done(say(app, "What is your name?")).text
        assert "Jonas Weber, Jonas" in done(say(app, "Who am I?")).text
        assert "**Name:** Jonas Weber" in done(say(app, "What do you know about me?")).text


def test_a_message_that_asks_as_a_whole_is_looked_up_though_no_sentence_asks_by_itself() -> None:
    text = "quién cuida a la abuela"
    assert not read(text).of(SentenceKind.QUESTION)
    assert [act.job for act in plan_reply(text, (), None).acts] == ["answer"]
    # what was acted on is not asked as well, and small talk asks nothing
    assert plan_reply(text, ("Corrected.",), None).acts == ()
    assert plan_reply("that was a long day", (), None).acts == ()
