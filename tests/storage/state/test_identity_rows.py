"""Baselines, proposals and the persona ledger, on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.errors import NotFound, WrongUse
from everself.storage.engine import Engine
from everself.storage.state.baselines import Baseline
from everself.storage.state.database import State, open_state
from everself.storage.state.personas import PersonaTurn
from everself.storage.state.proposals import Proposal

KEY = bytes(range(32))
AT = "2026-03-01T09:00:00+09:00"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(str(tmp_path / "state.db"), KEY) as opened:
        yield opened


def _alter(state: State, sql: str) -> None:
    state.engine.write(lambda writer: writer.run(sql))


def test_nothing_accepted_is_genuine(state: State) -> None:
    found = state.baselines.load()
    assert (found.genuine, found.counter, dict(found.baselines)) == (True, 0, {})


def test_what_was_accepted_comes_back_with_its_counter(state: State) -> None:
    soul = Baseline("SOUL.md", "aa", "# Soul\n", AT)
    state.baselines.accept([soul], 1)
    state.baselines.accept([Baseline("BOOT.md", "", "", AT)], 2)
    found = state.baselines.load()
    assert found.genuine
    assert found.counter == 2
    assert found.baselines["SOUL.md"] == soul
    assert found.baselines["BOOT.md"].hash == ""


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE baselines SET hash = 'bb'",
        "UPDATE baselines SET path = 'BOOT.md'",
        "DELETE FROM baselines",
        "INSERT INTO baselines VALUES ('BOOT.md', 'aa', '', '')",
        "UPDATE baseline_seal SET counter = 9",
        "UPDATE baseline_seal SET mac = 'ff'",
        "DELETE FROM baseline_seal",
    ],
)
def test_rows_that_somebody_else_wrote_are_not_genuine(state: State, sql: str) -> None:
    state.baselines.accept([Baseline("SOUL.md", "aa", "# Soul\n", AT)], 1)
    _alter(state, sql)
    assert not state.baselines.load().genuine


def test_another_key_cannot_seal(tmp_path: Path, state: State) -> None:
    state.baselines.accept([Baseline("SOUL.md", "aa", "", AT)], 1)
    with Engine.open(str(tmp_path / "state.db")) as engine:
        from everself.storage.state.baselines import Baselines

        Baselines(engine, bytes(32)).accept([Baseline("SOUL.md", "bb", "", AT)], 2)
    assert not state.baselines.load().genuine


def test_words_beside_a_hash_may_change_because_forgetting_must_reach_them(state: State) -> None:
    state.baselines.accept([Baseline("SOUL.md", "aa", "secret", AT)], 1)
    _alter(state, "UPDATE baselines SET content = ''")
    assert state.baselines.load().genuine


def _proposal(identity: str) -> Proposal:
    return Proposal(identity, AT, "keeper", "SOUL.md", "aa", "# 혼\n", "because", ("entry:X",))


def test_a_proposal_is_decided_once(state: State) -> None:
    state.proposals.add(_proposal("AAAA"))
    assert state.proposals.list() == (_proposal("AAAA"),)
    assert state.proposals.decide("AAAA", "approved", AT, "CHANGE")
    assert not state.proposals.decide("AAAA", "refused", AT)
    found = state.proposals.find("aa")
    assert (found.status, found.change, found.evidence) == ("approved", "CHANGE", ("entry:X",))
    assert state.proposals.list() == ()
    assert state.proposals.list("") == (found,)


def test_proposals_are_found_by_the_beginning_of_their_id(state: State) -> None:
    for identity in ("AAB", "AAC"):
        state.proposals.add(_proposal(identity))
    assert state.proposals.find("last").id == "AAC"
    assert state.proposals.find("AAB").id == "AAB"
    with pytest.raises(WrongUse, match="ambiguous"):
        state.proposals.find("AA")
    for name in ("B", ""):
        with pytest.raises(NotFound):
            state.proposals.find(name)


def test_the_persona_ledger_keeps_the_first_word_about_a_turn(state: State) -> None:
    first = PersonaTurn("s1", 1, AT, "SOUL.md", "aa", "soul")
    assert state.personas.record(first)
    assert not state.personas.record(PersonaTurn("s1", 1, AT, "SOUL_EVIL.md", "bb", "chance"))
    second = PersonaTurn("s1", 2, "2026-03-01T09:01:00+09:00", "SOUL.md", "aa", "session")
    assert state.personas.record(second)
    assert state.personas.first_of("s1") == first
    assert state.personas.first_of("s2") is None
    assert state.personas.list("s1") == (second, first)
    assert state.personas.list(limit=1) == (second,)
