from pathlib import Path

import pytest

import everself.storage.state
from everself.errors import WrongUse
from everself.storage.state._queries import load_queries, parse_queries


def test_each_statement_is_found_by_its_name_without_comments_and_semicolon():
    text = "-- a preface\n\n-- name: one\n-- why\nSELECT 1;\n\n-- name: two\nSELECT 2\nWHERE 1;\n"
    assert parse_queries(text) == {"one": "SELECT 1", "two": "SELECT 2\nWHERE 1"}


@pytest.mark.parametrize(
    "text",
    [
        "-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;\n",
        "-- name: a b\nSELECT 1;\n",
        "-- name: a\n-- nothing\n",
        "SELECT 1;\n-- name: a\nSELECT 2;\n",
    ],
    ids=["twice", "no name", "empty", "before the first name"],
)
def test_a_malformed_file_is_refused(text: str):
    with pytest.raises(WrongUse):
        parse_queries(text)


def test_every_query_of_the_room_is_used_and_every_use_is_a_query():
    room = Path(everself.storage.state.__file__).parent
    code = "".join(path.read_text() for path in room.glob("*.py"))
    named = {name for path in (room / "sql").glob("*.sql") for name in load_queries(path.stem)}
    used = {part.split('"]')[0] for part in code.split('_SQL["')[1:]}
    assert used == named
