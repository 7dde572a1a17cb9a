"""S8 is no ornament in the prompt either: take down each wall of a frame, and the row finds it."""

import pytest
from tests.trust.rows.s08 import run_s8

from everself.conversation.context import framing

pytestmark = pytest.mark.trust


def test_brackets_that_stay_in_data_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "_BRACKETS", {})
    with pytest.raises(AssertionError, match=r"S8 seed .* marks within data"):
        run_s8(30, 1)


def test_data_that_is_not_quoted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "quote", framing.neutralise)
    with pytest.raises(AssertionError, match=r"S8 seed .* broken out"):
        run_s8(5, 1)


def test_a_nonce_that_is_used_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "new_nonce", lambda _: "0123456789abcdef")
    with pytest.raises(AssertionError, match=r"S8 seed .* used before"):
        run_s8(5, 1)


def test_data_that_may_hold_the_nonce_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "neutralise", lambda text, _: text.translate(framing._BRACKETS))
    with pytest.raises(AssertionError, match=r"S8 seed"):
        run_s8(100, 1)


def test_words_that_are_dropped_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = framing.quote
    monkeypatch.setattr(framing, "quote", lambda text, nonce: real(text.replace("end", ""), nonce))
    with pytest.raises(AssertionError, match=r"S8 seed .* words were lost"):
        run_s8(30, 1)
