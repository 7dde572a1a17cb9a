"""A correction, from the conversation to the soul: put right at once, embedded again, learned when it comes up twice, and told."""

import shlex
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conversation.talks import say, talking
from tests.operations.jobs import run_keeper

from everself.agent import Agent
from everself.clock import Clock
from everself.errors import WrongUse
from everself.keepers.keeper import kind_of
from everself.operations.caller import AT_TERMINAL
from everself.operations.search import catch_up
from everself.operations.soul import Digest, DigestRequest
from everself.operations.soul import digest_growth as run_digest
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.testing.embedder import FakeEmbedder

# a whole agent a test
pytestmark = pytest.mark.slow

SAID = "No, my sister is called Mia, not Mira"
WISHED = "No, I want you to answer me in German, not in English"


class Later:
    """The time of the machine, and what has passed since in the test."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.passed = timedelta()

    def __call__(self):
        return self._clock.now() + self.passed


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Runtime]:
    with talking(tmp_path, *["All right."] * 8) as (app, _):
        yield app


def pass_days(app: Runtime, days: float) -> None:
    later = Later(app.clock)
    later.passed = timedelta(days=days)
    clock = Clock(app.clock.zone, later)
    app.__dict__["clock"] = clock
    for name in ("growth", "schedule"):
        app.__dict__.pop(name, None)
    app.memory.clock = clock
    app.log.__dict__["_clock"] = clock
    app.keepers._sources.memory.clock = clock


def record(app: Runtime) -> str:
    return Path(app.agent.workspace, "CORRECTIONS.md").read_text("utf-8")


def digest_growth(app: Runtime, days: int = 7) -> Digest:
    return run_digest(app, AT_TERMINAL, DigestRequest(days=days))


def test_what_was_put_right_twice_is_proposed_and_the_digest_says_why(app: Runtime) -> None:
    Agent(app, fresh=False).remember("Answer me in English please")
    say(app, WISHED)
    say(app, WISHED)
    assert not run_keeper(app, "soul-keeper").applied
    pass_days(app, 3)
    report = run_keeper(app, "soul-keeper")
    assert [one.words for one in report.applied] == ['propose for the soul: "Remember: Answer me in German please"']
    assert not run_keeper(app, "soul-keeper").applied
    digest = digest_growth(app)
    (waiting,) = digest.waiting
    assert (waiting.added, waiting.who, waiting.reason) == (
        ("- Remember: Answer me in German please",),
        "keeper",
        "put right 2 times",
    )
    assert {one.words for one in waiting.evidence} == {"Answer me in German please", WISHED}
    app.growth.approve(waiting.proposal)
    grown = digest_growth(app)
    assert not grown.waiting
    assert grown.grown[0].added == ("- Remember: Answer me in German please",)
    assert {one.words for one in grown.grown[0].evidence} == {"Answer me in German please", WISHED}
    app.growth.rollback("last")
    assert digest_growth(app).grown[0].removed == ("- Remember: Answer me in German please",)


def test_a_digest_has_days(app: Runtime) -> None:
    with pytest.raises(WrongUse):
        digest_growth(app, 0)
    with pytest.raises(WrongUse):
        digest_growth(app, 10**9)


def test_a_correction_in_other_words_is_found_before_what_was_wrong_in_the_words_of_that(app: Runtime) -> None:
    agent = Agent(app, fresh=False)
    wrong = agent.remember("The ferry to Jeju leaves at 7:40 from the old pier").entry
    agent.correct(wrong, "Boats: quarter past eight")
    for limit in (4, 50):
        words = "The ferry to Jeju leaves at 7:40 from the old pier"
        hits = app.recall.search(RecallRequest(words, limit=limit, min_score=0.0, recorded=False)).hits
        found = [hit for hit in hits if hit.entry]
        assert [hit.closed for hit in found[:2]] == [False, True], limit
        assert found[0].text == "Boats: quarter past eight"
        # as high as the record of the correction, which tells both and comes after it
        assert found[0].score == max(hit.score for hit in hits) >= found[1].score


def test_a_correction_is_found_before_what_was_wrong_and_at_full_confidence(app: Runtime) -> None:
    wrong = Agent(app, fresh=False).remember("My sister is called Mira").entry
    Agent(app, fresh=False).remember("My sister likes tea and long walks by the sea")
    say(app, SAID)
    right = app.memory.catalog.get(wrong).closed_by
    hits = app.recall.search(RecallRequest("What is my sister called? Mira?", recorded=False)).hits
    assert next(hit.entry for hit in hits if hit.entry in (right, wrong)) == right
    (hit,) = [hit for hit in hits if hit.entry == right]
    assert ("correction", 1.5) in [(part.name, part.value) for part in hit.parts]
    entry = app.memory.catalog.get(right)
    assert (entry.source, app.memory.confidence(entry)) == ("correction", 1.0)
    assert run_keeper(app, "recall-validator").notes == (
        "Corrections not embedded yet: 1; search finds them by keywords.",
    )


@pytest.mark.parametrize("by_keeper", [True, False])
def test_once_it_is_embedded_again_the_record_says_so(tmp_path: Path, by_keeper: bool) -> None:
    with talking(tmp_path, "All right.") as (app, _):
        embedder = FakeEmbedder()
        app.__dict__["embedder"] = embedder
        Agent(app, fresh=False).remember("My sister is called Mira")
        say(app, SAID)
        assert "- **Re-embedded:** false" in record(app)
        embedder.fail("network")
        assert not run_keeper(app, "recall-validator").applied
        catch_up(app)
        assert "- **Re-embedded:** false" in record(app)
        embedder.fail(None)
        if by_keeper:
            assert [kind_of(one.planned.operation) for one in run_keeper(app, "recall-validator").applied] == [
                "confirm"
            ]
        else:
            catch_up(app)
        assert "- **Re-embedded:** true" in record(app)
        assert any("Mia" in text for texts, _ in embedder.calls for text in texts)
        assert not run_keeper(app, "recall-validator").applied


def test_a_forgotten_tool_is_the_handlers_matter_and_no_memory_changes(tmp_path: Path) -> None:
    script, heard = tmp_path / "listen.py", tmp_path / "heard"
    script.write_text(f"import pathlib, sys\npathlib.Path({str(heard)!r}).write_text(sys.stdin.read())\n")
    program = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    said = "No, that's wrong: you have a tool for the calendar, the meeting is on Tuesday, not Monday"
    with talking(tmp_path, "All right.", host={"recall_external_handler": program}) as (app, _):
        kept = Agent(app, fresh=False).remember("The meeting is on Monday")
        say(app, said)
        assert said in heard.read_text()
        assert not app.memory.catalog.get(kept.entry).closed


def test_records_of_corrections_come_behind_the_entries_that_they_tell_again(app: Runtime) -> None:
    agent = Agent(app, fresh=False)
    for boat in ("Albatros", "Bittern", "Cormorant"):
        wrong = agent.remember(f"The {boat} ferry leaves at 7:40").entry
        agent.correct(wrong, f"The {boat} ferry leaves at 8:10")
    hits = app.recall.search(RecallRequest("when does the ferry leave", limit=10, min_score=0.0, recorded=False)).hits
    records = [hit for hit in hits if not hit.entry]
    assert len(records) == 3
    assert hits[-3:] == tuple(records)
    assert all("told above" in [part.name for part in hit.parts] for hit in records)
