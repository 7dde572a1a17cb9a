"""What a vendor's cache could serve: its rules, worked out by hand, and a conversation of three days over both wires."""

from pathlib import Path

import pytest
from tools.bench.cache_share import _by_beginning, _by_points, cacheable
from tools.bench.long_talk import hold

from everself.text.tokens import estimate

LONG = "The keeper writes down the hour of each lamp. " * 150
NEXT = "The second lamp was lit at nine. " * 150


def test_openai_serves_the_common_beginning_in_steps() -> None:
    first, second = [(LONG, False), ("a", False)], [(LONG, False), ("b", False)]
    served = estimate(LONG) // 128 * 128
    assert served > 1_024
    assert _by_beginning([first, second]) == [0, served]
    # too short to be cached
    assert _by_beginning([[("short", False)], [("short", False)]]) == [0, 0]


def test_anthropic_serves_what_a_cache_point_stored_and_a_later_one_finds() -> None:
    stored = [(LONG, True), (NEXT, True), ("context", False)]
    goes_on = [(LONG, True), (NEXT, False), ("reply", False), ("question", True)]
    assert _by_points([stored, goes_on]) == [0, estimate(LONG + NEXT)]
    # the common beginning alone is not enough: nothing was stored at its end
    unmarked = [(LONG, True), (NEXT, False), ("context", False)]
    assert _by_points([unmarked, goes_on]) == [0, estimate(LONG)]
    # and what was stored too far before the next cache point is not found
    far = [(LONG, False), (NEXT, False), *[(f"block {at}", False) for at in range(60)], ("question", True)]
    assert _by_points([stored, far])[1] == 0


@pytest.mark.slow
def test_a_conversation_over_three_days_is_served_from_the_cache_of_both_vendors(tmp_path: Path) -> None:
    talk = hold(tmp_path, turns=60)
    assert talk.compactions == 0
    assert cacheable(talk.requests, "openai") >= 0.9
    assert cacheable(talk.requests, "anthropic") >= 0.9
