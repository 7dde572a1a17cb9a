"""The Recall Validator sees to it that what was put right stays right and is found, and asks where nobody could tell what was wrong."""

from types import SimpleNamespace

import pytest
from tests.keepers.minds import Mind

from everself.keepers.keeper import Ask, CloseEntry, RunReport
from everself.keepers.validator import Validator
from everself.memory.corrections import mark_embedded, not_embedded
from everself.search.scopes import Scope, SessionKind
from everself.testing.origins import origin_of
from everself.values import Entry

# many small steps add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

RECORD = "CORRECTIONS.md"


def put_right(mind: Mind, wrong: str = "My sister is called Mira", right: str = "My sister is called Mia") -> Entry:
    said = "No, my sister is called Mia, not Mira"
    made = mind.memory.correct(mind.knows(wrong).id, right, origin_of("owner"), said=wrong, trigger=said, sure="high")
    return mind.memory.catalog.get(made.entry)


def record(mind: Mind) -> str:
    return mind.files()[RECORD].decode()


def questions(report: RunReport) -> list[str]:
    return [one.planned.operation.words for one in report.queued if isinstance(one.planned.operation, Ask)]


def test_the_record_holds_when_what_how_sure_and_that_it_is_not_embedded_again_yet(mind: Mind):
    right = put_right(mind)
    wrong = mind.entry("My sister is called Mira")
    assert record(mind).endswith(
        "## [09:30:00] correction on 2026-03-19\n\n"
        "- **Said:** My sister is called Mira\n"
        "- **Right:** My sister is called Mia\n"
        "- **Trigger:** No, my sister is called Mia, not Mira (confidence high)\n"
        f"- **Entries:** entry:{wrong.id} → entry:{right.id}\n"
        "- **Re-embedded:** false\n"
    )
    assert (right.source, right.base, mind.memory.confidence(right)) == ("correction", 1.0, 1.0)
    assert wrong.closed_by == right.id


def test_once_everything_has_its_vector_the_record_says_so_and_loses_nothing_else(mind: Mind):
    put_right(mind)
    put_right(mind, "The deploy day is Monday", "The deploy day is Tuesday")
    before = record(mind)
    report = mind.run(Validator())
    assert (record(mind), report.changed) == (before, False)
    assert report.notes == ("Corrections not embedded yet: 2; search finds them by keywords.",)
    assert mind.run(Validator(), embed=lambda: True).changed
    assert record(mind) == before.replace("Re-embedded:** false", "Re-embedded:** true")
    assert before.count("Re-embedded:** false") == 2
    files = mind.files()
    assert not mind.run(Validator(), embed=lambda: True).changed
    assert mind.files() == files


def test_what_was_corrected_while_the_rest_was_embedded_waits(mind: Mind):
    put_right(mind)

    def embed() -> bool:
        put_right(mind, "The deploy day is Monday", "The deploy day is Tuesday")
        return True

    mind.run(Validator(), embed=embed)
    assert record(mind).index("Re-embedded:** true") < record(mind).index("Re-embedded:** false")


def test_what_only_looks_like_a_record_is_left_alone(mind: Mind):
    put_right(mind, right="My sister is called Mia - **Re-embedded:** false")
    data = mind.files()[RECORD]
    (identity,) = not_embedded(data)
    draft = mind.memory.draft()
    assert mark_embedded(draft, [identity])
    after = (draft.find(RECORD) or b"").decode()
    assert after.count("Re-embedded:** false") == 1
    assert after.rstrip().endswith("- **Re-embedded:** true")
    assert not mark_embedded(draft, [identity])
    assert not_embedded(b"# Corrections\n\nA note of mine.\n") == ()


@pytest.mark.parametrize("source", ["import", "agent", "web"])
def test_what_was_wrong_and_comes_back_through_a_machine_is_closed_again(mind: Mind, source: str):
    right = put_right(mind)
    mind.hour.pass_(days=1)
    again = mind.knows("My sister is called Mira", source)
    report = mind.run(Validator())
    assert [one.planned.operation for one in report.applied] == [CloseEntry(again.id, right.id)]
    assert mind.memory.catalog.get(again.id).closed_by == right.id
    assert not mind.run(Validator()).changed


def test_what_the_owner_says_again_after_the_correction_is_not_this_keepers_matter(mind: Mind):
    put_right(mind)
    mind.hour.pass_(days=1)
    mind.knows("My sister is called Mira")
    assert not mind.run(Validator()).changed


def test_a_correction_that_found_nothing_to_correct_is_tried_again_and_asked_about(mind: Mind):
    one = mind.knows("The meeting with Ann is on Monday")
    other = mind.knows("The meeting with Bob is on Monday")
    mind.say("No, the meeting is on Tuesday, not Monday")
    report = mind.run(Validator())
    (asked,) = questions(report)
    assert "Ann" in asked
    assert "Bob" in asked
    operation = report.queued[0].planned.operation
    assert isinstance(operation, Ask)
    assert {each for choice in operation.choices for each in choice.does} == {CloseEntry(one.id), CloseEntry(other.id)}
    assert operation.choices[-1].label == "None of these"
    assert not mind.memory.catalog.get(one.id).closed
    assert not mind.run(Validator()).changed


def test_where_one_entry_matches_and_the_right_words_were_noted_it_is_closed(mind: Mind):
    wrong = mind.knows("The deploy day of the billing service is Monday")
    said = mind.say("No, the deploy day of the billing service is Tuesday.")
    noted = mind.knows(said.content, category="correction", lineage=(f"msg:{said.id}",))
    report = mind.run(Validator())
    assert [one.planned.operation for one in report.applied] == [CloseEntry(wrong.id, noted.id)]
    assert not mind.run(Validator()).changed


def test_what_differs_in_more_than_one_word_is_asked_about_and_not_closed(mind: Mind):
    other = mind.knows("The rent of the office is 900 euros")
    said = mind.say("No, the rent of the office is not 900 euros at all.")
    mind.knows(said.content, category="correction", lineage=(f"msg:{said.id}",))
    report = mind.run(Validator())
    assert [type(one.planned.operation) for one in (*report.applied, *report.queued)] == [Ask]
    assert not mind.memory.catalog.get(other.id).closed


def test_what_was_put_right_at_once_is_not_asked_about(mind: Mind):
    said = "No, the meeting is on Tuesday, not Monday"
    wrong = mind.knows("The meeting with Ann is on Monday")
    mind.knows("The meeting with Bob is on Monday")
    mind.say(said)
    mind.memory.correct(wrong.id, "The meeting with Ann is on Tuesday", origin_of("owner"), trigger=said)
    assert not mind.run(Validator()).changed


def test_what_says_the_right_thing_already_is_not_asked_about(mind: Mind):
    mind.knows("My sister is called Mia")
    mind.say("No, my sister is called Mia, not Mira")
    assert not mind.run(Validator()).changed


@pytest.mark.parametrize(
    "scope", [Scope(SessionKind.GUEST, "jun"), Scope(SessionKind.GROUP), Scope(SessionKind.CRON)], ids=str
)
def test_nobody_else_corrects_the_owner(mind: Mind, scope: Scope):
    mind.knows("The deploy day is Monday")
    mind.say("No, the deploy day is Tuesday, not Monday", mind.log.begin(scope))
    assert not mind.run(Validator()).changed


def test_a_question_about_numbers_is_none_and_a_forgotten_tool_is_no_memory(mind: Mind):
    mind.knows("The job ran 43 times on Monday")
    mind.say("How many times did the job run?")
    mind.say("No, I told you: you have a tool for Monday, the job ran 44 times, not 43")
    assert mind.world().triage("No, you have a tool for that").about == "tool"
    assert not mind.run(Validator()).changed


def test_what_was_asked_weeks_ago_is_let_go(mind: Mind):
    mind.knows("The meeting with Ann is on Monday")
    mind.knows("The meeting with Bob is on Monday")
    mind.say("No, the meeting is on Tuesday, not Monday")
    mind.hour.pass_(days=15)
    assert not mind.run(Validator()).changed


def test_what_is_found_before_its_correction_is_told(mind: Mind):
    right = put_right(mind)
    wrong = mind.entry("My sister is called Mira")
    for order, notes in (((wrong, right), 1), ((right, wrong), 0), ((right,), 0), ((wrong,), 1)):
        hits = [SimpleNamespace(entry=one.id) for one in order]
        found = SimpleNamespace(search=lambda _, hits=hits: SimpleNamespace(hits=hits))
        report = mind.run(Validator(), embed=lambda: True, recall=found)
        assert len(report.notes) == notes
        assert all(wrong.id in note and right.id in note for note in report.notes)
