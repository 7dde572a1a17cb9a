"""The rows of the index at CI size (R9, R10, R15)."""

import pytest
from tests.trust.damages import CLOSED, OPEN
from tests.trust.rows import r09
from tests.trust.rows.r09 import run_r9
from tests.trust.rows.r09_kill import run_r9_kill
from tests.trust.rows.r10 import HANDS, run_r10
from tests.trust.rows.r15 import run_r15

pytestmark = [pytest.mark.trust, pytest.mark.timeout(3600)]


def test_r9_whatever_happens_to_the_index_a_search_answers_as_a_fresh_one_does(seed: int) -> None:
    print(run_r9(30, seed))


def test_r9_whoever_keeps_the_index_may_be_killed_at_any_moment(seed: int) -> None:
    print(run_r9_kill(20, seed))


def test_r10_an_index_that_followed_equals_one_that_is_made_at_once(seed: int) -> None:
    print(run_r10(50, seed))


def test_r15_too_much_of_everything_is_searched_and_what_was_not_read_is_named(seed: int) -> None:
    print(run_r15(1_000, seed))


def test_r9_does_every_damage_and_most_of_them_under_an_open_index() -> None:
    from random import Random

    chosen = r09.cases(300, Random(1))
    assert {name for name, _ in chosen} == set(CLOSED)
    assert set(OPEN) <= set(CLOSED)
    assert sum(moment != "closed" for _, moment in chosen) > 60
    assert {moment for _, moment in chosen} == {*r09.MOMENTS, "relapse"}
    assert len(HANDS) > 15
