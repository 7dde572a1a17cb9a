"""What waits for a human is asked once and decided once; what keepers did is kept in order."""

import pytest

from everself.errors import NotFound, WrongUse
from everself.storage.state.database import State, open_state
from everself.storage.state.reviews import KeeperRun, Review


@pytest.fixture
def state(tmp_path):
    with open_state(str(tmp_path / "state.db"), b"k" * 32) as opened:
        yield opened


def review(identity: str, about: str = "entry:A") -> Review:
    return Review(
        identity, "2026-01-02T03:04:05+00:00", "conflict", "conflict-detector", about, {"words": "차"}, ("entry:B",)
    )


def test_the_same_question_is_asked_once_even_after_it_was_answered(state: State) -> None:
    assert state.reviews.add(review("R1"))
    assert state.reviews.decide("R1", "refused", "now")
    assert not state.reviews.add(review("R2"))
    assert [one.id for one in state.reviews.every()] == ["R1"]
    assert state.reviews.waiting() == []


def test_a_question_is_decided_once(state: State) -> None:
    state.reviews.add(review("R1"))
    assert state.reviews.decide("R1", "accepted", "now", "C1")
    assert not state.reviews.decide("R1", "refused", "later")
    found = state.reviews.find("r1")
    assert (found.status, found.change, found.payload) == ("accepted", "C1", {"words": "차"})


def test_a_question_is_found_by_the_beginning_of_its_id_where_that_is_clear(state: State) -> None:
    state.reviews.add(review("RA1", "entry:A"))
    state.reviews.add(review("RB1", "entry:B"))
    assert state.reviews.find("RA").about == "entry:A"
    with pytest.raises(WrongUse):
        state.reviews.find("R")
    with pytest.raises(NotFound):
        state.reviews.find("X")


def test_runs_are_listed_newest_first_and_by_keeper(state: State) -> None:
    for number, keeper in enumerate(("miner", "compactor", "miner")):
        state.reviews.note_run(
            KeeperRun(f"{number}", keeper, f"2026-01-0{number + 1}", 0.1, number, 0, 0, "7", ("둘",))
        )
    assert [one.id for one in state.reviews.runs()] == ["2", "1", "0"]
    assert [one.applied for one in state.reviews.runs("miner")] == [2, 0]
    assert state.reviews.runs("miner")[0].notes == ("둘",)


def test_what_was_released_is_remembered(state: State) -> None:
    assert not state.reviews.is_released("mac")
    state.reviews.release("mac", "now")
    state.reviews.release("mac", "later")
    assert state.reviews.is_released("mac")
