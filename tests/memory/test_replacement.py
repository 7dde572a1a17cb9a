"""A statement that gives something known another value: which of what is known it replaces. Nothing that may hold beside it is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.classify import encoder
from everself.classify.corrections import Correction, find_change, hint_of_correction
from everself.classify.openers import bare
from everself.conversation.judged_entries import find_judged
from everself.conversation.replacements import find_replaced
from everself.memory.replacement import find_replacement, put_right, swapped
from everself.models.embedding.local import open_local
from everself.values import Entry

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parents[1] / "corpora" / "replacements" / "written.jsonl"
# of 35 that replace something; the others are asked about or stay beside each other
LEAST_FOUND = 22


@pytest.fixture(scope="module", autouse=True)
def _encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with encoder.offering(open_local("", "", str(tmp_path_factory.mktemp("models"))).embed):
        yield


def entry(number: int, text: str) -> Entry:
    return Entry(f"{number:012d}", "memory/2026-11-02.md", text)


def replaced_by(said: str, known: list[str]) -> int | None:
    told = find_change(said) or Correction("hint", said, likely=hint_of_correction(said))
    entries = [entry(at, text) for at, text in enumerate(known)]
    found = find_replaced(entries, told, said)
    if found is None or not found.sure:
        found = find_judged(entries, told, said)
    return int(found.entries[0].id) if found is not None else None


def test_nothing_is_replaced_that_may_hold_beside_what_is_said() -> None:
    rows = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    got = [(row["closes"], replaced_by(row["said"], row["known"]), row["said"]) for row in rows]
    assert [said for wanted, found, said in got if found is not None and found != wanted] == []
    assert sum(found is not None for _, found, _ in got) >= LEAST_FOUND


@pytest.mark.parametrize(
    ("said", "known", "right"),
    [
        ("the flour comes thursday not wednesday", "the flour comes every wednesday", "the flour comes every thursday"),
        ("wren is 8", "kids: Wren is 7, Otis turned three in august.", "kids: Wren is 8, Otis turned three in august."),
        ("Ines now starts at 8:30", "Ines starts work at 9", "Ines starts work at 8:30"),
    ],
)
def test_the_rest_of_what_is_known_stays(said: str, known: str, right: str) -> None:
    found = find_replacement(bare(said), known)
    assert found is not None
    assert swapped(found, bare(said), known) == right


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I'm 34, not 43.", "Bus 43 stops at the old mill"),
        ("the bathroom budget is 6000", "the budget for the kitchen is 9000"),
        ("class 3a has 25 children", "class 4b has 26 children"),
        ("Ran 10k in 52 minutes", "did 10k in 49:30 today"),
        ("the concert is on 12 december and the party on 19 december", "the concert is on 12 december"),
        ("contract goes till 30 june now", "she lands 22 december now"),
    ],
)
def test_what_is_about_something_else_is_no_other_value(said: str, known: str) -> None:
    assert find_replacement(said, known) is None


@pytest.mark.parametrize(
    ("known", "said", "sure"),
    [
        ("choir is on monday at 8", "choir thursday at 9", False),
        ("bertrand has his fitting thursday at 2", "the agent rang. bertrand thursday quarter past 4", True),
        ("bertrand has his fitting thursday at 2", "bertrand sings thursday quarter past 4", False),
        (
            "Lotte wird am 13. Dezember acht, wünscht sich ein Mikroskop",
            "Lotte wird am 3. Dezember acht, nicht am 13.",
            True,
        ),
    ],
)
def test_the_same_said_again_with_another_value_replaces_it(known: str, said: str, sure: bool) -> None:
    message = said.rpartition(". ")[2] if said.startswith("the agent") else said
    assert (replaced_by(message, [known]) is not None) is sure


def test_an_answer_to_what_was_said_right_before_may_give_a_day_and_a_time() -> None:
    known, said = "choir is on monday at 8", "no, tuesday at 9"
    told = find_change(said)
    assert told is not None
    found = find_replaced([entry(1, known)], told, said, (known,))
    assert found is not None
    assert (found.sure, found.text) == (True, "choir is on tuesday at 9")


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("i ran 8 km today", "i ran 5 km today"),
        ("今天跑了8公里", "今天跑了5公里"),
        ("drank 3 coffees this morning", "drank 2 coffees this morning"),
        ("오늘 8km 뛰었어", "오늘 5km 뛰었어"),
    ],
)
def test_what_was_done_twice_on_a_day_is_no_other_value(said: str, known: str) -> None:
    assert replaced_by(said, [known]) is None


def test_who_says_no_puts_right_what_was_done_on_a_day() -> None:
    told = Correction("medium", "i ran 8 km today")
    found = find_replaced([entry(0, "i ran 5 km today")], told, "no, i ran 8 km today")
    assert found is not None
    assert found.sure


def test_an_answer_with_two_values_exchanges_both_or_none() -> None:
    assert list(put_right("no, Tuesday at 9:00", "Choir is on Monday at 8:00.")) == ["Choir is on Tuesday at 9:00."]
    assert list(put_right("I paid 30 euros on Tuesday", "The market is on Monday.")) == []
    assert list(put_right("7, not 6", "There are 6 of us.")) == ["There are 7 of us."]
