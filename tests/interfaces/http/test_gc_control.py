"""Full garbage collections of a gateway stay short, and nothing that is frozen is lost for good."""

import gc
import sys
import weakref
from collections.abc import Iterator

import pytest

from everself.interfaces.http.gc_control import (
    LONGEST_SECONDS,
    THAWED_SECONDS,
    TURN_SECONDS,
    ShortCollections,
    short_collections,
    short_turns,
)


class _Time:
    def __init__(self) -> None:
        self.at = 0.0
        # seconds that pass at each look
        self.step = 0.0

    def __call__(self) -> float:
        self.at += self.step
        return self.at


class _Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def time() -> Iterator[_Time]:
    time = _Time()
    collected = ShortCollections(time)
    gc.callbacks.append(collected)
    gc.disable()
    try:
        yield time
    finally:
        gc.callbacks.remove(collected)
        gc.unfreeze()
        gc.enable()


@pytest.mark.slow
def test_what_a_long_collection_left_is_not_looked_at_again(time: _Time) -> None:
    gc.collect()
    # Python 3.12 freezes a few objects of its own
    assert gc.get_freeze_count() < 1_000
    time.step = 2 * LONGEST_SECONDS
    gc.collect(1)
    assert gc.get_freeze_count() < 1_000
    gc.collect()
    assert gc.get_freeze_count() > 1_000
    assert len(gc.get_objects()) < 1_000


@pytest.mark.slow
def test_what_was_frozen_and_became_garbage_is_found_after_a_while(time: _Time) -> None:
    knot = _Knot()
    found = weakref.ref(knot)
    time.step = 2 * LONGEST_SECONDS
    gc.collect()
    del knot
    gc.collect()
    assert found() is not None
    time.at += THAWED_SECONDS
    gc.collect()
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert found() is None
    assert gc.get_freeze_count() > 1_000


def test_nothing_stays_frozen_when_the_gateway_has_ended() -> None:
    before = list(gc.callbacks)
    with short_collections():
        gc.freeze()
        assert len(gc.callbacks) == len(before) + 1
    assert gc.callbacks == before
    assert gc.get_freeze_count() == 0


def test_threads_take_short_turns_while_a_gateway_runs() -> None:
    usual = sys.getswitchinterval()
    with short_turns():
        assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
    assert sys.getswitchinterval() == pytest.approx(usual)
