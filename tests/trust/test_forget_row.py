"""S11 at CI size, and that the row would notice a forgetting that skips a place."""

import pytest
from tests.trust.rows.s11 import forget_all_kinds, lose_power, run_s11

from everself.conversation.sessions.forgetting import TranscriptTraces
from everself.memory.forgetting.forgetting import Forgetting
from everself.memory.forgetting.forgotten_words import ForgottenWords
from everself.search.forgetting import IndexTraces
from everself.search.index import Index
from everself.storage.history.rewriting import RewritableHistory
from everself.storage.state.scrub import Scrub

pytestmark = pytest.mark.trust


def test_s11_what_is_forgotten_is_in_no_byte_of_any_place(seed: int) -> None:
    print(run_s11(1, seed))


def test_old_history_objects_that_stay_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RewritableHistory, "prune", lambda _: 0)
    with pytest.raises(AssertionError):
        forget_all_kinds(1)


def test_messages_that_stay_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scrub, "rewrite", lambda *_: {})
    with pytest.raises(AssertionError):
        forget_all_kinds(1)


def test_a_forgetting_that_is_not_gone_on_with_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forgetting, "resume", lambda *_: ())
    with pytest.raises(AssertionError):
        sum(lose_power(number) for number in range(60))


def test_records_that_keep_their_quotations_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ForgottenWords, "_without_lines", lambda _self, data, *_, **__: data)
    with pytest.raises(AssertionError):
        forget_all_kinds(1)


def test_an_index_that_nobody_cleans_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IndexTraces, "remove", lambda *_: 0)
    monkeypatch.setattr(IndexTraces, "holds", lambda *_: 0)
    with pytest.raises(AssertionError, match="hashes in index"):
        forget_all_kinds(1)


def test_an_index_that_only_marks_chunks_dead_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Index, "purge", Index.sync)
    monkeypatch.setattr(IndexTraces, "holds", lambda *_: 0)
    with pytest.raises(AssertionError, match="hashes in index"):
        forget_all_kinds(1)


def test_transcripts_that_nobody_cleans_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TranscriptTraces, "remove", lambda *_: 0)
    with pytest.raises(AssertionError):
        forget_all_kinds(1)
