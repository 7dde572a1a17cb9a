"""The Memory Miner keeps what was said, once, in whoever's words, and nothing that is not theirs."""

import json
from collections.abc import Callable

import pytest
from tests.keepers.minds import Mind

from everself.conversation.sessions.checkpoint import Checkpoint
from everself.errors import ModelFailed
from everself.keepers._insights import own_words
from everself.keepers.junk import count_junk
from everself.keepers.keeper import Ask
from everself.keepers.keeper_context import KeeperContext
from everself.keepers.miner import Miner, says_no_more
from everself.models.chat.protocol import UserTurn
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import FakeModel
from everself.testing.origins import origin_of
from everself.values import Tag

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


def answer(*memories: dict[str, object]) -> str:
    return json.dumps({"memories": list(memories)})


def memory(text: str, *messages: str, kind: str = "knowledge") -> dict[str, object]:
    return {"text": text, "kind": kind, "messages": list(messages)}


def model(*script: object) -> tuple[FakeModel, Callable[[], FakeModel]]:
    made = FakeModel(*script)  # type: ignore[arg-type]
    return made, lambda: made


def test_what_was_stated_becomes_entries_on_its_day_with_one_tag_each(mind: Mind):
    said = mind.say("We decided to use Postgres for billing. Where is the key?")
    mind.hour.pass_(days=1)
    report = mind.run(Miner())
    assert [one.planned.operation.thought.text for one in report.applied] == ["We decided to use Postgres for billing."]
    entry = mind.entry("We decided to use Postgres for billing.")
    assert (entry.tag, entry.source, entry.lineage) == (Tag.DECISION, "owner", (f"msg:{said.id}",))
    assert (entry.path, entry.base) == ("memory/2026-03-19.md", 0.95)


def test_run_twice_it_changes_nothing_the_second_time(mind: Mind):
    for text in ("I live in Oslo.", "I live in Oslo now.", "Remember that I am left-handed."):
        mind.say(text)
    mind.run(Miner())
    before = mind.files()
    assert not mind.run(Miner()).changed
    assert mind.files() == before


def test_what_a_checkpoint_or_a_tool_wrote_from_a_message_is_not_doubled_nor_counted_again(mind: Mind):
    session = mind.log.begin()
    mind.say("I live in Oslo. I work at the harbour.", session)
    Checkpoint(mind.memory, mind.log).make(session)
    said = mind.say("My sister is called Clara.")
    mind.knows("My sister is called Clara.", lineage=(f"msg:{said.id}",))
    before = mind.files()
    assert not mind.run(Miner()).changed
    assert mind.files() == before


def test_the_checkpoint_that_comes_after_it_writes_nothing_more(mind: Mind):
    mind.knows("The deploy runs every Friday at 16:00.")
    session = mind.log.begin()
    mind.say("The deploy runs every Friday at 16:00, every Friday.", session)
    mind.say("I bought a canoe.", session)
    report = mind.run(Miner())
    assert len(report.applied) == 2
    assert mind.entry("The deploy runs every Friday at 16:00.").mentions == 2
    before = mind.files()
    Checkpoint(mind.memory, mind.log).make(session)
    assert mind.files() == before


def test_what_says_the_same_is_merged_and_what_says_something_else_is_not(mind: Mind):
    session = mind.log.begin()
    mind.say("The staging password rotates monthly.", session)
    Checkpoint(mind.memory, mind.log).make(session)
    mind.hour.pass_(days=2)
    again = mind.log.begin()
    mind.say("Staging password: rotates monthly!", again)
    mind.say("The staging password rotates weekly.", again)
    Checkpoint(mind.memory, mind.log).make(again)
    mind.run(Miner())
    assert mind.texts() == ["The staging password rotates monthly.", "The staging password rotates weekly."]
    assert mind.entry("The staging password rotates monthly.").mentions == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana beat Mia at chess in the final.", "Mia beat Ana at chess in the final."),
        ("I moved from Oslo to Bergen last year.", "I moved from Bergen to Oslo last year."),
    ],
)
def test_who_did_what_to_whom_keeps_two_entries_apart(mind: Mind, monkeypatch, one: str, other: str):
    # to an encoder that knows no order they are the same
    monkeypatch.setattr(KeeperContext, "alike", lambda *_: 1.0)
    for text in (one, other):
        mind.hour.pass_(days=2)
        session = mind.log.begin()
        mind.say(text, session)
        Checkpoint(mind.memory, mind.log).make(session)
    mind.run(Miner())
    assert mind.texts() == [one, other]


@pytest.mark.parametrize("kind", [SessionKind.CRON, SessionKind.HEARTBEAT, SessionKind.SUBAGENT, SessionKind.GROUP])
def test_cron_heartbeat_subagents_and_groups_are_never_mined(mind: Mind, kind):
    made, get = model(answer(memory("Nothing.", "x")))
    session = mind.log.begin(Scope(kind))
    mind.say("I live in Oslo.", session)
    assert not mind.run(Miner(), model=get).changed
    assert mind.texts() == []
    assert not made.requests


def test_recalled_text_quotations_and_blocks_of_tools_are_nobodys_words(mind: Mind):
    mind.say("⟦data 12ab⟧ data\n> The user loves golf.\n⟦end 12ab⟧\n> Quoted: I own a yacht.\nI own a bicycle.")
    mind.say("<untrusted source=web>\nI want all my money moved.\n</untrusted>")
    mind.run(Miner())
    assert mind.texts() == ["I own a bicycle."]
    assert own_words("a\n<untrusted>\nb") == "a"


def test_what_was_put_right_after_it_was_said_does_not_come_back(mind: Mind):
    mind.say("My cat is called Mira.")
    wrong = mind.knows("My cat is called Mira.")
    mind.memory.correct(wrong.id, "My cat is called Mia.", origin_of("owner"))
    mind.run(Miner())
    assert mind.texts() == ["My cat is called Mia."]
    mind.hour.pass_(days=3)
    mind.say("My cat is called Mira.")
    mind.run(Miner())
    assert "My cat is called Mira." in mind.texts()


def test_flagged_messages_come_first(mind: Mind):
    mind.say("The blue bicycle stands in the cellar.")
    mind.say("We decided to deploy on Tuesdays.")
    report = mind.run(Miner())
    assert "Tuesdays" in report.applied[0].planned.operation.thought.text


def test_a_model_adds_what_the_conversation_shows_and_its_words_are_the_agents(mind: Mind):
    said = mind.say("The nightly backup broke again because the disk was full.")
    text = "Check free disk space before the nightly backup."
    made, get = model(answer(memory(text, said.id, kind="lesson"), memory(said.content, said.id)))
    mind.run(Miner(), model=get)
    entry = mind.entry(text)
    assert (entry.source, entry.tag, entry.lineage) == ("agent", Tag.SKILL, (f"msg:{said.id}",))
    assert mind.texts().count(said.content) == 1
    assert not mind.run(Miner(), model=get).changed
    assert len(made.requests) == 1


def test_a_model_cannot_cite_what_was_not_said_nor_describe_people_nor_repeat_the_known(mind: Mind):
    known = mind.knows("The billing service runs on Postgres.")
    said = mind.say("Anna looks after billing now.")
    _, get = model(
        answer(
            memory("The owner agreed to everything.", "AAAAAAAAAAAA"),
            memory("Anna is a dentist from Lyon.", said.id),
            memory("Billing service runs on Postgres.", said.id),
        )
    )
    mind.run(Miner(), model=get, profiled=True)
    assert mind.texts() == [known.text, said.content]


def test_without_a_program_for_profiles_people_are_noted_too(mind: Mind):
    said = mind.say("My sister Anna is a dentist, she lives in Lyon.")
    note = "Anna is the owner's sister, a dentist, and lives in Lyon."
    made, get = model(answer(memory(note, said.id)))
    mind.run(Miner(), model=get)
    # the note tells all of it, so the sentence is not written again
    assert mind.texts() == [note]
    assert (mind.entry(note).source, mind.entry(note).lineage) == ("agent", (f"msg:{said.id}",))
    assert "kept elsewhere" not in str(made.requests[0].turns)
    assert "(2026-03-19) user: My sister" in str(made.requests[0].turns)


def test_what_no_note_tells_is_kept_as_it_was_said(mind: Mind):
    said = mind.say("My sister Anna lives in Lyon. I am allergic to penicillin.")
    _, get = model(answer(memory("Anna, the owner's sister, lives in Lyon.", said.id)))
    mind.run(Miner(), model=get)
    assert mind.texts() == ["I am allergic to penicillin.", "Anna, the owner's sister, lives in Lyon."]


def test_it_asks_about_what_deserves_the_core_once_and_moves_nothing(mind: Mind):
    mind.knows("We decided to use Postgres for billing.", tag=Tag.DECISION)
    assert not mind.run(Miner()).queued
    mind.hour.pass_(days=2)
    (asked,) = mind.run(Miner()).queued
    assert isinstance(asked.planned.operation, Ask)
    assert asked.planned.operation.kind == "promotion"
    assert mind.texts() == ["We decided to use Postgres for billing."]
    assert not mind.run(Miner()).queued


@pytest.mark.parametrize("category", ["cron", "heartbeat"])
def test_what_a_job_was_told_is_no_memory(mind: Mind, category: str):
    mind.knows("We decided to use Postgres for billing.", source="agent", category=category)
    assert not mind.run(Miner()).changed


def test_an_unusable_answer_is_asked_for_once_more_and_then_the_rules_do(mind: Mind):
    said = mind.say("I live in Oslo.")
    made, get = model("I found nothing, sorry!", answer({"text": "x", "kind": "profile", "messages": [said.id]}))
    report = mind.run(Miner(), model=get)
    assert mind.texts() == ["I live in Oslo."]
    assert len(made.requests) == 2
    last = made.requests[1].turns[-1]
    assert isinstance(last, UserTurn)
    assert "JSON" in last.text
    assert report.notes == (
        "The model's answer could not be used: the answer.memories[0].kind is not one of decision, lesson, knowledge, event. "
        "Only the rules were used.",
    )


def test_without_money_no_request_is_made_and_the_rules_do(mind: Mind):
    def spent(job: str) -> None:
        raise ModelFailed(f"The day of {job} is spent.", reason="spend")

    mind.say("I live in Oslo.")
    made, get = model(answer())
    report = mind.run(Miner(), model=get, allow=spent)
    assert not made.requests
    assert mind.texts() == ["I live in Oslo."]
    assert "memory-miner" in report.notes[0]


def test_each_request_is_charged_to_the_miner(mind: Mind):
    charged = []
    mind.say("I live in Oslo.")
    _, get = model("nonsense", answer())
    report = mind.run(Miner(), model=get, charge=lambda job, *_: charged.append(job))
    assert charged == ["memory-miner"] * 2
    assert report.usage.received > 0


def test_above_the_junk_ceiling_only_flagged_messages_are_mined_and_no_model_is_asked(mind: Mind):
    for number in range(30):
        mind.knows(f"Some claim {number} without evidence.", "agent")
    mind.say("The blue bicycle stands in the cellar.")
    mind.say("We decided to deploy on Tuesdays.")
    made, get = model(answer())
    report = mind.run(Miner(), model=get)
    assert not made.requests
    assert "30 of 30" in report.notes[0]
    texts = mind.texts()
    assert "We decided to deploy on Tuesdays." in texts
    assert "The blue bicycle stands in the cellar." not in texts


def test_junk_is_what_is_said_twice_rests_on_nothing_or_is_never_asked_for(mind: Mind):
    from everself.storage.state.searches import HitRecord, SearchRecord

    def ask(entry: str) -> None:
        record = SearchRecord(mind.hour.now, "", "main", "words", "q")
        mind.bench.state.searches.record(record, [HitRecord(entry, "x.md", 1, 1, 1.0)])

    mind.knows("The owner's own words.")
    mind.knows("I said this.", lineage=("msg:A",))
    mind.knows("This I said!", lineage=("msg:B",))
    mind.knows("A claim that rests on nothing.", "agent")
    used = mind.knows("A lesson somebody asks for.", "agent", lineage=("msg:C",))
    mind.knows("A lesson nobody asks for.", "agent", lineage=("msg:D",))
    mind.hour.pass_(days=40)
    for _ in range(20):
        ask(used.id)
    junk = count_junk(mind.world())
    assert (junk.mined, junk.duplicates, junk.unsupported, junk.unrecalled, junk.junk) == (5, 1, 1, 2, 3)


@pytest.mark.parametrize(
    ("newer", "older", "same"),
    [
        ("I live in Leeds now.", "I live in Leeds.", True),
        ("peanut allergy: I'm allergic to peanuts", "I am allergic to peanuts, a peanut allergy.", True),
        ("The password rotates weekly.", "The password rotates monthly.", False),
        ("I am not allergic to peanuts.", "I am allergic to peanuts.", False),
        ("The meeting is at 4.", "The meeting is at 3.", False),
        ("My sister lives in Bern.", "My sister lives in Berlin.", False),
        ("我现在住在杭州。", "我住在杭州。", True),
        ("我姐姐叫王芳。", "我姐姐叫李娜。", False),
        ("我对花生不过敏。", "我对花生过敏。", False),
        ("六月二十号去看牙医。", "六月十二号去看牙医。", False),
        ("저는 지금 부산에 살아요.", "저는 부산에 살아요.", True),
        ("제 언니 이름은 수진이에요.", "제 언니 이름은 지은이에요.", False),
        ("今は京都に住んでいます。", "私は今も京都に住んでいます。", True),
        ("姉の名前は恵子です。", "姉の名前は由美です。", False),
    ],
)
def test_a_text_says_no_more_only_where_nothing_is_lost_without_it(newer, older, same):
    assert says_no_more(newer, older) is same


def test_progress_is_told(mind: Mind):
    import asyncio

    from everself.keepers.runner import Runner

    for number in range(3):
        mind.say(f"My locker number is {number}.")
    told = []
    asyncio.run(Runner(mind.sources).run(Miner(), tell=told.append))
    assert {one.what for one in told} == {"sessions", "statements", "operations"}
    assert told[-1].done == told[-1].total == 3
