"""R13 at CI size, and whether it finds what it is there for."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from tests.trust.rows.r13 import run_r13

from everself.identity.growth import Growth, SoulChange
from everself.identity.versions import Versions
from everself.workspace import undo

pytestmark = pytest.mark.trust

Want = Callable[[bytes | None], bytes]


def test_r13_a_rollback_gives_the_named_soul_back_and_nothing_kept_is_lost(seed: int) -> None:
    print(run_r13(50, seed))


def test_a_rollback_that_tidies_up_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    take = Growth._take

    def tidy(growth: Growth, act: object, want: Want) -> SoulChange:
        return take(growth, act, lambda now: want(now).replace(b"\r\n", b"\n").rstrip() + b"\n")  # type: ignore[arg-type] # broken on purpose

    monkeypatch.setattr(Growth, "_take", tidy)
    with pytest.raises(AssertionError, match="R13 seed"):
        run_r13(20, 1)


def test_a_step_that_keeps_no_copy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    place_for = Versions.place_for
    monkeypatch.setattr(Versions, "place_for", lambda self, data: place_for(self, data) if len(data) % 3 else "")
    with pytest.raises(AssertionError, match="is not kept"):
        run_r13(20, 1)


def test_an_undo_that_takes_the_copies_along_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo, "place", lambda _: SimpleNamespace(kind=None))
    with pytest.raises(AssertionError, match="is gone"):
        run_r13(20, 1)


def test_a_thinning_that_leaves_nothing_of_a_day_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(versions: Versions, *_: object) -> tuple[str, ...]:
        return tuple(one.path for one in versions.list() if one.at is not None)

    monkeypatch.setattr(Versions, "thin", everything)
    with pytest.raises(AssertionError, match="no soul is left"):
        run_r13(20, 1)
