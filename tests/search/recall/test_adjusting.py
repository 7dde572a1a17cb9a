"""What age and corrections do to a score."""

from datetime import date, timedelta

import pytest

from everself.search.score_adjustments import CORRECTED, Ageing, adjust
from everself.values import Hit, Tier

TODAY = date(2026, 3, 19)


def hit(days: int, tier: Tier = Tier.WORKING) -> Hit:
    return Hit("memory/x.md", 1, 2, 0.8, "words", day=TODAY - timedelta(days=days), tier=tier)


@pytest.mark.parametrize(
    ("days", "weight"), [(0, 1.0), (7, 0.81), (23, 0.5), (30, 0.41), (60, 0.17), (90, 0.07), (-3, 1.0)]
)
def test_seeds_weight_halves_for_dated_days_and_core_memory_keeps_all_of_it(days: int, weight: float) -> None:
    ageing = Ageing(TODAY, enabled=True, half_life_days=23)
    assert ageing.weight(hit(days)) == pytest.approx(weight, abs=0.01)
    assert ageing.weight(hit(days, Tier.CORE)) == 1.0


def test_age_takes_a_third_at_most_and_breaks_ties_where_it_is_off() -> None:
    scores = {}
    for enabled in (True, False):
        ageing = Ageing(TODAY, enabled=enabled)
        made = [adjust(hit(days), ageing, closed=False, exact=False) for days in (0, 3650)]
        scores[enabled] = [one.score for one in made]
    assert scores[True][1] >= 0.64 * scores[True][0]
    assert 0.99 * scores[False][0] < scores[False][1] < scores[False][0]


@pytest.mark.parametrize(("boost", "told"), [(1.0, []), (CORRECTED, [1.5]), (3.0, [3.0])])
def test_a_correction_counts_as_often_as_is_asked_and_says_so(boost: float, told: list[float]) -> None:
    plain = adjust(hit(0), Ageing(TODAY), closed=False, exact=False)
    corrected = adjust(hit(0), Ageing(TODAY), closed=False, exact=False, boost=boost)
    assert corrected.score == pytest.approx(boost * plain.score)
    assert [part.value for part in corrected.parts if part.name == "correction"] == told
