"""While nobody says which of two statements holds, the older is told with reserve; a model hears which notes a message may make wrong."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conversation.talks import hear, talking

from everself.classify import encoder
from everself.memory.provenance import stated_by_owner
from everself.memory.writing import NewEntry
from everself.models.embedding.local import open_local
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel, call

pytestmark = pytest.mark.slow
SEARCH = {"memorySearch": {"provider": "local"}}
DOSE = "i take 20 mg of citalopram in the morning"


@pytest.fixture(scope="module", autouse=True)
def _encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with encoder.offering(open_local("", "", str(tmp_path_factory.mktemp("models"))).embed):
        yield


def known(app: Runtime, *texts: str) -> list[str]:
    made = [
        app.memory.remember(NewEntry(text, stated_by_owner("chat", f"msg:known{at}"), key=f"known {at}")).entry
        for at, text in enumerate(texts)
    ]
    app.index.sync()
    app.index.embed()
    return made


def replies(app: Runtime, *messages: str) -> list[str]:
    session = app.chat.begin()
    found: list[str] = []
    for message in messages:
        asyncio.run(hear(app, message, session))
        app.index.sync()
        app.index.embed()
        found.append(app.log.messages(session)[-1].content)
    return found


def test_an_older_statement_is_told_beside_the_newer_one_while_nobody_says_which_holds(tmp_path: Path) -> None:
    with talking(tmp_path, answered=False, **SEARCH) as (app, _):
        (old,) = known(app, DOSE)
        asked, _, told = replies(
            app, "they upped my citalopram to 30 mg", "anyway the cat is fat", "how much citalopram do i take?"
        )
        assert "Does this still hold" in asked
        assert DOSE in told
        assert "later you said: “they upped my citalopram to 30 mg”" in told
        assert not app.memory.catalog.get(old).closed
        assert [one.kind for one in app.state.reviews.waiting()] == ["conflict"]


def test_an_answer_settles_the_question_in_review_too(tmp_path: Path) -> None:
    with talking(tmp_path, answered=False, **SEARCH) as (app, _):
        (old,) = known(app, DOSE)
        replies(app, "they upped my citalopram to 30 mg", "no")
        assert app.memory.catalog.get(old).closed
        assert app.state.reviews.waiting() == []


def test_what_the_program_worded_is_not_quoted_as_said(tmp_path: Path) -> None:
    with talking(tmp_path, answered=False, **SEARCH) as (app, _):
        known(app, "the flour comes every wednesday", "saturdays we open at 7")
        corrected, told = replies(app, "no wait, the flour comes thursday not wednesday", "when does the flour come?")
        assert "Corrected" in corrected
        assert "thursday" in told
        assert "You told me" not in told


def test_a_model_hears_which_notes_a_message_may_make_wrong_and_closes_one_by_its_id(tmp_path: Path) -> None:
    ids: list[str] = []
    right = "Imelda Rask plays the widow in the show."
    model = FakeModel(lambda _: call("memory_correct", old=ids[0], new=right), "Noted.")
    with talking(tmp_path, model=model, **SEARCH) as (app, _):
        ids += known(app, "Saskia Doorn plays the widow in the show", "the choir rehearses in the church hall")
        asyncio.run(hear(app, "imelda rask plays the widow now", app.chat.begin()))
        assert ids[0] in model.requests[0].delta
        assert "memory_correct" in model.requests[0].delta
        assert [app.memory.catalog.get(one).closed for one in ids] == [True, False]


def test_a_model_cannot_close_a_note_that_does_not_hold_what_the_owner_calls_wrong(tmp_path: Path) -> None:
    ids: list[str] = []
    model = FakeModel(lambda _: call("memory_correct", old=ids[0], new="The meeting with Li is at 4."), "Noted.")
    with talking(tmp_path, model=model, **SEARCH) as (app, _):
        ids += known(app, "meeting with sandra at 5pm at cafe blume")
        asyncio.run(hear(app, "the meeting with li is at 4 not 3", app.chat.begin()))
        assert not app.memory.catalog.get(ids[0]).closed


@pytest.mark.parametrize(
    "message",
    [
        "no wait, Jonas isnt my running buddy anymore, its Lena now",
        "actually the plumber is not Ferit, it is his cousin Deniz",
        "不对,我的牙医不姓王,姓李",
    ],
)
def test_nothing_unrelated_is_asked_about_if_what_was_wrong_is_not_known(tmp_path: Path, message: str) -> None:
    with talking(tmp_path, answered=False, **SEARCH) as (app, _):
        known(app, "my sister Ana moves to Lisbon in march", "we have two cats, pixel and moss", "妈妈的生日是6月14日")
        (reply,) = replies(app, message)
        assert not {"?", "？"} & set(reply)
        assert not list(app.state.reviews.waiting())
        assert any(message in one.text for one in app.memory.catalog.all())
