"""R2-GATEWAY, S13 and S14 at CI size, and whether they notice what they are there for."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.interfaces.http.gateways import make_agent
from tests.trust.rows import r02_gateway, s10
from tests.trust.rows.r02_gateway import run_r2_gateway
from tests.trust.rows.r04_full import at_home
from tests.trust.rows.s13 import run_s13
from tests.trust.rows.s14 import run_s14

from everself.agent import open_runtime
from everself.interfaces.http import guard
from everself.interfaces.http.access import Access
from everself.interfaces.http.access_log import AccessLog
from everself.interfaces.webhooks import routes as hook_routes
from everself.operations.token_file import Token, TokenFile
from everself.search.scopes import Scope, SessionKind

pytestmark = pytest.mark.trust


def test_s13_no_stranger_is_let_in(seed: int) -> None:
    print(run_s13(1, seed))


def test_s14_whatever_is_asked_is_answered(seed: int) -> None:
    print(run_s14(1_000, seed))


@pytest.mark.timeout(3600)
def test_r2_gateway_what_was_accepted_is_kept_through_kills(seed: int) -> None:
    print(run_r2_gateway(3, seed))


def test_r2_gateway_notices_a_message_that_is_lost_or_doubled(tmp_path: Path) -> None:
    with at_home(tmp_path):
        make_agent()
        with open_runtime() as app:
            app.log.add(app.log.begin(), "user", r02_gateway._text("a-1"))
        said = r02_gateway.Said()
        said.note("a-1", r02_gateway._text("a-1"), accepted=True)
        r02_gateway._check_store(said, {}, "whole")
        with open_runtime() as app:
            app.log.add(app.log.begin(), "user", r02_gateway._text("a-1"))
        with pytest.raises(AssertionError, match="is there 2 times"):
            r02_gateway._check_store(said, {}, "doubled")
        said.note("a-2", r02_gateway._text("a-2"), accepted=True)
        del said.accepted["a-1"]
        with pytest.raises(AssertionError, match="is there 0 times"):
            r02_gateway._check_store(said, {}, "lost")


def test_s10_notices_a_log_that_holds_what_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = s10.load("secrets.jsonl", held_out=False)[:3]
    assert s10.stop_at_the_gateway(texts)
    honest = AccessLog.write

    def write(self: AccessLog, event: str, values: Mapping[str, object]) -> None:
        honest(self, event, values)
        self._lines.write(texts[0].text)

    monkeypatch.setattr(AccessLog, "write", write)
    with pytest.raises(AssertionError, match="stands in gateway"):
        s10.stop_at_the_gateway(texts)


@pytest.mark.parametrize("check", ["check_page", "signed_in"])
def test_s13_notices_a_cookie_that_is_not_checked(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Access("t", "main", Scope(SessionKind.MAIN), False)
    stand_ins = {"check_page": lambda *_: None, "signed_in": lambda *_: owner}
    monkeypatch.setattr(guard, check, stand_ins[check])
    with pytest.raises(AssertionError, match="S13 seed"):
        run_s13(1, 1)


def test_s13_notices_a_webhook_that_is_not_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_routes, "is_genuine", lambda *_: True)
    with pytest.raises(AssertionError, match="S13 seed"):
        run_s13(1, 1)


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


# one request is left to schemathesis
@pytest.mark.parametrize("requests", [1, 5])
def test_s14_notices_a_mistake_of_ours(requests: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.interfaces.http import fields

    monkeypatch.setattr(fields, "_is_storable", lambda _: 1 // 0)
    with pytest.raises(AssertionError, match="S14 seed"):
        run_s14(requests, 1)
