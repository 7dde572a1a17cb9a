"""The language of a text by its words' votes, added up as numbers or in a table."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from everself.text.search._languages import LATIN, elect, pack, stop_words, votes

WORDS = sorted({*(word for language in LATIN for word in stop_words(language)), "straße", "niño", "canção", "tundra"})


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_packed_votes_elect_as_a_table_of_them_does(words: list[str]) -> None:
    table: Counter[str] = Counter()
    for word in words:
        table.update(dict(votes(word)))
    most = max(table.values(), default=0)
    clear = most >= 2 and table["en"] != most
    counted = next(language for language in LATIN if table[language] == most) if clear else "en"
    assert elect(sum(pack(votes(word)) for word in words)) == counted


def test_votes_of_one_language_never_reach_into_the_next() -> None:
    loud = "und" if votes("und") else WORDS[0]
    assert elect(pack(votes(loud)) * 8_000_000) == elect(pack(votes(loud)))
