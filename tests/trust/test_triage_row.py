"""S12 at CI size, and whether it finds a triage that reads everything or takes every pattern."""

from time import thread_time

import pytest
from tests.trust.rows import s12
from tests.trust.rows.s12 import run_s12

from everself.classify import corrections

pytestmark = pytest.mark.trust


def work(seconds: float) -> None:
    """Keep this thread busy for so long."""
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def test_s12_the_worst_megabyte_takes_no_longer_than_a_message(seed: int) -> None:
    print(run_s12(50, seed))


def test_a_triage_that_reads_everything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(text: str) -> str:
        work(0.02 * (len(text) / s12.MEGABYTE) ** 2)
        return text[:100]

    monkeypatch.setattr(s12, "VARIED", 0)
    monkeypatch.setattr("everself.classify.triage.said", everything)
    with pytest.raises(AssertionError, match="twice as long"):
        run_s12(1, 1)


def test_a_triage_that_is_slow_whatever_the_length_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def idle(text: str) -> str:
        work(0.06)
        return text[:100]

    monkeypatch.setattr(s12, "VARIED", 0)
    monkeypatch.setattr(s12, "SEEDS", ("no ",))
    monkeypatch.setattr(corrections, "window", idle)
    with pytest.raises(AssertionError, match="p99"):
        run_s12(1, 1, judged=True)
