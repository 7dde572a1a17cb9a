"""A correction closes what is wrong and writes what is right, and where that is not clear it changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.agent import Agent, open_runtime
from everself.classify.corrections import Correction
from everself.classify.pairs import Replacing
from everself.classify.triage import Triage, Verdict
from everself.config.sections import CustomPattern
from everself.conversation import corrections, wrong_entries
from everself.conversation.corrections import CorrectionHandler, bare
from everself.conversation.resources import Acted
from everself.conversation.tools.protocol import ToolContext
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.recall import OWNER
from everself.search.scopes import Scope, SessionKind
from everself.values import Entry

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


@pytest.fixture
def app() -> Iterator[Runtime]:
    with open_runtime() as opened:
        set_up(opened)
        # by words alone: no test waits for a model to load
        opened.__dict__["embedder"] = None
        yield opened


def act(app: Runtime, text: str, *, scope: Scope = OWNER, by_owner: bool = True) -> Acted:
    correcting = CorrectionHandler(app.memory, app.recall, Triage())
    return correcting.process(text, ToolContext(scope, "session", "m1", text, by_owner))


def open_entries(app: Runtime) -> list[Entry]:
    app.memory.catalog.refresh()
    return [entry for entry in app.memory.catalog.all() if not entry.closed and entry.vouched]


def words(app: Runtime) -> set[str]:
    return {entry.text for entry in open_entries(app)}


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The head that sees message and memory is sure of nothing."""
    monkeypatch.setattr(corrections, "find_judged", lambda *_: None)


@pytest.mark.usefixtures("unjudged")
def test_a_correction_in_other_words_asks_about_the_nearest_entry_and_no_closes_it(app: Runtime) -> None:
    agent = Agent(app, fresh=False)
    visit = agent.remember("Pim has the check at the vet on Thursday at half past nine")
    agent.remember("Pim is nine years old and eats quail")
    handler = CorrectionHandler(app.memory, app.recall, Triage())
    said = "That is wrong. Pim's appointment is not on Thursday anymore, it is Friday at two in the afternoon."
    asked = handler.process(said, ToolContext(OWNER, "session", "m1", said, by_owner=True))
    assert "Pim has the check at the vet on Thursday" in asked.question
    assert "quail" not in asked.question
    assert not app.memory.catalog.get(visit.entry).closed
    handler.process("no", ToolContext(OWNER, "session", "m2", "no", by_owner=True))
    assert app.memory.catalog.get(visit.entry).closed
    assert any("Friday" in one for one in words(app))


def test_the_wrong_entry_is_closed_and_the_right_one_stands_in_its_place(app: Runtime) -> None:
    wrong = Agent(app, fresh=False).remember("My sister is called Mira")
    Agent(app, fresh=False).remember("My brother is called Tom")
    acted = act(app, "No, my sister is called Mia, not Mira")
    (written,) = acted.written
    assert (written.deed, written.words) == ("corrected", "My sister is called Mia")
    assert app.memory.catalog.get(wrong.entry).closed
    assert words(app) == {"My brother is called Tom", "My sister is called Mia"}
    assert "Mira" in acted.done[0]
    assert written.path in acted.done[0]
    assert not acted.question
    log = Path(app.agent.workspace, "CORRECTIONS.md").read_text()
    assert "No, my sister is called Mia, not Mira (confidence high)" in log


@pytest.mark.parametrize(
    ("known", "said", "right"),
    [
        ("The deadline is Monday", "no no no, the deadline is friday not monday!!", "The deadline is friday"),
        (
            "I live on the thirteenth floor",
            "I live on the third floor, not the thirteenth",
            "I live on the third floor",
        ),
        ("我妹妹叫林月", "不对，我妹妹叫林悦，不叫林月", "我妹妹叫林悦"),
        ("제 직업은 간호사예요", "제 직업은 간호사가 아니라 간호조무사입니다.", "제 직업은 간호조무사예요"),
        ("妹の名前はミラです", "いや、妹の名前はミラじゃなくてミアだよ", "妹の名前はミアです"),
        (
            "My sister’s name is “Mira”",
            "It isn’t Mira, it’s Mia. My sister’s name, I mean.",
            "My sister’s name is “Mia”",
        ),
    ],
)
def test_the_words_of_the_entry_stay_but_for_what_was_wrong(app: Runtime, known: str, said: str, right: str) -> None:
    Agent(app, fresh=False).remember(known)
    act(app, said)
    assert words(app) == {right}


def test_without_the_wrong_words_the_one_entry_that_says_the_same_of_something_else_is_closed(app: Runtime) -> None:
    Agent(app, fresh=False).remember("The staging server runs on port 8080")
    Agent(app, fresh=False).remember("Our cat is called Miso")
    acted = act(app, "That's wrong, the staging server runs on port 8081.")
    assert [one.deed for one in acted.written] == ["corrected"]
    assert words(app) == {"Our cat is called Miso", "The staging server runs on port 8081."}


def test_of_several_that_may_be_meant_none_is_touched_and_the_person_is_asked(app: Runtime) -> None:
    Agent(app, fresh=False).remember("The meeting with Ann is on Monday")
    Agent(app, fresh=False).remember("The meeting with Bob is on Monday")
    acted = act(app, "No, the meeting is on Tuesday, not Monday")
    assert acted.question.count("meeting with") == 2
    assert [one.deed for one in acted.written] == ["remembered"]
    assert len(words(app)) == 3


def test_a_number_that_stands_elsewhere_is_not_corrected(app: Runtime) -> None:
    Agent(app, fresh=False).remember("Bus 43 stops at the old mill")
    act(app, "I'm 34, not 43.")
    assert "Bus 43 stops at the old mill" in words(app)


def test_with_nothing_to_correct_only_the_persons_own_words_are_kept(app: Runtime) -> None:
    said = "No, my sister is called Mia, not Mira"
    acted = act(app, said)
    (entry,) = open_entries(app)
    assert (entry.text, entry.category, entry.source, entry.lineage) == (said, "correction", "owner", ("msg:m1",))
    assert [one.deed for one in acted.written] == ["remembered"]
    act(app, said)
    assert len(open_entries(app)) == 1


def test_what_says_nothing_but_that_something_is_wrong_is_asked_about(app: Runtime) -> None:
    Agent(app, fresh=False).remember("Our cat is called Miso")
    acted = act(app, "That's wrong.")
    assert acted.question
    assert not acted.written
    assert words(app) == {"Our cat is called Miso"}


@pytest.mark.parametrize(
    ("scope", "by_owner"), [(Scope(SessionKind.GROUP), True), (OWNER, False), (Scope(SessionKind.GUEST, "ann"), True)]
)
def test_nobody_but_the_owner_in_private_corrects(app: Runtime, scope: Scope, by_owner: bool) -> None:
    Agent(app, fresh=False).remember("My sister is called Mira")
    assert act(app, "No, my sister is called Mia, not Mira", scope=scope, by_owner=by_owner) == Acted()
    assert words(app) == {"My sister is called Mira"}


def test_the_soul_is_not_corrected_in_passing(app: Runtime) -> None:
    soul = Path(app.agent.workspace, "SOUL.md")
    soul.write_text("# Soul\n\n- I speak calmly.\n")
    act(app, "No, I speak loudly, not calmly.")
    assert soul.read_text() == "# Soul\n\n- I speak calmly.\n"


def test_an_ordinary_message_does_nothing(app: Runtime) -> None:
    Agent(app, fresh=False).remember("My sister is called Mira")
    assert act(app, "My sister is visiting on Sunday.") == Acted()


def test_what_is_to_be_forgotten_is_neither_put_right_nor_asked_about(app: Runtime) -> None:
    Agent(app, fresh=False).remember("My name is Alex")
    assert act(app, "forget that my name is Alex") == Acted()
    assert words(app) == {"My name is Alex"}


def test_a_program_of_the_person_gets_the_messages_that_its_pattern_asks_for(app: Runtime) -> None:
    given: list[tuple[str, str]] = []

    def handle(program: str, text: str) -> bool:
        given.append((program, text))
        return True

    triage = Triage((CustomPattern("deploy(ed|ing)?", "/opt/run"),))
    correcting = CorrectionHandler(app.memory, app.recall, triage, handle)
    correcting.process("We deployed at noon.", ToolContext(OWNER, "s", "m", "", by_owner=True))
    correcting.process("We deployed at noon.", ToolContext(OWNER, "s", "m", "", by_owner=False))
    assert given == [("/opt/run", "We deployed at noon.")]


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("No, my sister is called Mia.", "My sister is called Mia."),
        ("Actually, that's wrong, I moved to Leeds in May", "I moved to Leeds in May"),
        ("不对，我住在苏州", "我住在苏州"),
        ("아니요, 저는 부산에 살아요", "저는 부산에 살아요"),
        ("いや、火曜日です", "火曜日です"),
        ("No.", "No."),
    ],
)
def test_what_only_says_that_it_is_a_correction_is_taken_away(sentence: str, left: str) -> None:
    assert bare(sentence) == left


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize(("score", "asked"), [(0.85, True), (0.84, False)])
def test_what_is_only_alike_is_asked_about_from_85_on_and_never_closed(
    app: Runtime, score: float, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wrong_entries, "replaces", lambda *_: Replacing(0.0, may=False))
    other = Agent(app, fresh=False).remember("Our new office by the harbour opens at eight")
    correcting = CorrectionHandler(app.memory, app.recall, Triage(), alike=lambda _, others: [score] * len(others))
    said = "That's wrong, the office starts work at nine."
    acted = correcting.process(said, ToolContext(OWNER, "session", "m1", said, True))
    assert ("harbour" in acted.question) is asked
    assert not app.memory.catalog.get(other.entry).closed


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("I play the piano", "No, I play tennis."),
        ("I changed my bank to N26", "That's wrong, I changed my tyres and my bank card."),
        ("Our cat is called Miso and sleeps a lot", "No, our cat is called a tabby and sleeps outside."),
    ],
)
def test_what_shares_words_and_may_hold_as_well_is_not_closed_by_a_guess(app: Runtime, known: str, said: str) -> None:
    other = Agent(app, fresh=False).remember(known)
    act(app, said)
    assert not app.memory.catalog.get(other.entry).closed


@pytest.mark.usefixtures("unjudged")
def test_what_may_be_another_value_is_asked_about_and_never_closed(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wrong_entries, "replaces", lambda *_: Replacing(0.99, may=True))
    other = Agent(app, fresh=False).remember("Our new office by the harbour opens at eight")
    acted = act(app, "That's wrong, the office starts work at nine.")
    assert "harbour" in acted.question
    assert not app.memory.catalog.get(other.entry).closed
    assert "That's wrong, the office starts work at nine." in words(app)


def test_of_two_that_match_none_is_closed_and_the_person_is_asked(app: Runtime) -> None:
    Agent(app, fresh=False).remember("Our new office by the harbour opens at eight")
    Agent(app, fresh=False).remember("The old office behind the station opens at seven")
    correcting = CorrectionHandler(app.memory, app.recall, Triage(), alike=lambda _, others: [0.9] * len(others))
    said = "That's wrong, the office starts work at nine."
    acted = correcting.process(said, ToolContext(OWNER, "session", "m1", said, True))
    assert "harbour" in acted.question
    assert "station" in acted.question
    assert len(words(app)) == 3


def change(app: Runtime, text: str) -> Acted:
    """What becomes of a message that only tells of a change."""
    correcting = CorrectionHandler(app.memory, app.recall, Triage())
    return correcting.act(text, Verdict(Correction("low", text)), ToolContext(OWNER, "session", "m1", text, True))


def test_a_change_of_something_that_nobody_knows_is_an_ordinary_statement(app: Runtime) -> None:
    Agent(app, fresh=False).remember("The demo is in the big hall")
    assert change(app, "I started a course in pottery") == Acted()
    assert words(app) == {"The demo is in the big hall"}


def test_a_change_of_something_known_is_asked_about_and_closes_nothing(app: Runtime) -> None:
    Agent(app, fresh=False).remember("My running buddy is Jonas")
    acted = change(app, "My running buddy is Lena")
    assert "Jonas" in acted.question
    assert words(app) == {"My running buddy is Jonas", "My running buddy is Lena"}
