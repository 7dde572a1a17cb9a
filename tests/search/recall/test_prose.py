"""Where the first by words is a page, words decide more; notes and talk are ranked as without it."""

from pathlib import Path

from tests.search.recall.world import Searchable, searchable

from everself.search._weights import load_model
from everself.search.recall import RecallRequest
from everself.testing.embedder import FakeEmbedder

PAGE = "The lighthouse at Skagen was built in 1747. "
FILLER = "Nobody remembers who kept it in the first winter, and the letters of that time were lost when the roof of the archive burnt. "


def by_page(made: Searchable, query: str) -> dict[str, float]:
    """What the words of a page add to each hit."""
    made.index.sync()
    made.index.embed()
    hits = made.search(query, RecallRequest("", limit=20, min_score=0.0)).hits
    assert hits
    return {hit.path: sum(part.value for part in hit.parts if part.name == "page_lead") for hit in hits}


def test_the_words_of_a_page_count_more_the_longer_it_is(tmp_path: Path) -> None:
    found = []
    for at, length in enumerate((0, 2, 8)):
        with searchable(tmp_path / str(at), FakeEmbedder()) as made:
            made.write("memory/skagen.md", f"# Skagen\n\n{PAGE}{FILLER * length}\n")
            made.write("memory/other.md", "- Buys bread on Saturdays.\n")
            found.append(by_page(made, "When was the lighthouse at Skagen built?")["memory/skagen.md"])
    assert found[0] == 0
    assert 0 < found[1] < found[2]
    assert found[2] <= load_model(meaning=True).order["page_lead"]


def test_a_page_does_not_outrank_a_note_for_its_length(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/note.md", f"- {PAGE}\n")
        made.write("memory/page.md", f"# Denmark\n\n{FILLER * 6}The lighthouse is old.\n")
        found = by_page(made, "When was the lighthouse at Skagen built?")
        # the note has the most of the words, so that it is no question for pages
        assert set(found.values()) == {0}


def test_what_is_said_at_length_is_no_page(tmp_path: Path) -> None:
    with searchable(tmp_path, FakeEmbedder()) as made:
        made.write("memory/talk.md", f"**user:** Tell me of Skagen.\n**assistant:** {PAGE}{FILLER * 6}\n")
        assert set(by_page(made, "When was the lighthouse at Skagen built?").values()) == {0}
