"""Corrections as people type them close nothing that holds, and leave no words in memory that nobody said.

The figures of both halves are printed by `python -m tests.journeys.scenes tests/corpora/corrections_scenes/*.jsonl`.
"""

import json
from pathlib import Path

import pytest
from tests.journeys.scenes import measure

from everself.classify import encoder
from everself.models.embedding.local import open_local

pytestmark = [pytest.mark.slow, pytest.mark.trust]

FOLDER = Path(__file__).resolve().parents[1] / "corpora" / "corrections_scenes"


@pytest.mark.parametrize("half", ["working", "held"])
def test_no_correction_closes_what_holds_or_builds_words(tmp_path: Path, half: str) -> None:
    scenes = [json.loads(line) for line in (FOLDER / f"{half}.jsonl").read_text("utf-8").splitlines()]
    (tmp_path / "models").mkdir()
    with encoder.offering(open_local("", "", str(tmp_path / "models")).embed):
        found = measure(scenes, tmp_path / "home")
    print(f"{half}: {found.words()}")
    # what is not kept is not the matter of corrections
    assert [found.count[name] for name in ("wrong", "harmed", "built")] == [0, 0, 0], found.lines
