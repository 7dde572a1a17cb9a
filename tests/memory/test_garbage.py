"""The collector rests while very many objects are made, and never for longer."""

import gc

import pytest

from everself.memory.garbage import uncollected


def test_the_collector_rests_within_and_runs_afterwards() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_runs_again_after_a_failure() -> None:
    with pytest.raises(OSError, match="gone"), uncollected():
        raise OSError("gone")
    assert gc.isenabled()
