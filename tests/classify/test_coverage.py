"""Whether notes tell what a statement tells: nothing that was said is lost because somebody noted something like it."""

import json
from pathlib import Path
from typing import Any

import pytest

from everself.classify import encoder, pairs
from everself.classify.coverage import adds_nothing, same_fact, tells, touches, untold
from everself.classify.pairs import say_same
from everself.text.normalise import fold

CORPUS = Path(__file__).parents[1] / "corpora" / "coverage" / "written.jsonl"
# of the statements that their notes tell in full; a fact that stands twice is better than one that is lost
MOST_TWICE = 10


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("My standup is every day at 9:30.", "Daily standup at 9:30."),
        ("my sister ana is moving to porto next march", "Ana, the owner's sister, moves to Porto in March 2027."),
        (
            "btw im deaf in my left ear, 20 years of turboprops lol",
            "The owner is deaf in the left ear after 20 years of turboprops.",
        ),
        ("dentist tomorrow at 3", "The owner has a dentist appointment on 2026-11-17 at 15:00."),
        ("contract runs till 31 march 2027", "The owner's contract runs until 2027-03-31."),
        ("我妹妹安娜住在里昂", "主人的妹妹安娜住在里昂。"),
    ],
)
def test_a_note_in_other_words_tells_it(said: str, note: str) -> None:
    assert untold(said, [note]) == ()


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("I'm allergic to peanuts and penicillin", "The owner is allergic to peanuts."),
        ("I take ibuprofen and ramipril every morning", "The owner takes ibuprofen every morning."),
        ("My standup is every day at 9:30.", "Daily standup at 9:45."),
        ("My brother Tom lives in Rome.", "Mia, the owner's sister, lives in Rome."),
        ("My brother lives in Rome.", "The owner's sister lives in Rome."),
        ("gym is on tuesday", "The owner goes to the gym on Monday."),
        ("I want to sell the boat.", "The owner wants to buy the boat."),
        ("I never eat meat.", "The owner eats meat."),
        ("I don't eat meat.", "The owner eats meat."),
        ("my flight leaves at 7 from gate B and lands at 9 in oslo", "The owner's flight leaves at 7."),
        ("妹は来年の三月にポルトへ引っ越します", "オーナーには妹がいる。"),
    ],
)
def test_what_a_note_leaves_out_or_tells_otherwise_is_untold(said: str, note: str) -> None:
    assert untold(said, [note]) == (said,)
    assert not tells(note, said)


def test_only_the_sentences_that_are_left_out_are_untold_each_up_to_its_last_such_clause() -> None:
    said = (
        "tobin plays accordion in the wet gulls. fenna is our daughter, shes in gdansk doing marine engineering, "
        "and she flies home 19 december"
    )
    notes = [
        "Tobin plays accordion in the band the Wet Gulls.",
        "Fenna, the owner's daughter, flies home on 2026-12-19.",
    ]
    assert untold(said, notes) == ("fenna is our daughter, shes in gdansk doing marine engineering",)
    assert untold(said, [*notes, "Fenna studies marine engineering in Gdansk."]) == ()


def test_a_note_of_one_thing_does_not_tell_of_another_that_is_alike() -> None:
    assert untold("pim is 9 yrs old, mustard is 9 yrs old", ["Pim, the owner's peregrine, is 9 years old."])


def test_a_note_was_made_of_a_sentence_that_it_tells_a_part_of() -> None:
    assert touches("The owner's vet is Dr Sloot in Ketterby.", "vet is dr sloot over in ketterby")
    assert not touches("The owner's vet is Dr Sloot in Ketterby.", "my licence runs out in january")


def test_a_name_a_number_and_a_day_that_nobody_named_are_new() -> None:
    said, old = "wait. jory is on 15.50 an hour now, since the 1st", "Jory is paid 14 an hour."
    assert adds_nothing("Jory is paid 15.50 an hour since 2026-11-01 (before: 14).", (said, old))
    assert not adds_nothing("Jory is paid 16.50 an hour.", (said, old))
    assert not adds_nothing("Jory is paid 15.50 an hour since 2026-11-09.", (said, old))
    assert not adds_nothing("Jory works for Tobin at 15.50 an hour.", (said, old))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana beat Mia at chess.", "Mia beat Ana at chess."),
        ("The owner moved from Oslo to Bergen.", "The owner moved from Bergen to Oslo."),
        ("ana beat mia", "mia beat ana"),
        ("i moved from oslo to bergen", "The owner moved from Bergen to Oslo."),
        ("The shop is open from 9 to 17.", "The shop is open from 17 to 9."),
        ("安娜赢了米娅", "米娅赢了安娜"),
    ],
)
def test_who_did_what_to_whom_is_part_of_a_fact(one: str, other: str) -> None:
    assert not same_fact(one, other)
    assert not tells(one, other)
    assert untold(one, [other]) == (one,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana beat Mia at chess.", "Mia beat Ana at chess."),
        ("The owner moved from Oslo to Bergen.", "The owner moved from Bergen to Oslo."),
        ("The shop is open from 9 to 17.", "The shop is open from 17 to 9."),
    ],
)
def test_the_learned_head_does_not_take_two_names_or_numbers_for_each_other(
    monkeypatch: pytest.MonkeyPatch, one: str, other: str
) -> None:
    monkeypatch.setattr(pairs, "_likely", lambda *_: 1.0)
    assert not say_same(one, other)


@pytest.mark.parametrize("note", ["The owner is allergic to nuts.", "I'm allergic to nuts"])
def test_a_statement_without_a_word_that_could_be_compared_is_told_by_no_note(note: str) -> None:
    for words in ("all is well", "she is in there", "I am on it"):
        assert not tells(note, words)
        assert not touches(note, words)


def test_a_note_that_denies_what_was_said_does_not_tell_it() -> None:
    assert untold("I eat pork.", ["The owner does not eat pork."]) == ("I eat pork.",)
    assert untold("I eat pork. I don't smoke.", ["The owner eats pork.", "The owner does not smoke."]) == ()


def test_what_tells_more_or_less_is_not_the_same_fact() -> None:
    assert same_fact("Daily standup at 9:30.", "My standup is every day at 9:30.", ordered=False)
    assert not same_fact("Feeding the donkey takes an hour.", "Feeding the moose takes an hour.")
    assert same_fact("The owner's dog is called Bruno.", "my dog is called bruno")
    assert not same_fact("The owner is allergic to peanuts.", "The owner is allergic to peanuts and penicillin.")
    assert not same_fact("Sven owes me 300", "The owner owes Sven 300")
    assert not same_fact("The owner eats pork.", "The owner does not eat pork.")


def test_what_follows_an_untold_clause_is_cut_off_only_where_a_note_tells_it() -> None:
    said = "i will sell the old boat to Henk in spring, but only if the bank agrees"
    assert untold(said, ["The bank has to agree."]) == (said,)


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]


def test_no_fact_that_a_note_leaves_out_is_lost_and_few_are_kept_twice() -> None:
    kept = [(one, fold(" ".join(untold(one["statement"], one["notes"])))) for one in rows()]
    lost = [one["statement"] for one, rest in kept if not all(fold(word) in rest for word in one["left"])]
    told = [rest for one, rest in kept if not one["left"]]
    print(f"coverage: {len(lost)} of {len(kept) - len(told)} lost, {sum(map(bool, told))} of {len(told)} kept twice")
    assert lost == []
    assert sum(map(bool, told)) <= MOST_TWICE


def test_without_an_encoder_nothing_is_lost_either() -> None:
    with encoder.offering(None):
        kept = [(one["left"], fold(" ".join(untold(one["statement"], one["notes"])))) for one in rows()]
    assert all(fold(word) in rest for left, rest in kept for word in left)


@pytest.mark.parametrize("one", ["heron", "whale", "stork", "dog"])
@pytest.mark.parametrize(
    "frame", ["Feeding the {} takes an hour.", "I bought a {} for my mother", "My {} is ill today"]
)
def test_the_same_said_of_something_else_is_another_fact(frame: str, one: str) -> None:
    for other in ("swan", "cat", "horse"):
        said, note = frame.format(one), frame.format(other)
        assert not same_fact(said, note)
        assert not same_fact(said, note, ordered=False)
        assert not tells(note, said)
        assert untold(f"{note} {said}" if note.endswith(".") else f"{note}. {said}.", [note])


def test_across_messages_a_word_that_is_only_near_is_another_word() -> None:
    assert not same_fact("The owner's mother grows roses in Porto.", "In Porto the owner's aunt grows roses.")
    assert not same_fact("The owner drives to work by car.", "The owner often goes to work by bus.")
    assert same_fact("Daily standup at 9:30.", "The daily standup is at 9:30")


def test_what_happens_on_another_weekday_is_another_fact_however_near_the_words_are() -> None:
    one, other = "i go to the gym on mondays", "i go to the gym on tuesdays"
    assert not tells(one, other)
    assert not same_fact(one, other, ordered=False)
    assert untold(f"{one}. {other}.", [one])
