"""Who is let in, over headers alone."""

import pytest

from everself.interfaces.http.access import (
    LOCAL_HOSTS,
    Access,
    Hosts,
    access_of,
    bearer,
    check_place,
    host_name,
    is_local_owner,
    local_owner,
)
from everself.interfaces.http.limits import Rate
from everself.interfaces.http.problems import Refused
from everself.interfaces.http.server import hosts_of
from everself.operations.caller import Audience
from everself.operations.token_file import PREFIX, Token
from everself.search.scopes import Scope, SessionKind

HOSTS = Hosts(LOCAL_HOSTS)
REMOTE = Hosts(LOCAL_HOSTS | {"attic"}, addresses=True)


def raw(**headers: str) -> list[tuple[bytes, bytes]]:
    return [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]


def token(**changes: object) -> Token:
    given = {"name": "t", "agent": "main", "session": "main", "read": False, "people": "", "made": "", "since": ""}
    return Token(**{**given, "hash": "", **changes})  # type: ignore[arg-type] # a test's shorthand


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:7373", "localhost"),
        ("[::1]:7373", "::1"),
        ("[::1]", "::1"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("localhost:evil", "localhost:evil"),
        ("localhost@evil.example", "localhost@evil.example"),
    ],
)
def test_a_host_is_read_without_its_port(host: str, name: str) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("headers", "hosts", "let_in"),
    [
        ({"host": "localhost:7373"}, HOSTS, True),
        ({"host": "127.0.0.1:7373", "origin": "http://127.0.0.1:7373"}, HOSTS, True),
        ({"host": "[::1]:7373"}, HOSTS, True),
        ({}, HOSTS, False),
        ({"host": "evil.example"}, HOSTS, False),
        ({"host": "localhost.evil.example"}, HOSTS, False),
        ({"host": "192.168.1.7"}, HOSTS, False),
        ({"host": "192.168.1.7:7373"}, REMOTE, True),
        ({"host": "attic:7373"}, REMOTE, True),
        ({"host": "evil.example"}, REMOTE, False),
        ({"host": "localhost:7373", "origin": "http://evil.example"}, HOSTS, False),
        ({"host": "localhost:7373", "origin": "null"}, HOSTS, False),
        ({"host": "localhost:7373", "origin": "http://localhost:8080"}, HOSTS, False),
        ({"host": "localhost:7373", "sec_fetch_site": "cross-site"}, HOSTS, False),
        ({"host": "localhost:7373", "sec_fetch_site": "same-origin"}, HOSTS, True),
    ],
)
def test_foreign_hosts_and_origins_are_refused(headers: dict[str, str], hosts: Hosts, let_in: bool) -> None:
    if let_in:
        check_place(raw(**headers), hosts)
        return
    with pytest.raises(Refused) as refused:
        check_place(raw(**headers), hosts)
    assert refused.value.problem.status == 403


def test_two_hosts_are_none() -> None:
    with pytest.raises(Refused):
        check_place([(b"host", b"localhost"), (b"host", b"localhost")], HOSTS)


def test_a_gateway_on_loopback_answers_to_no_other_address() -> None:
    assert not hosts_of("127.0.0.1").addresses
    assert hosts_of("0.0.0.0").addresses
    assert hosts_of("127.0.0.2").allow("127.0.0.2:7373")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        raw(authorization="Basic abc"),
        raw(authorization="Bearer"),
        raw(authorization="Bearer  "),
        raw(authorization="abc"),
        raw(x_api_key="abc"),
        raw(cookie="token=abc"),
        [(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b")],
        raw(authorization=f"Bearer {'x' * 600}"),
    ],
)
def test_only_one_bearer_header_shows_a_token(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(Refused) as refused:
        bearer(headers, b"")
    assert refused.value.problem.status == 401
    assert ("WWW-Authenticate", "Bearer") in refused.value.problem.headers


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        (raw(x_api_key=f"{PREFIX}a"), f"{PREFIX}a"),
        (raw(x_api_key=f"{PREFIX}a", authorization=f"Bearer {PREFIX}a"), f"{PREFIX}a"),
        (raw(x_api_key="sk-ant-1", authorization=f"Bearer {PREFIX}a"), f"{PREFIX}a"),
        (raw(x_api_key=f"{PREFIX}a", authorization="Bearer sk-1"), f"{PREFIX}a"),
        (raw(x_api_key=f"{PREFIX}a", authorization=f"Bearer {PREFIX}b"), ""),
        ([(b"x-api-key", f"{PREFIX}a".encode()), (b"x-api-key", f"{PREFIX}b".encode())], ""),
    ],
)
def test_anthropics_header_shows_a_token_where_its_clients_ask(headers: list[tuple[bytes, bytes]], token: str) -> None:
    if token:
        assert bearer(headers, b"", keyed=True) == token
        return
    with pytest.raises(Refused):
        bearer(headers, b"", keyed=True)


def test_elsewhere_anthropics_header_shows_nothing() -> None:
    with pytest.raises(Refused):
        bearer(raw(x_api_key=f"{PREFIX}a"), b"")
    assert bearer(raw(x_api_key=f"{PREFIX}a", authorization=f"Bearer {PREFIX}b"), b"") == f"{PREFIX}b"


def test_a_token_in_the_address_is_refused_beside_a_good_one() -> None:
    good = raw(authorization="Bearer abc")
    assert bearer(good, b"limit=3") == "abc"
    with pytest.raises(Refused) as refused:
        bearer(good, f"token={PREFIX}abc".encode())
    assert refused.value.problem.status == 401


def test_agent_and_scope_come_from_the_token_whatever_the_headers_say() -> None:
    headers = raw(x_everself_agent="other", x_person="anna", x_openclaw_agent_id="other")
    found = access_of(token(session="guest/bert"), headers)
    assert found == Access("t", "main", Scope(SessionKind.GUEST, "bert"), False)


@pytest.mark.parametrize(
    ("session", "standing"),
    [("main", Audience.OWNER), ("guest/anna", Audience.GUEST), ("group", Audience.GUEST)],
)
def test_only_the_owners_token_has_the_owners_standing(session: str, standing: Audience) -> None:
    caller = access_of(token(session=session), []).caller("api")
    assert caller.audience is standing
    assert caller.by_owner == (session == "main")
    assert not caller.present


def test_a_front_end_names_guests_and_never_the_owner() -> None:
    people = token(session="guest", people="x-person")
    assert access_of(people, raw(x_person="anna")).scope == Scope(SessionKind.GUEST, "anna")
    for named in ("", "Anna", "anna ", "anna/..", "a" * 65, "änna", "anna@x.org"):
        with pytest.raises(Refused) as refused:
            access_of(people, [(b"x-person", named.encode("utf-8"))])
        assert refused.value.problem.status == 400
    with pytest.raises(Refused):
        access_of(people, [])
    with pytest.raises(Refused):
        access_of(people, [*raw(x_person="anna"), *raw(x_person="bert")])
    # whatever is named, it is a guest
    assert access_of(people, raw(x_person="main")).caller("api").audience is Audience.GUEST


def test_a_process_of_the_same_user_names_agent_and_project_and_shows_no_token() -> None:
    named = [(b"x-everself-agent", b"main")]
    assert is_local_owner(7, named, 7)
    assert not is_local_owner(8, named, 7)
    assert not is_local_owner("7", named, 7)
    assert not is_local_owner(None, named, 7)
    # a token says more exactly who asks, and may be a guest's
    assert not is_local_owner(7, [*named, (b"Authorization", b"Bearer x")], 7)
    assert local_owner(named) == Access("local", "main", Scope(SessionKind.MAIN), False)
    within = local_owner([*named, (b"x-everself-project", b"rocket-1a2b")])
    assert within.scope == Scope(SessionKind.MAIN, project="rocket-1a2b")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"x-everself-agent", b"")],
        [(b"x-everself-agent", b"../main")],
        [(b"x-everself-agent", b"main"), (b"x-everself-agent", b"other")],
        [(b"x-everself-agent", b"main"), (b"x-everself-project", b"../../users/anna")],
        [(b"x-everself-agent", b"main"), (b"x-everself-project", b"")],
    ],
)
def test_a_process_that_names_no_agent_or_no_project_is_refused(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(Refused) as found:
        local_owner(headers)
    assert found.value.problem.status == 400


def test_a_rate_fills_with_time_and_knows_callers_apart() -> None:
    now = [0.0]
    rate = Rate(2.0, 3, now=lambda: now[0])
    assert [rate.wait("a") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert rate.wait("a") == 0.5
    assert rate.wait("b") == 0.0
    now[0] = 0.5
    assert rate.wait("a") == 0.0
    assert rate.wait("a") > 0
    now[0] = 100.0
    assert [rate.wait("a") for _ in range(4)][:3] == [0.0, 0.0, 0.0]
