"""Transcripts as forgetting reaches them: they say what the store says, and nothing that a model made of the forgotten stays."""

from pathlib import Path

import pytest

from everself.conversation.sessions.forgetting import TranscriptTraces
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.session import Session
from everself.conversation.sessions.transcripts import Transcripts
from everself.memory.forgetting.forgotten_words import ForgottenWords
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.storage.lock import OpenLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State

FACT = "My bank is the Kestrel in Bergen."
FORGOTTEN = ForgottenWords((), (FACT,))


@pytest.fixture
def traces(log: SessionLog, tmp_path: Path) -> TranscriptTraces:
    return TranscriptTraces(log, Transcripts(RealFileSystem(str(tmp_path)), OpenLock()))


@pytest.fixture
def session(log: SessionLog) -> Session:
    talk = log.begin()
    log.add(talk, "user", f"Listen: {FACT} And now?")
    log.add(talk, "assistant", "", meta={"calls": [["c", "memory_write", f'{{"content": "{FACT}"}}']]})
    log.add(talk, "user", "Yes.")
    return talk


def transcript(tmp_path: Path, session: Session) -> str:
    return (tmp_path / "sessions" / f"{session.id}.jsonl").read_text()


def test_words_are_counted_in_content_and_in_calls_and_go_with_the_store(
    log: SessionLog, traces: TranscriptTraces, session: Session, state: State, tmp_path: Path
) -> None:
    assert traces.holds(FORGOTTEN) == 2
    state.scrub.rewrite(FORGOTTEN.in_text)
    # two lines with the words; both are not the store's any more
    assert traces.remove(FORGOTTEN) == 2
    assert traces.holds(FORGOTTEN) == 0
    assert "Kestrel" not in transcript(tmp_path, session)
    assert transcript(tmp_path, session).encode() == log.export(session)
    log.add(session, "user", "Go on.")
    assert transcript(tmp_path, session).encode() == log.export(session)


def test_lines_of_messages_that_went_go_however_short_they_are(
    log: SessionLog, traces: TranscriptTraces, session: Session, state: State, tmp_path: Path
) -> None:
    yes = log.messages(session)[-1]
    state.scrub.drop_messages([yes.id])
    assert traces.holds(FORGOTTEN) == 3
    traces.remove(FORGOTTEN)
    assert "Yes." not in transcript(tmp_path, session)


def test_the_transcript_of_a_session_that_went_goes(
    log: SessionLog, traces: TranscriptTraces, session: Session, state: State, tmp_path: Path
) -> None:
    state.scrub.drop_messages([one.id for one in log.messages(session)])
    traces.remove(FORGOTTEN)
    assert list((tmp_path / "sessions").iterdir()) == []


def test_a_summary_in_other_words_gives_way_to_how_the_messages_begin(
    log: SessionLog, traces: TranscriptTraces, session: Session, state: State
) -> None:
    other = log.begin()
    log.add(other, "user", "Something else.")
    for talk in (session, other):
        log.mark(talk, compacted=1, summary="The bird bank by the fjord.")
    state.scrub.rewrite(FORGOTTEN.in_text)
    traces.remove(FORGOTTEN)
    assert log.find(session.id).summary == "User: Listen: [forgotten] And now?"
    assert log.find(other.id).summary == "The bird bank by the fjord."


def test_what_a_killed_process_left_beside_goes(traces: TranscriptTraces, session: Session, tmp_path: Path) -> None:
    left = tmp_path / "sessions" / f"{TEMPORARY_PREFIX}{session.id}.jsonl"
    left.write_text(FACT)
    traces.remove(FORGOTTEN)
    assert not left.exists()


def test_transcripts_that_a_backup_does_not_hold_are_made_anew(
    log: SessionLog, session: Session, tmp_path: Path
) -> None:
    before = transcript(tmp_path, session)
    (tmp_path / "sessions" / f"{session.id}.jsonl").unlink()
    assert log.catch_up() == 1
    assert transcript(tmp_path, session) == before
    assert log.catch_up() == 0
