"""Tokens: shown once, stored as hashes, one agent and one person each."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.operations.homes import HOME, settle

from everself.errors import Damaged, EverselfError, NotFound, WrongUse
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import NoRequest
from everself.operations.gateway import folder_of
from everself.operations.token_file import FILE, PREFIX, TokenFile
from everself.operations.tokens import (
    AddTokenRequest,
    TokenMade,
    TokenRequest,
    add_token,
    list_tokens,
    remove_token,
    rotate_token,
)
from everself.search.scopes import Scope, SessionKind
from everself.text.redaction import redact


def add(name: str = "editor", session: str = "main", **more: object) -> TokenMade:
    return add_token(HOME, AT_TERMINAL, AddTokenRequest(name=name, session=session, **more))  # type: ignore[arg-type]


def file() -> Path:
    return Path(folder_of(HOME.places), FILE)


def tokens() -> TokenFile:
    return TokenFile(folder_of(HOME.places))


def test_a_token_has_256_bits_and_only_its_hash_is_stored() -> None:
    made = add()
    assert made.token.startswith(PREFIX)
    assert len(made.token) == len(PREFIX) + 43
    assert made.token not in file().read_text("utf-8")
    assert made.token[len(PREFIX) :] not in file().read_text("utf-8")
    assert add("other").token != made.token
    found = tokens().find(made.token)
    assert found is not None
    assert (found.name, found.agent, found.scope()) == ("editor", "main", Scope(SessionKind.MAIN))
    assert tokens().find(made.token[:-1]) is None
    assert tokens().find("") is None
    assert tokens().find(found.hash) is None


def test_the_file_is_the_owners_alone_whatever_the_umask() -> None:
    before = os.umask(0)
    try:
        add()
    finally:
        os.umask(before)
    assert file().stat().st_mode & 0o777 == 0o600
    assert file().parent.stat().st_mode & 0o777 == 0o700


def test_rotating_and_removing_count_at_once_for_whoever_holds_the_list() -> None:
    held = tokens()
    old = add().token
    assert held.find(old) is not None
    new = rotate_token(HOME, AT_TERMINAL, TokenRequest(name="editor")).token
    assert held.find(old) is None
    assert held.find(new) is not None
    remove_token(HOME, AT_TERMINAL, TokenRequest(name="editor"))
    assert held.find(new) is None


def test_what_is_listed_holds_no_hash() -> None:
    add(read=True)
    [listed] = list_tokens(HOME, AT_TERMINAL, NoRequest())
    assert (listed.name, listed.session, listed.read) == ("editor", "main", True)
    assert not hasattr(listed, "hash")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"session": ""}, WrongUse),
        ({"session": "owner"}, WrongUse),
        ({"session": "guest"}, WrongUse),
        ({"session": "guest/"}, WrongUse),
        ({"session": "guest/Anna"}, WrongUse),
        ({"session": "guest/../x"}, WrongUse),
        ({"session": "cron"}, WrongUse),
        ({"session": "subagent"}, WrongUse),
        ({"session": "main/anna"}, WrongUse),
        ({"session": "main", "people": "X-Person"}, WrongUse),
        ({"session": "group", "people": "X-Person"}, WrongUse),
        ({"session": "", "people": "Authorization"}, WrongUse),
        ({"session": "", "people": "X-Forwarded-For"}, WrongUse),
        ({"session": "", "people": "X-Everself-Session"}, WrongUse),
        ({"session": "", "people": "X Person"}, WrongUse),
        ({"name": "Editor"}, WrongUse),
        ({"name": ""}, WrongUse),
        ({"name": "a" * 65}, WrongUse),
        ({"agent": "nobody"}, NotFound),
    ],
)
def test_a_token_for_nobody_is_refused(given: dict[str, str], error: type[EverselfError]) -> None:
    with pytest.raises(error):
        add(**given)  # type: ignore[arg-type]
    assert not file().exists()


def test_a_front_end_speaks_for_guests_that_each_request_names() -> None:
    made = add("webui", "", people="X-Person")
    found = tokens().find(made.token)
    assert found is not None
    assert (found.session, found.people) == ("guest", "x-person")
    assert found.scope("anna") == Scope(SessionKind.GUEST, "anna")


def test_a_name_is_given_once() -> None:
    first = add().token
    with pytest.raises(WrongUse):
        add()
    assert tokens().find(first) is not None
    for act in (rotate_token, remove_token):
        with pytest.raises(NotFound):
            act(HOME, AT_TERMINAL, TokenRequest(name="nobody"))


def test_many_at_once_lose_no_token() -> None:
    settle()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: add(f"t{number}").token, range(24)))
    assert all(tokens().find(one) is not None for one in made)
    assert len(tokens().tokens()) == 24


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tokens": [{"name": 1}]}', '{"tokens": [{"name": "x"}]}'])
def test_a_list_that_cannot_be_read_lets_nobody_in(text: str) -> None:
    made = add().token
    file().write_text(text, "utf-8")
    with pytest.raises(Damaged):
        tokens().find(made)


def test_a_kind_of_session_that_is_not_known_lets_nobody_in() -> None:
    made = add().token
    stored = json.loads(file().read_text("utf-8"))
    stored["tokens"][0]["session"] = "root"
    file().write_text(json.dumps(stored), "utf-8")
    with pytest.raises(Damaged):
        tokens().find(made)


def test_a_token_in_a_text_is_a_secret() -> None:
    made = add().token
    assert made not in redact(f"The token of my editor is {made}, remember it.").text
