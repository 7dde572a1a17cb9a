"""S13 and S14 at CI size, and whether they notice what they are there for."""

import pytest
from tests.trust.rows.s13 import run_s13
from tests.trust.rows.s14 import run_s14

from everself.interfaces.http import guard
from everself.interfaces.http.access import Access
from everself.operations.token_file import Token, TokenFile
from everself.search.scopes import Scope, SessionKind

pytestmark = pytest.mark.trust


def test_s13_no_stranger_is_let_in(seed: int) -> None:
    print(run_s13(1, seed))


def test_s14_whatever_is_asked_is_answered(seed: int) -> None:
    print(run_s14(1_000, seed))


def test_s13_notices_a_list_of_tokens_that_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    real = TokenFile.tokens

    def once(self: TokenFile) -> tuple[Token, ...]:
        return self._seen[1] if self._seen is not None else real(self)

    monkeypatch.setattr(TokenFile, "tokens", once)
    with pytest.raises(AssertionError, match="S13 seed"):
        run_s13(1, 1)


@pytest.mark.parametrize("check", ["check_place", "access_of", "bearer"])
def test_s13_notices_a_check_that_is_not_made(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Access("t", "main", Scope(SessionKind.MAIN), False)
    stand_ins = {"check_place": lambda *_: None, "access_of": lambda *_: owner, "bearer": lambda *_: "x"}
    if check == "bearer":
        monkeypatch.setattr(guard, "access_of", lambda *_: owner)
    monkeypatch.setattr(guard, check, stand_ins[check])
    with pytest.raises(AssertionError, match="S13 seed"):
        run_s13(1, 1)


def test_s14_notices_a_mistake_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.interfaces.http import bodies

    monkeypatch.setattr(bodies, "_is_storable", lambda _: 1 // 0)
    with pytest.raises(AssertionError, match="S14 seed"):
        run_s14(5, 1)
