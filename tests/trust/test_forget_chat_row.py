"""S11 in open conversations at CI size, and that the row would notice one that does not look who forgot."""

from pathlib import Path

import pytest
from tests.trust.rows.r05_forget import run_r5_forget
from tests.trust.rows.s11_chat import live, run_s11_chat

from everself.conversation._recording import TurnRecorder
from everself.conversation.shared_state import SharedState
from everself.models.chat.protocol import ChatRequest

pytestmark = [pytest.mark.trust, pytest.mark.timeout(600)]


def test_s11_no_request_after_the_words_were_forgotten_holds_them(seed: int) -> None:
    print(run_s11_chat(6, seed))


def test_r5_two_processes_forget_at_once_beside_appends(seed: int) -> None:
    print(run_r5_forget(4, seed))


def test_s11_notices_a_turn_that_does_not_look_before_each_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def renewed(_: TurnRecorder, request: ChatRequest) -> ChatRequest:
        return request

    monkeypatch.setattr(TurnRecorder, "renewed", renewed)
    _fails(tmp_path, "still holds the words")


def test_s11_notices_a_prefix_that_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(SharedState, "prefix", lambda desk, session, *_: desk._prefixes.get(session, (0, "", None))[2])
    _fails(tmp_path, "still holds the words")


def test_s11_notices_a_reply_that_brings_the_words_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(TurnRecorder, "_unsaid", lambda _, text: text)
    _fails(tmp_path, "KESTREL|still holds|request")


def _fails(top: Path, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        _lives(top)


def _lives(top: Path) -> None:
    for number in range(6):
        folder = top / str(number)
        folder.mkdir()
        live(folder, 1_000_000 + number)
