"""S6 and S9 at CI size, and whether they notice."""

import pytest
from tests.trust.rows import s06, s09

from everself.memory import memory
from everself.operations import entries as remembering
from everself.testing.origins import origin_of
from everself.text import invisible as unseen

pytestmark = pytest.mark.trust


def test_s6_others_gain_no_authority_and_the_owner_does(seed: int) -> None:
    print(s06.run_s6(1_000, seed))


def test_s6_holds_without_any_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "injection_reason", lambda *_: "")
    assert "0 kept apart" in s06.run_s6(40, 1)


def test_s6_notices_a_tool_that_believes_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "origin_of", lambda *_: origin_of("owner"))
    with pytest.raises(AssertionError, match="gained authority"):
        s06.run_s6(20, 1)


def test_s6_notices_a_memory_that_doubts_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "origin_of", lambda *_: origin_of("web"))
    with pytest.raises(AssertionError, match="were lost"):
        s06.run_s6(20, 1)


def test_s9_what_nobody_sees_is_seen(seed: int) -> None:
    print(s09.run_s9(500, seed))


def test_s9_notices_a_labeller_that_misses_one_or_minds_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unseen, "needed", lambda text, at: text[at] == "\u2060")
    with pytest.raises(AssertionError, match=r"not seen|kept apart"):
        s09.run_s9(10_000, 1)
