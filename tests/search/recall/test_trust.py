"""Beside meaning, words of notes count as far as some candidate has enough of the question; words of talk always do."""

from pathlib import Path

import pytest
from tests.search.recall.world import Searchable, searchable

from everself.search._features import TRUSTED
from everself.search.ranking import RUN
from everself.search.recall import RecallRequest
from everself.testing.embedder import FakeEmbedder

CHANCE = "Could somebody suggest interesting evening activities around Barcelona for grandparents visiting in November?"
FILLER = "".join(f"- Fact {number} about gardens and machines.\n" for number in range(40))


def by_words(made: Searchable, query: str, text: str) -> float:
    """What the words add to the hit with this text."""
    made.index.sync()
    made.index.embed()
    hits = made.search(query, RecallRequest("", limit=60, min_score=0.0)).hits
    hit = next(hit for hit in hits if text in hit.text)
    return sum(part.value for part in hit.parts if part.name in {*TRUSTED, RUN})


def test_one_word_of_a_long_question_does_not_count_in_a_note(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/notes.md", f"- The evening bus is late.\n{FILLER}")
        assert by_words(made, CHANCE, "evening") == pytest.approx(0, abs=1e-6)


def test_it_counts_in_what_is_said(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/talk.md", "**Anna:** The evening bus is late.\n**Ben:** So is mine.\n")
        assert by_words(made, CHANCE, "evening") > 0


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("bus", "The evening bus is late."),
        ("evening bus", "The evening bus is late."),
        ("鱼", "爷爷买了鱼。"),
        ("爷爷的生日是什么时候", "爷爷的生日是三月七日。"),
    ],
)
def test_short_questions_and_most_of_a_question_count(tmp_path: Path, query: str, note: str) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/notes.md", f"- {note}\n{FILLER}")
        assert by_words(made, query, note) > 0


def test_the_title_of_a_note_is_part_of_what_it_has(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/notes.md", f"# Barcelona\n\n- The hotel has a red door.\n\n# Home\n\n{FILLER}")
        assert by_words(made, "Barcelona", "red door") > 0


def test_without_vectors_words_are_all_there_is(tmp_path: Path) -> None:
    with searchable(tmp_path) as made:
        made.write("memory/notes.md", f"- The evening bus is late.\n{FILLER}")
        made.index.sync()
        hits = made.search(CHANCE, RecallRequest("", limit=60, min_score=0.0)).hits
        assert hits[0].text == "The evening bus is late."
        assert sum(part.value for part in hits[0].parts if part.name in {*TRUSTED, RUN}) > 0
