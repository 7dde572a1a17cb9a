"""The examples of seed 3 §8, with the local model as it ships."""

from pathlib import Path

import pytest
from tests.search.recall.world import searchable

from everself.models.embedding.local import open_local
from everself.models.embedding.projection import ProjectedEmbedder

pytestmark = pytest.mark.slow

NOTES = """# Memory

- User likes Python over JavaScript
- The dog is walked at seven, before breakfast
- Deploys go out on Tuesdays, never on a Friday
- Fixed the broken importer in commit a828e60 together with Noor
- The commit of the winter release was reverted the same evening
- Mother's programme at the theatre was on the radio
- Prefers the window seat on long trains
"""


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("user's preferred programming language", "User likes Python over JavaScript"),
        ("preferred programming language", "User likes Python over JavaScript"),
        ("commit a828e60", "Fixed the broken importer in commit a828e60 together with Noor"),
    ],
)
def test_meaning_and_exact_tokens_are_both_found_first(tmp_path: Path, query: str, answer: str) -> None:
    with searchable(tmp_path, ProjectedEmbedder(open_local("", "", ""))) as made:
        made.write("MEMORY.md", NOTES)
        made.index.sync()
        made.index.embed()
        assert made.search(query).hits[0].text == answer


def test_a_decision_of_last_week_is_found_and_can_be_read_by_its_line(tmp_path: Path) -> None:
    with searchable(tmp_path, ProjectedEmbedder(open_local("", "", ""))) as made:
        made.write("memory/2026-02-07.md", "# 2026-02-07\n\n- Decided to use PostgreSQL for the project\n")
        made.write("memory/2026-02-13.md", "# 2026-02-13\n\n- The printer is out of toner\n- Lunch with Bo\n")
        made.index.sync()
        made.index.embed()
        first = made.search("project database decision").hits[0]
        assert (first.path, first.text) == ("memory/2026-02-07.md", "Decided to use PostgreSQL for the project")
        assert not first.weak
