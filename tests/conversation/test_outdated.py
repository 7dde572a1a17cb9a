"""A model's note that gives a known statement another value, and the owner's message that makes it wrong."""

from collections.abc import Iterator

import pytest

from everself.classify import encoder
from everself.conversation.outdated import find_outdated
from everself.models.embedding.local import open_local
from everself.values import Entry

# the encoder is loaded for it
pytestmark = pytest.mark.slow

KNOWN = [
    "The owner plays the guitar.",
    "The owner's sister is called Anjali.",
    "The meeting with Sandra is at 4 pm.",
    "The owner's sister Mia lives in Leeds.",
    "Lunch with Ben is on 4 May.",
    "The owner pays 1150 euros rent a month.",
    "The owner lives in Lisbon.",
    "Jonas is the owner's running buddy.",
]


@pytest.fixture(scope="module", autouse=True)
def _encoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with encoder.offering(open_local("", "", str(tmp_path_factory.mktemp("models"))).embed):
        yield


def outdated(words: str, message: str) -> list[str]:
    near = [Entry(str(at), "memory/2026-11-02.md", text) for at, text in enumerate(KNOWN)]
    found, _ = find_outdated(near, words, message)
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("message", "words", "old"),
    [
        ("rent is 1210 now", "The owner pays 1210 euros rent a month.", "The owner pays 1150 euros rent a month."),
        ("I moved to Porto", "The owner lives in Porto.", "The owner lives in Lisbon."),
        (
            "no wait, Jonas isn't my running buddy anymore, its Lena now",
            "Lena is the owner's running buddy.",
            "Jonas is the owner's running buddy.",
        ),
    ],
)
def test_a_note_that_gives_another_value_names_what_no_longer_holds(message: str, words: str, old: str) -> None:
    assert outdated(words, message) == [old]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("i also play the cello", "The owner plays the cello."),
        ("my other sister is called meera", "The owner's sister is called Meera."),
        ("the meeting with li is at 5 now", "The meeting with Li is at 5 pm."),
        ("my sister lena lives in leeds as well", "The owner's sister Lena lives in Leeds."),
        ("another lunch with ben on 11 may", "Lunch with Ben is on 11 May."),
        ("gym costs 38 a month", "The gym costs the owner 38 euros a month."),
    ],
)
def test_what_both_hold_is_not_outdated(message: str, words: str) -> None:
    assert outdated(words, message) == []


def test_a_note_alone_makes_nothing_outdated() -> None:
    assert outdated("The owner lives in Porto.", "what is the weather like") == []


def test_without_an_encoder_nothing_is_outdated() -> None:
    with encoder.offering(None):
        assert outdated("The owner lives in Porto.", "I moved to Porto") == []
