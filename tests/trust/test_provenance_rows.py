"""S6 by doors, what the owner states, and S7 over conversations at CI size, and whether they notice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import re2
from tests.trust.rows import s06_doors, s06_said, s07_chains

import everself
from everself.conversation import loop
from everself.conversation.sessions import client_sessions, notes
from everself.conversation.sessions.log import SessionLog
from everself.memory.provenance import OWN
from everself.operations import client_prompts
from everself.testing.origins import origin_of

_POLICY = re2.compile(r"SoulPolicy|soul\.policy|rules\.policy|sources\.policy")
pytestmark = pytest.mark.trust

OTHERS = tuple(door.name for door in s06_doors.DOORS if not door.shown)
SHOWN = tuple(door.name for door in s06_doors.DOORS if door.shown)


@pytest.mark.parametrize("name", OTHERS)
def test_s6_by_no_door_does_trust_rise(name: str, seed: int) -> None:
    print(s06_doors.run_s6_doors((name,), seed, 3))


@pytest.mark.parametrize("name", SHOWN)
def test_s6_what_the_owner_shows_is_not_what_they_say(name: str, seed: int) -> None:
    print(s06_doors.run_s6_doors((name,), seed, 5))


def test_s6_what_the_owner_states_is_the_owners(seed: int) -> None:
    print(s06_said.run_s6_said(40, seed))


def test_the_policy_is_read_for_the_soul_alone() -> None:
    """The row lives the days of a text once, and goes on from there under each policy: nothing else may depend on it."""
    top = Path(everself.__file__).parent
    found = {str(one.relative_to(top)) for one in top.rglob("*.py") if _POLICY.search(one.read_text("utf-8"))}
    assert {one for one in found if not one.startswith("config/")} == {
        # what opens the soul, its guard and its keeper
        *(
            "runtime.py",
            "keepers/sources.py",
            "workspace/guards.py",
        ),
        *("identity/soul.py", "identity/growth.py", "keepers/soul/keeper.py"),
        # what shows it
        *("operations/agents.py", "operations/soul.py", "interfaces/rendering/soul.py"),
    }


def test_s6_every_door_has_its_texts() -> None:
    for door in s06_doors.DOORS:
        found = s06_doors.load(door.corpus)
        assert len(found) >= 200, door.name
        assert len({one.id for one in found}) == len(found)


def test_s7_over_conversations_and_days_trust_never_rises(seed: int) -> None:
    print(s07_chains.run_s7_chains(6, seed))


def test_s6_notices_a_loop_that_forgets_what_it_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "worse", lambda one, _: one)
    with pytest.raises(AssertionError, match="door page"):
        s06_doors.run_s6_doors(("page",), 1, 1)


def test_s6_notices_a_client_whose_model_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_prompts, "TOOL", OWN)
    with pytest.raises(AssertionError, match="door client"):
        s06_doors.run_s6_doors(("client",), 1, 1)


def test_s6_notices_a_transcript_whose_every_line_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    read = client_sessions.parse_line

    def believe(client: str, line: bytes) -> Iterator[client_sessions.TranscriptMessage]:
        yield from (replace(one, by="person") for one in read(client, line))

    monkeypatch.setattr(client_sessions, "parse_line", believe)
    with pytest.raises(AssertionError, match="door transcript"):
        s06_doors.run_s6_doors(("transcript",), 1, 3)


def test_s6_notices_a_hook_whose_every_prompt_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SessionLog, "disown", lambda *_: False)
    with pytest.raises(AssertionError, match="door transcript"):
        s06_doors.run_s6_doors(("transcript",), 1, 3)


def test_s7_notices_a_note_that_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "concluded_in", lambda _, __, *lineage: origin_of("agent", *lineage))
    truth = dict.fromkeys(s07_chains.MARKS, "web")
    with pytest.raises(AssertionError, match="is agent, and rests on"):
        s07_chains.live(truth, [(s07_chains.VERBS.index(s07_chains.note), frozenset({"quillon"}), 0)])


def test_the_corpora_are_as_they_were_written() -> None:
    from everself.values import digest

    top = Path(s06_doors.CORPORA, "provenance")
    for line in (top / "SHA256SUMS").read_text().splitlines():
        wanted, name = line.split()
        assert digest((top / name).read_bytes()) == wanted, name
