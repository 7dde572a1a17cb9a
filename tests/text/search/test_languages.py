"""The language of a text by its words' votes, added up as numbers or in a table."""

from hypothesis import given
from hypothesis import strategies as st

from everself.text.search._languages import LATIN, elect, elect_packed, pack, stop_words, tally, votes

WORDS = sorted({*(word for language in LATIN for word in stop_words(language)), "straße", "niño", "canção", "tundra"})


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_packed_votes_elect_as_a_table_of_them_does(words: list[str]) -> None:
    counted = elect(tally((votes(word), 1) for word in words))
    assert elect_packed(sum(pack(votes(word)) for word in words)) == counted


def test_votes_of_one_language_never_reach_into_the_next() -> None:
    loud = "und" if votes("und") else WORDS[0]
    many = pack(votes(loud)) * 8_000_000
    assert elect_packed(many) == elect(tally([(votes(loud), 8_000_000)]))
