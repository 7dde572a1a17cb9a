"""Whoever runs a keeper is told how far it is, from its first look to its last operation."""

import asyncio
from pathlib import Path

import pytest
from tests.operations.promotions import promote, review_week
from tests.trust.rows.r02_keepers import DEEDS, PROMOTE, WEEK, _copy, living, prepare

from everself.keepers.keeper import Progress
from everself.keepers.weekly_review import WeeklyReview
from everself.operations.promotion import PromoteRequest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("progress") / "home"
    prepare(str(home), "propose")
    return home


@pytest.mark.parametrize("name", [one for one in DEEDS if one != PROMOTE])
def test_a_keeper_tells_how_far_it_is(home: Path, name: str) -> None:
    told: list[Progress] = []
    with living(str(_copy(home, name))) as app:
        keeper = WeeklyReview() if name == WEEK else app.keepers.find(name)
        asyncio.run(app.keepers.run(keeper, tell=told.append))
    assert all(0 <= one.done <= one.total for one in told)
    # what it read, and then what it did
    kinds = list(dict.fromkeys(one.what for one in told))
    assert len(kinds) >= 2
    assert kinds[-1] == "operations"
    assert told[-1].done == told[-1].total


def test_promotion_and_the_weekly_review_tell_it_too(home: Path) -> None:
    told: list[tuple[int, int]] = []
    with living(str(_copy(home, "promotion"))) as app:
        review_week(app, lambda done, total: told.append((done, total)))
        reviewed = len(told)
        promote(app, PromoteRequest(), lambda done, total: told.append((done, total)))
    assert 0 < reviewed < len(told)
