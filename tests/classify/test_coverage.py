"""Whether notes tell what a statement tells: nothing that was said is lost because somebody noted something like it."""

import pytest

from everself.classify.coverage import adds_nothing, tells, touches, untold


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("My standup is every day at 9:30.", "Daily standup at 9:30."),
        ("my sister ana is moving to porto next march", "Ana, the owner's sister, moves to Porto in March 2027."),
        (
            "btw im deaf in my left ear, 20 yrs of turboprops lol",
            "The owner is deaf in the left ear after 20 years of turboprops.",
        ),
        ("dentist tomorrow at 3", "The owner has a dentist appointment on 2026-11-17 at 15:00."),
        ("contract runs till 31 march 2027", "The owner's contract runs until 2027-03-31."),
        ("제 여동생은 내년 3월에 포르투로 이사 가요", "주인의 여동생은 2027년 3월에 포르투로 이사한다."),
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
