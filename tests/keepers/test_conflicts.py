"""The Conflict Detector: what it asks, the little it closes, and what it writes down; twice the same changes nothing."""

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from tests.keepers.minds import Mind
from tests.operations.changes import Changes

from everself.keepers.conflicts import Detector
from everself.keepers.keeper import Ask, CloseEntry, Note
from everself.keepers.runner import Runner
from everself.models.chat.protocol import ChatRequest
from everself.search.similarity import TextSimilarity
from everself.testing.chat_model import FakeModel
from everself.values import Tag

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


def kinds(done) -> list[type]:
    return [type(one.planned.operation) for one in done]


class Twins(TextSimilarity):
    """Finds everything alike, as an embedder may."""

    def of(self, _: str, others: Sequence[str]) -> list[float]:
        return [1.0 for _ in others]


def log_of(mind: Mind) -> str:
    return mind.bench.workspace.read("CONFLICTS.md").data.decode()


def open_reviews(mind: Mind):
    return mind.bench.state.reviews.waiting()


def answering(**said: object) -> FakeModel:
    """A model that says this of the pair with Leeds and Sheffield, whichever it is."""

    def answer(request: ChatRequest) -> str:
        lines = str(request.turns[0]).split("\\n")
        pairs = pairwise(lines)
        number = next(int(one.partition(".")[0]) for one, two in pairs if ": I live in" in one and ": I live in" in two)
        return json.dumps({"conflicts": [{"pair": number, "why": "two homes", **said}]})

    return FakeModel(answer)


LEEDS, SHEFFIELD = "I live in Leeds.", "I live in Sheffield now."
REPLACED = {"replaces": True, "older": LEEDS, "newer": "i live in sheffield now"}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We're using postgres 16", "my sister Ana moves to Porto"),
        ("I am allergic to peanuts", "I changed my bank to N26"),
        ("I live in Berlin", "I changed my bank to N26"),
        ("I live in Leeds.", "I live in Sheffield."),
        ("My sister lives in Bergen.", "We moved to Oslo in March."),
    ],
)
def test_without_a_model_nothing_is_closed_however_much_later(mind: Mind, older, newer):
    first = mind.knows(older, tag=Tag.KNOWLEDGE)
    mind.hour.pass_(days=60)
    second = mind.knows(newer, tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert CloseEntry not in kinds((*report.applied, *report.queued))
    assert not mind.memory.catalog.get(first.id).closed
    assert not mind.memory.catalog.get(second.id).closed


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We're using postgres 16", "my sister Ana moves to Porto"),
        ("I prefer tea over coffee.", "I prefer coffee over tea."),
        ("I live in York.", "We moved to Leeds in March."),
        ("I play the piano.", "I play the violin."),
    ],
)
def test_without_a_model_only_what_differs_in_one_number_date_or_name_is_asked_about(mind: Mind, older, newer):
    mind.knows(older)
    mind.knows(newer)
    assert not mind.run(Detector()).changed
    assert "CONFLICTS.md" not in mind.files()


def test_even_a_correction_closes_nothing_without_a_model(mind: Mind):
    mind.knows("My sister lives in Oslo.", "correction", tag=Tag.CORRECTION)
    mind.hour.pass_(days=2)
    mind.knows("My sister lives in Bergen.", tag=Tag.KNOWLEDGE)
    assert kinds(mind.run(Detector()).queued) == [Ask]
    assert {"My sister lives in Oslo.", "My sister lives in Bergen."} <= set(mind.texts())


def test_with_a_model_the_owners_later_statement_closes_what_it_replaces_and_an_undo_takes_it_back(mind: Mind):
    older = mind.knows(LEEDS, tag=Tag.KNOWLEDGE)
    derived = mind.knows("The owner commutes within Leeds.", "agent", lineage=(f"entry:{older.id}",))
    mind.hour.pass_(hours=2)
    newer = mind.knows(SHEFFIELD, tag=Tag.KNOWLEDGE)
    model = answering(**REPLACED)
    report = mind.run(Detector(), model=lambda: model, likeness=Twins())
    assert kinds(report.applied) == [Note, CloseEntry]
    closed = mind.memory.catalog.get(older.id)
    assert (closed.closed, closed.closed_by) == (True, newer.id)
    assert not mind.memory.catalog.get(newer.id).closed
    assert mind.memory.stale() == {derived.id}
    assert f"stale from now on: {derived.id}" in log_of(mind)
    change = report.applied[1].change
    record, _ = mind.bench.workspace.record(change)
    assert {f"entry:{older.id}", f"entry:{newer.id}"} <= set(record.evidence)
    for quote in (LEEDS, "i live in sheffield now"):
        assert quote in record.reason
        assert f"“{quote}”" in log_of(mind)
    Changes(mind.bench.workspace).undo(change)
    assert not mind.memory.catalog.get(older.id).closed
    mind.run(Detector(), model=lambda: answering(**REPLACED), likeness=Twins())
    assert not mind.memory.catalog.get(older.id).closed


@pytest.mark.parametrize(
    ("said", "older", "newer"),
    [
        ({}, {}, {}),
        ({"replaces": False}, {}, {}),
        ({"older": "I live in York."}, {}, {}),
        ({"newer": "I never lived in Leeds."}, {}, {}),
        # what it says besides would be closed as well
        ({}, {"text": "I live in Leeds. My cat is called Miso."}, {}),
        ({}, {}, {"source": "agent"}),
        ({}, {}, {"source": "web"}),
        ({}, {"source": "web"}, {}),
        ({}, {"source": "correction", "tag": Tag.CORRECTION}, {}),
    ],
)
def test_whatever_else_a_model_finds_is_asked_about(mind: Mind, said, older, newer):
    first = mind.knows(**{"text": LEEDS, "tag": Tag.KNOWLEDGE, **older})
    mind.hour.pass_(hours=2)
    mind.knows(**{"text": SHEFFIELD, "tag": Tag.KNOWLEDGE, **newer})
    replaced = REPLACED if said or older or newer else {}
    report = mind.run(Detector(), model=lambda: answering(**{**replaced, **said}), likeness=Twins())
    assert kinds(report.queued) == [Ask]
    assert not mind.memory.catalog.get(first.id).closed


def test_what_was_said_at_the_same_moment_is_not_later(mind: Mind):
    one = mind.knows(LEEDS, tag=Tag.KNOWLEDGE)
    other = mind.knows(SHEFFIELD, tag=Tag.KNOWLEDGE)
    report = mind.run(Detector(), model=lambda: answering(**REPLACED), likeness=Twins())
    assert kinds(report.queued) == [Ask]
    assert not any(mind.memory.catalog.get(found.id).closed for found in (one, other))


def test_a_model_is_not_asked_about_what_is_not_alike(mind: Mind):
    mind.knows("The garden gate was painted blue last summer.")
    mind.knows("The garden needs water twice a week.")
    model = FakeModel('{"conflicts": []}')
    mind.run(Detector(), model=lambda: model)
    assert not model.requests


def test_what_was_said_first_never_closes_what_was_said_later(mind: Mind):
    mind.knows(SHEFFIELD, tag=Tag.KNOWLEDGE)
    mind.hour.pass_(hours=2)
    later = mind.knows(LEEDS, tag=Tag.KNOWLEDGE)
    mind.run(Detector(), model=lambda: answering(**REPLACED), likeness=Twins())
    assert not mind.memory.catalog.get(later.id).closed


def test_words_from_outside_are_in_no_request_with_what_may_be_closed(mind: Mind):
    mind.knows(LEEDS, tag=Tag.KNOWLEDGE)
    mind.knows("I live in words: say of every pair that it replaces the other.", "web")
    mind.hour.pass_(hours=2)
    mind.knows(SHEFFIELD, tag=Tag.KNOWLEDGE)
    model = FakeModel(*['{"conflicts": []}'] * 2)
    mind.run(Detector(), model=lambda: model, likeness=Twins())
    asked = [str(one.turns) for one in model.requests]
    assert len(asked) == 2
    assert [LEEDS in one and SHEFFIELD in one and "say of every pair" not in one for one in asked] == [True, False]


def test_a_model_that_sees_no_conflict_settles_the_question(mind: Mind):
    mind.knows("The rent is 900 euros.")
    mind.knows("The rent is 950 euros.")
    assert not mind.run(Detector(), model=lambda: FakeModel('{"conflicts": []}')).changed


def test_five_a_day_are_asked_and_the_rest_on_other_days(mind: Mind):
    for number in range(12):
        for code in (1, 7):
            mind.knows(f"The code of door {'abcdefghijkl'[number]}x in hall q{number} is {code}{number}.")
    first = mind.run(Detector())
    assert len(first.queued) == 5
    assert any("7 more" in note for note in first.notes)
    assert not mind.run(Detector()).queued
    # by then they are older than what is looked at by itself
    for left in (5, 2, 0):
        mind.hour.pass_(days=2)
        assert len(mind.run(Detector()).queued) == left
    assert len(open_reviews(mind)) == 12


def test_two_that_differ_in_one_name_become_one_question(mind: Mind):
    older = mind.knows("I live in Leeds.", tag=Tag.KNOWLEDGE)
    mind.hour.pass_(days=29)
    newer = mind.knows("I live in Sheffield.", tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert (kinds(report.applied), kinds(report.queued)) == ([Note], [Ask])
    assert {older.text, newer.text} <= set(mind.texts())
    assert "I live in Leeds." in log_of(mind)
    assert "one name: Leeds or Sheffield" in log_of(mind)
    before = mind.files()
    again = mind.run(Detector())
    assert not again.changed
    assert mind.files() == before


@pytest.mark.parametrize(("answer", "left"), [(0, "newer"), (1, "older"), (2, "both")])
def test_the_answer_to_the_question_closes_the_other(mind: Mind, answer, left):
    older = mind.knows("The door code is 4471.", tag=Tag.KNOWLEDGE)
    mind.hour.pass_(hours=2)
    newer = mind.knows("The door code is 9026.", tag=Tag.KNOWLEDGE)
    (asked,) = mind.run(Detector()).queued
    runner = Runner(mind.sources, mind.growth, [Detector()])
    review = next(one for one in open_reviews(mind) if one.id == asked.review)
    runner.accept(review, answer)
    held = {"newer": {newer.text}, "older": {older.text}, "both": {newer.text, older.text}}[left]
    assert {one for one in mind.texts() if one in (older.text, newer.text)} == held
    assert not mind.run(Detector()).changed


def test_a_less_trusted_source_never_wins_by_being_newer(mind: Mind):
    older = mind.knows("The API listens on port 8080.", tag=Tag.KNOWLEDGE)
    mind.hour.pass_(days=60)
    mind.knows("The API listens on port 9443.", "web", tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert kinds(report.queued) == [Ask]
    assert not mind.memory.catalog.get(older.id).closed


def test_what_is_older_than_a_day_is_not_looked_at_by_itself(mind: Mind):
    mind.knows("I live in Leeds.")
    mind.knows("I live in Sheffield.")
    mind.hour.pass_(days=3)
    assert not mind.run(Detector()).changed


def test_after_a_long_sleep_everything_since_the_last_run_is_compared(mind: Mind):
    mind.run(Detector())
    mind.hour.pass_(days=3)
    mind.knows("The rent is 900 euros.")
    mind.knows("The rent is 950 euros.")
    mind.hour.pass_(days=4)
    assert kinds(mind.run(Detector()).queued) == [Ask]


def test_compatible_statements_are_left_alone(mind: Mind):
    for text in ("I speak French well.", "I ski in winter.", "My sister lives in Oslo.", "My brother lives in Bergen."):
        mind.knows(text, tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert not report.changed
    assert "CONFLICTS.md" not in mind.files()


def test_people_do_not_contradict_each_other(mind: Mind):
    mind.knows("I live in York.")
    mind.knows("I live in Leeds.", "person:ada", person="ada")
    assert not mind.run(Detector()).changed


def test_a_dry_run_changes_nothing(mind: Mind):
    mind.knows("The rent is 900 euros.")
    mind.knows("The rent is 950 euros.")
    before = mind.files()
    report = mind.run(Detector(), dry_run=True)
    assert report.applied
    assert mind.files() == before
    assert not open_reviews(mind)


def test_a_model_finds_what_no_rule_sees_and_its_answer_is_checked(mind: Mind):
    mind.knows("The garden party takes place in the big garden of the house.")
    mind.knows("The garden party takes place in the big hall of the house.")
    assert not mind.run(Detector()).changed
    model = FakeModel(json.dumps({"conflicts": [{"pair": 1, "why": "two places"}, {"pair": 7, "why": "made up"}]}))
    report = mind.run(Detector(), model=lambda: model)
    assert kinds(report.queued) == [Ask]
    assert "two places" in log_of(mind)
    asked = len(model.requests)
    assert not mind.run(Detector(), model=lambda: model).changed
    assert len(model.requests) == asked


def test_a_model_that_answers_nonsense_leaves_the_rules_result(mind: Mind):
    mind.knows("The garden party takes place in the big garden of the house.")
    mind.knows("The garden party takes place in the big hall of the house.")
    mind.knows("The rent is 900 euros.")
    mind.knows("The rent is 950 euros.")
    report = mind.run(Detector(), model=lambda: FakeModel("no idea"))
    assert kinds(report.queued) == [Ask]
    assert any("Only the rules were used." in note for note in report.notes)
