"""R2-KEEPERS at CI size, and that the row would notice what is lost, doubled, torn, or ends otherwise than it should."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.trust.rows import r02_keepers
from tests.trust.rows.r02_keepers import (
    DEEDS,
    PROMOTE,
    check,
    ending,
    live,
    living,
    prepare,
    run_r2_keepers,
    work_all,
)
from tests.trust.workers import Nursery

from everself.memory.writing import NewEntry
from everself.storage.state.reviews import Reviews
from everself.testing.origins import origin_of

pytestmark = pytest.mark.trust


def test_r2_keepers_a_kill_at_any_moment_loses_nothing(seed: int) -> None:
    print(run_r2_keepers(12, seed))


def _lose(document: Path) -> None:
    document.write_bytes(document.read_bytes().partition(b"\n## [")[0])


def _double(document: Path) -> None:
    document.with_name("2026-03-19.md").write_bytes(document.read_bytes())


def _tear(document: Path) -> None:
    document.write_bytes(document.read_bytes().replace(b"I live in Sheffield.", b"I live in Sh"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("keepers") / "home"
    prepare(str(home), "evolve")
    return home


@pytest.mark.parametrize("harm", [_lose, _double, _tear])
def test_an_entry_that_is_lost_doubled_or_torn_is_found(home: Path, harm: Callable[[Path], None]) -> None:
    life = r02_keepers._copy(home, harm.__name__)
    held: dict[str, str] = {}
    with living(str(life)) as app:
        check(app, held)
    check_again = dict(held)
    harm(life / "e" / "workspace" / "memory" / "2026-03-20.md")
    with living(str(life)) as app, pytest.raises(AssertionError):
        check(app, check_again)


def test_a_keeper_that_loses_an_entry_when_it_is_killed_fails_the_row(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: dict[str, str] = {}
    with living(str(home)) as app:
        check(app, held)

    def kill(_: Nursery, life: Path, *__: object) -> bool:
        _lose(life / "e" / "workspace" / "memory" / "2026-03-20.md")
        return True

    monkeypatch.setattr(r02_keepers, "_kill", kill)
    before = r02_keepers.Prepared(home, held, dict.fromkeys(DEEDS, 0.1), ending(home))
    with Nursery(r02_keepers.MODULE) as nursery, pytest.raises(AssertionError, match="is lost"):
        live(nursery, before, Random(1))


def test_every_deed_has_something_to_do_and_one_thing_more_is_found(home: Path) -> None:
    life = r02_keepers._copy(home, "whole")
    with living(str(life)) as app:
        idle = [name for name in DEEDS if not r02_keepers.do(app, name)]
    assert idle == []
    end = ending(life)
    work_all(str(life))
    assert list(end.differs(ending(life))) == []
    with living(str(life)) as app:
        app.memory.remember(NewEntry("One more.", origin_of("owner")))
    assert any("One more." in one for one in end.differs(ending(life)))


def test_a_question_is_answered_though_whoever_moved_the_entry_died_before_saying_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = r02_keepers._copy(home, "answered")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with living(str(life)) as app:
        r02_keepers.do(app, r02_keepers.WEEK)
        with monkeypatch.context() as patch:
            patch.setattr(Reviews, "decide", die)
            with pytest.raises(KeyboardInterrupt):
                r02_keepers.do(app, PROMOTE)
        asked, *_ = app.state.reviews.waiting("promotion")
    with living(str(life)) as app:
        assert not r02_keepers.do(app, PROMOTE)
        answered = app.state.reviews.find(asked.id)
        moved, _ = app.workspace.record(answered.change)
    assert (answered.status, moved.reason) == ("accepted", "promote")
