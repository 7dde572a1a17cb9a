"""Messages are durable, cleaned, in order, and found again; the transcript says the same as the store."""

import json
import subprocess
import sys

import pytest

from everself.conversation.sessions.log import OWNER, SessionLog
from everself.errors import NotFound, WrongUse
from everself.search.scopes import Scope, SessionKind

KEY = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5q" * 4 + "-Ab3dEfAA"


def lines(tmp_path, session) -> list[dict]:
    return [json.loads(line) for line in (tmp_path / "sessions" / f"{session.id}.jsonl").read_bytes().splitlines()]


def test_a_session_in_which_nothing_was_said_leaves_no_trace(log: SessionLog, tmp_path):
    session = log.begin()
    assert log.list() == ()
    assert not (tmp_path / "sessions").exists()
    assert log.fresh(session) == session
    assert log.mark(session, ended=True) == session


def test_what_is_said_is_in_the_store_and_in_the_transcript(log: SessionLog, open_log, tmp_path):
    session = log.begin(channel="cli")
    log.add(session, "user", "My name is Alex.")
    log.add(session, "assistant", "Hello Alex.", meta={"calls": [["c1", "memory_write", '{"content":"x"}']]})
    log.add(session, "tool", "{}", meta={"call": "c1", "name": "memory_write"})
    said = open_log().messages(session)
    assert [(one.seq, one.role, one.content) for one in said] == [
        (1, "user", "My name is Alex."),
        (2, "assistant", "Hello Alex."),
        (3, "tool", "{}"),
    ]
    head, *rest = lines(tmp_path, session)
    assert (head["session"], head["kind"], head["channel"]) == (session.id, "main", "cli")
    assert [one["content"] for one in rest] == [one.content for one in said]
    assert rest[1]["meta"]["calls"] == [["c1", "memory_write", '{"content":"x"}']]


def test_secrets_and_private_passages_reach_no_file(log: SessionLog, tmp_path, state):
    session = log.begin()
    log.add(session, "user", f"The key is {KEY} <private>I am ill</private> and half \ud800.")
    log.add(session, "assistant", "", meta={"calls": [["c1", "exec", json.dumps({"command": f"use {KEY}"})]]})
    log.add(session, "assistant", "x", meta={"receipt": {"parts": [f"<private>ill</private> {KEY}"]}})
    state.engine.checkpoint()
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes()
            assert b"ill" not in file.read_bytes().replace(b"million", b"")
    assert "[redacted: " in log.messages(session)[0].content


def test_a_transcript_that_lags_is_torn_or_gone_is_made_whole_at_the_next_message(log: SessionLog, open_log, tmp_path):
    session = log.begin()
    for number in range(4):
        log.add(session, "user", f"number {number}")
    path = tmp_path / "sessions" / f"{session.id}.jsonl"
    whole = path.read_bytes()
    for damage in (whole[: whole.rfind(b"\n", 0, -1) + 1], whole[:-7], b"", b"no json\n", None):
        path.unlink() if damage is None else path.write_bytes(damage)
        open_log().add(session, "user", "again")
        numbers = [one["seq"] for one in lines(tmp_path, session)]
        assert numbers == list(range(len(numbers)))
        assert path.read_bytes() == log.export(session)


def test_a_disk_that_takes_no_transcript_loses_no_message(log: SessionLog, tmp_path):
    (tmp_path / "sessions").write_text("a file where the folder should be")
    session = log.begin()
    log.add(session, "user", "I live in Oslo.")
    assert [one.content for one in log.messages(session)] == ["I live in Oslo."]


def test_a_message_with_an_identity_is_kept_once(log: SessionLog):
    session = log.begin()
    first = log.add(session, "user", "I live in Oslo.", identity="0123456789AB")
    assert log.add(session, "user", "I live in Oslo.", identity="0123456789AB") == first
    assert len(log.messages(session)) == 1


def test_two_processes_in_one_session_lose_and_double_nothing(log: SessionLog, tmp_path):
    session = log.begin()
    log.add(session, "user", "first")
    program = f"""
import sys
from zoneinfo import ZoneInfo
from everself.clock import Clock
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.transcripts import Transcripts
from everself.storage.state.database import open_state
root = {str(tmp_path)!r}
with open_state(root + "/state.db", bytes(32)) as state:
    files = Transcripts(RealFileSystem(root), FileLock(root + "/sessions.lock"))
    log = SessionLog(state.messages, files, Clock(ZoneInfo("UTC")))
    session = log.resume()
    for number in range(25):
        log.add(session, "user", sys.argv[1] + " " + str(number))
"""
    both = [subprocess.Popen([sys.executable, "-c", program, name]) for name in ("left", "right")]
    assert [one.wait(600) for one in both] == [0, 0]
    said = [one.content for one in log.messages(session)]
    assert len(said) == 51
    for name in ("left", "right"):
        assert [one for one in said if one.startswith(name)] == [f"{name} {number}" for number in range(25)]
    assert [one.seq for one in log.messages(session)] == list(range(1, 52))
    assert [one["seq"] for one in lines(tmp_path, session)] == list(range(52))


def test_resuming_takes_the_last_session_of_the_scope_that_was_not_ended(log: SessionLog):
    with pytest.raises(NotFound):
        log.resume()
    old, new, guest = log.begin(), log.begin(), log.begin(Scope(SessionKind.GUEST, "anna"), "telegram")
    for session in (old, new, guest):
        log.add(session, "user", "hello")
    log.add(old, "user", "back again")
    assert log.resume().id == old.id
    log.mark(old, ended=True)
    assert log.resume().id == new.id
    assert log.resume(guest.id[:8].lower(), Scope(SessionKind.GUEST, "anna")).id == guest.id
    with pytest.raises(NotFound):
        log.resume(guest.id, OWNER)
    with pytest.raises(NotFound):
        log.resume("nobody")


def test_an_ambiguous_beginning_names_the_candidates(log: SessionLog, monkeypatch):
    ids = iter(["AAAA00000001", "AAAA00000002"])
    monkeypatch.setattr("everself.conversation.sessions.log.new_id", lambda: next(ids))
    for session in (log.begin(), log.begin()):
        log.add(session, "user", "hello", identity=session.id[::-1])
    with pytest.raises(WrongUse, match="AAAA00000001, AAAA00000002"):
        log.find("aaaa")
    assert log.find("AAAA00000002").id == "AAAA00000002"


def test_marks_only_rise_and_a_summary_belongs_to_its_number(log: SessionLog):
    session = log.begin()
    log.add(session, "user", "hello")
    log.mark(session, checkpoint=7, compacted=5, summary="later", taint="web")
    behind = log.mark(session, checkpoint=3, compacted=2, summary="earlier", taint="tool")
    assert (behind.checkpoint, behind.compacted, behind.summary, behind.taint) == (7, 5, "later", "web")


def test_numbers_are_not_used_again_when_the_last_messages_were_forgotten(log: SessionLog, state):
    session = log.begin()
    said = [log.add(session, "user", f"number {number}") for number in range(3)]
    log.mark(session, checkpoint=3)
    state.scrub.drop_messages([said[1].id, said[2].id])
    assert log.add(session, "user", "new").seq == 4


def test_searching_finds_all_words_whatever_their_form_and_the_newest_first(log: SessionLog):
    session = log.begin()
    for text in ("I drink Tea at noon", "Ｔｅａ again at noon", "coffee at noon", "나는 서울에 살아요", "我住在上海"):
        log.add(session, "user", text)
    assert [one.content for one in log.search("noon TEA")] == ["Ｔｅａ again at noon", "I drink Tea at noon"]
    assert [one.content for one in log.search("上海")] == ["我住在上海"]
    assert [one.content for one in log.search("서울에")] == ["나는 서울에 살아요"]
    assert len(log.search("noon", limit=1)) == 1
    with pytest.raises(WrongUse):
        log.search(" ")


def test_deleting_removes_messages_and_transcript_of_that_session_only(log: SessionLog, tmp_path):
    gone, kept = log.begin(), log.begin()
    for session in (gone, kept):
        log.add(session, "user", "hello")
    assert log.delete(gone) == 1
    assert [one.id for one in log.list()] == [kept.id]
    assert [one.stem for one in (tmp_path / "sessions").iterdir()] == [kept.id]


def test_the_title_is_how_it_began_and_is_kept_nowhere(log: SessionLog, state):
    session = log.begin()
    log.add(session, "user", "word " * 40)
    assert len(log.find(session.id).title) == 60
    assert "word" not in state.messages.named(session.id)[0].meta


def test_the_weight_is_that_of_what_was_not_compacted(log: SessionLog):
    session = log.begin()
    log.add(session, "user", "я" * 1000)
    assert log.weight(session) >= 2000
    assert log.weight(log.mark(session, compacted=1)) == 0
