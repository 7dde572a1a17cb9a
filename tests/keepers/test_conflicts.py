"""The Conflict Detector: which of two entries holds, what it asks, and what it writes down; twice the same changes nothing."""

import json

import pytest
from tests.keepers.minds import Mind

from everself.keepers.conflicts import Detector
from everself.keepers.runner import Runner
from everself.keepers.shape import Ask, CloseEntry, Note
from everself.testing.chatting import FakeModel
from everself.values import Tag

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


def kinds(done) -> list[type]:
    return [type(one.planned.operation) for one in done]


def log_of(mind: Mind) -> str:
    return mind.bench.workspace.read("CONFLICTS.md").data.decode()


def open_reviews(mind: Mind):
    return mind.bench.state.reviews.waiting()


def test_the_newer_wins_after_thirty_days_and_what_rests_on_the_loser_is_stale(mind: Mind):
    older = mind.knows("I live in Leeds.", tag=Tag.KNOWLEDGE)
    derived = mind.knows("The owner commutes within Leeds.", "agent", lineage=(f"entry:{older.id}",))
    mind.hour.pass_(days=31)
    newer = mind.knows("I live in Sheffield.", tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert kinds(report.applied) == [Note, CloseEntry]
    closed = mind.memory.book.get(older.id)
    assert (closed.closed, closed.closed_by) == (True, newer.id)
    assert not mind.memory.book.get(newer.id).closed
    assert mind.memory.stale() == {derived.id}
    assert f"stale from now on: {derived.id}" in log_of(mind)
    assert "I live in Leeds." in log_of(mind)
    assert "I live in Sheffield." in log_of(mind)


def test_two_statements_within_thirty_days_become_one_question(mind: Mind):
    older = mind.knows("I live in Leeds.", tag=Tag.KNOWLEDGE)
    mind.hour.pass_(days=29)
    newer = mind.knows("I live in Sheffield.", tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert (kinds(report.applied), kinds(report.queued)) == ([Note], [Ask])
    assert {older.text, newer.text} <= set(mind.texts())
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
    runner = Runner(mind.sources, mind.deeds, [Detector()])
    review = next(one for one in open_reviews(mind) if one.id == asked.review)
    runner.accept(review, answer)
    held = {"newer": {newer.text}, "older": {older.text}, "both": {newer.text, older.text}}[left]
    assert {one for one in mind.texts() if one in (older.text, newer.text)} == held
    assert not mind.run(Detector()).changed


def test_a_correction_wins_whichever_came_first(mind: Mind):
    right = mind.knows("My sister lives in Oslo.", "correction", tag=Tag.CORRECTION)
    mind.hour.pass_(days=2)
    wrong = mind.knows("My sister lives in Bergen.", tag=Tag.KNOWLEDGE)
    mind.run(Detector())
    assert mind.memory.book.get(wrong.id).closed_by == right.id
    assert not mind.memory.book.get(right.id).closed


def test_a_less_trusted_source_never_wins_by_being_newer(mind: Mind):
    older = mind.knows("The API listens on port 8080.", tag=Tag.KNOWLEDGE)
    mind.hour.pass_(days=60)
    mind.knows("The API listens on port 9443.", "web", tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert kinds(report.queued) == [Ask]
    assert not mind.memory.book.get(older.id).closed


def test_what_is_no_event_knowledge_or_decision_is_asked_about_however_old(mind: Mind):
    older = mind.knows("I prefer tea over coffee.", tag=Tag.SKILL)
    mind.hour.pass_(days=90)
    mind.knows("I prefer coffee over tea.", tag=Tag.KNOWLEDGE)
    assert kinds(mind.run(Detector()).queued) == [Ask]
    assert not mind.memory.book.get(older.id).closed


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
    for text in ("I speak French.", "I speak German.", "My sister lives in Oslo.", "My brother lives in Bergen."):
        mind.knows(text, tag=Tag.KNOWLEDGE)
    report = mind.run(Detector())
    assert not report.changed
    assert "CONFLICTS.md" not in mind.files()


def test_what_shares_no_word_is_found_by_its_attribute(mind: Mind):
    for number in range(20):
        mind.knows(f"Note {number} is about the garden.")
    mind.knows("I live in York.")
    mind.knows("We moved to Leeds in March.")
    assert kinds(mind.run(Detector()).queued) == [Ask]


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
    assert any("Compared by rules." in note for note in report.notes)
