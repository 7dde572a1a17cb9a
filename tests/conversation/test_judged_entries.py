"""What a message makes wrong by the head that sees both, and what is written in its place."""

from collections.abc import Iterator

import pytest

from everself.classify import encoder
from everself.classify.corrections import Correction
from everself.conversation.judged_entries import find_judged
from everself.conversation.replacements import Replaced
from everself.models.embedding.local import open_local
from everself.values import Entry

# the encoder is loaded for it
pytestmark = pytest.mark.slow

KNOWN = [
    "i go rowing on tuesdays with petra, keeps me sane. also every evening i take ramipril, 5 milligrams, for the blood pressure",
    "my cousin henrik lives in bergen, builds boats. and ive been learning polish since may",
    "the roofers start on 9 march and we put 4000 aside for it",
    "my other cousin, solveig, lives in oslo",
    "dentist on monday, 8.40",
]


@pytest.fixture(scope="module", autouse=True)
def _encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with encoder.offering(open_local("", "", str(tmp_path_factory.mktemp("models"))).embed):
        yield


def judged(message: str, known: list[str] = KNOWN, reply: str = "") -> Replaced | None:
    entries = [Entry(str(at), "memory/2026-11-02.md", text) for at, text in enumerate(known)]
    return find_judged(entries, Correction("hint", message), message, reply)


def test_one_value_is_exchanged_in_its_sentence_and_the_message_is_quoted() -> None:
    found = judged("rowing isnt on tuesdays anymore, its wednesdays, they changed the boats")
    assert found is not None
    assert [one.id for one in found.entries] == ["0"]
    assert found.text == (
        "i go rowing on wednesdays with petra, keeps me sane. also every evening i take ramipril, 5 milligrams, for the blood pressure "
        "(“rowing isnt on tuesdays anymore, its wednesdays, they changed the boats”)"
    )


def test_a_wrong_clause_gives_way_to_the_message_and_stays_struck_out() -> None:
    found = judged("henrik left bergen and moved to stavanger")
    assert found is not None
    assert found.text == (
        "henrik left bergen and moved to stavanger, builds boats. and ive been learning polish since may "
        "(“~~my cousin henrik lives in bergen~~”)"
    )


@pytest.mark.parametrize(
    "message",
    [
        "henrik and solveig came over for coffee",
        "rowing was lovely today",
        "my neighbour ola lives in bergen too",
        "remind me what ramipril is for",
        "the roofers start on 9 march, as agreed",
        "",
    ],
)
def test_what_makes_nothing_wrong_closes_nothing(message: str) -> None:
    assert judged(message) is None


def test_another_thing_on_the_same_day_closes_nothing() -> None:
    assert judged("my course is on tuesdays and thursdays now", ["1:1 with katrin every other tuesday 14:00"]) is None


def test_an_event_of_today_does_not_replace_an_earlier_one() -> None:
    assert judged("ran 10k in 49 minutes today", ["i ran 10k in 52 minutes in may"]) is None


def test_a_long_message_is_about_several_things() -> None:
    assert judged("rowing isnt on tuesdays anymore, its wednesdays. " * 8) is None


def test_without_an_encoder_nothing_is_judged() -> None:
    with encoder.offering(None):
        assert judged("henrik left bergen and moved to stavanger") is None
