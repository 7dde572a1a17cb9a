"""A note with the words that it leaves out."""

from hypothesis import given
from hypothesis import strategies as st

from everself.classify.coverage import same_fact
from everself.text.note_quotes import with_quote, without_quote

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="“”"), min_size=1)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_what_a_note_claims_is_what_it_said_before(note: str, quoted: list[str]) -> None:
    made = note
    for one in quoted:
        made = with_quote(made, one)
    assert without_quote(made) == note
    assert "\n" not in made[len(note) :]


def test_a_second_quotation_joins_the_first() -> None:
    assert with_quote(with_quote("Jory is new.", "nice lad"), "two “left” hands") == (
        "Jory is new. (“nice lad … two ‘left’ hands”)"
    )


def test_a_quotation_is_no_other_fact_and_two_of_them_may_be() -> None:
    assert same_fact("Jory is the apprentice. (“nice lad”)", "Jory is the apprentice.")
    assert not same_fact("Dad wrote (“come home at once”)", "Dad wrote (“stay where you are”)")
