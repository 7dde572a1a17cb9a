"""The figures of the recall benchmark, on rankings whose figures are known."""

import numpy
import pytest
from tools.bench_recall.measures import (
    intervals,
    log_odds,
    pool_figures,
    session_figures,
    session_order,
    turn_figures,
)


def test_evidence_at_the_top_has_every_figure_at_one() -> None:
    assert set(turn_figures([1]).values()) == {1.0}
    assert set(pool_figures([1]).values()) == {1.0}
    assert set(session_figures(["a", "b"], frozenset("ab")).values()) == {1.0}


def test_evidence_that_was_not_found_has_every_figure_at_nought() -> None:
    assert set(turn_figures([None, None]).values()) == {0.0}
    assert set(pool_figures([None]).values()) == {0.0}
    assert set(session_figures(["c"], frozenset("ab")).values()) == {0.0}


def test_evidence_in_several_turns_counts_by_its_share() -> None:
    figures = turn_figures([3, 7, None, 50])
    assert (figures["any@1"], figures["any@5"], figures["all@10"]) == (0.0, 1.0, 0.0)
    assert (figures["recall@5"], figures["recall@10"], figures["mrr"]) == (0.25, 0.5, pytest.approx(1 / 3))
    gained = 1 / numpy.log2(4) + 1 / numpy.log2(8)
    ideal = sum(1 / numpy.log2(place + 1) for place in (1, 2, 3, 4))
    assert figures["ndcg@10"] == pytest.approx(gained / ideal)


def test_two_turns_in_one_hit_are_not_better_than_perfect() -> None:
    assert turn_figures([1, 1])["ndcg@10"] == 1.0


def test_a_session_with_three_good_hits_comes_before_one_with_a_single_better_one() -> None:
    hits = [("alone", 5.0), ("three", 4.0), ("three", 4.0), ("three", 3.0), ("last", -2.0)]
    assert session_order(hits) == ["three", "alone", "last"]


def test_hits_after_the_third_do_not_lift_a_session() -> None:
    many = [("many", 1.0)] * 20
    assert session_order([*many, *[("few", 1.5)] * 3])[0] == "few"


def test_the_weights_of_a_session_can_be_chosen() -> None:
    hits = [("steady", 3.0), ("steady", 3.0), ("steady", 3.0), ("peak", 4.0), ("peak", 0.0)]
    assert session_order(hits, (1.0,)) == ["peak", "steady"]
    assert session_order(hits, (1 / 3, 1 / 3, 1 / 3)) == ["steady", "peak"]


def test_sessions_of_no_hits_are_no_sessions() -> None:
    assert session_order([]) == []


def test_log_odds_undo_the_bend_and_stand_both_ends() -> None:
    assert log_odds(0.5) == 0
    assert 1 / (1 + numpy.exp(-log_odds(0.8))) == pytest.approx(0.8)
    assert log_odds(0) == pytest.approx(-log_odds(1))
    assert numpy.isfinite(log_odds(1))


def test_intervals_hold_the_mean_and_are_the_same_in_every_run() -> None:
    values = numpy.array([[one % 2, 1.0] for one in range(200)], float)
    low, high = intervals(values)
    assert low[0] < 0.5 < high[0]
    assert 0.1 < high[0] - low[0] < 0.2
    assert (low[1], high[1]) == (1.0, 1.0)
    assert [list(one) for one in intervals(values)] == [list(low), list(high)]


def test_the_fewer_the_questions_the_wider_the_interval() -> None:
    def width(count: int) -> float:
        low, high = intervals(numpy.array([[one % 2] for one in range(count)], float))
        return float(high[0] - low[0])

    assert width(20) > 2 * width(200)
