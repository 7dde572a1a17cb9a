"""The pages and preferences are well formed, and what is sealed is what was sealed."""

from pathlib import Path

import pytest
from tools.train_recall.lives import Part, unsealed
from tools.train_recall.written_stores import written_sets

FOLDER = Path(__file__).parent / "pages_and_preferences"


@pytest.mark.parametrize(
    ("part", "preferences", "pages"), [("train", 270, 155), ("choose", 135, 77), ("sealed", 135, 73)]
)
def test_every_question_names_what_answers_it(part: Part, preferences: int, pages: int) -> None:
    listed, *shelves = written_sets(FOLDER, part)
    (memory,) = listed.stores
    assert [question.evidence for question in memory.questions] == [(at,) for at in range(preferences)]
    assert len({unit.body for unit in memory.units}) == preferences
    stores = [store for one in shelves for store in one.stores]
    assert sum(len(store.units) for store in stores) == pages
    for store in stores:
        asked = [question.evidence[0] for question in store.questions]
        assert set(asked) == set(range(len(store.units))), store.name
        assert len({question.text for question in store.questions}) == len(asked), store.name


def test_no_preference_and_no_page_stands_in_two_parts() -> None:
    held = [
        {unit.body for one in written_sets(FOLDER, part) for store in one.stores for unit in store.units}
        for part in ("train", "choose", "sealed")
    ]
    assert sum(len(one) for one in held) == len(set().union(*held))


def test_what_was_changed_after_sealing_is_not_read(tmp_path: Path) -> None:
    for path in (FOLDER / "sealed").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pages.jsonl.xz").write_bytes(b"other")
    with pytest.raises(ValueError, match="not what was sealed"):
        unsealed(tmp_path / "pages.jsonl.xz")
    assert unsealed(tmp_path / "preferences.jsonl.xz")
