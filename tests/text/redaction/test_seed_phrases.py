"""The seed phrase of a wallet is known by its checksum, without a word that says what it is."""

import hashlib
import random

import pytest

from everself.text._secrets import mnemonics
from everself.text.redaction import Redacted, redact

WORDS = [word.decode() for word in mnemonics._numbers()]
TWELVE = "legal winner thank year wave sausage worth useful legal winner thank yellow"
GONE = "[redacted: seed phrase]"


def phrase(count: int, seed: int) -> list[str]:
    """By the standard, with nothing of the code that is tested."""
    entropy = random.Random(seed).randbytes(count * 4 // 3)
    bits = "".join(f"{byte:08b}" for byte in entropy) + f"{hashlib.sha256(entropy).digest()[0]:08b}"[: count // 3]
    return [WORDS[int(bits[at : at + 11], 2)] for at in range(0, len(bits), 11)]


def test_the_list_is_that_of_the_standard() -> None:
    wanted = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
    assert hashlib.sha256("".join(f"{word}\n" for word in WORDS).encode()).hexdigest() == wanted


@pytest.mark.parametrize("count", [12, 15, 18, 21, 24])
@pytest.mark.parametrize("seed", range(20))
def test_a_phrase_of_any_length_is_gone(count: int, seed: int) -> None:
    words = " ".join(phrase(count, seed))
    assert redact(f"Keep this: {words}.").text == f"Keep this: {GONE}."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (TWELVE, GONE),
        (TWELVE.upper(), GONE),
        (TWELVE.title(), GONE),
        (TWELVE.replace(" ", "\n"), GONE),
        (TWELVE.replace(" ", ", "), GONE),
        (TWELVE.replace(" ", "  "), GONE),
        ("\n".join(f"{at}. {word}" for at, word in enumerate(TWELVE.split(), 1)), f"1. {GONE}"),
        (f"remember the words {TWELVE} and hide them", f"remember the words {GONE} and hide them"),
        (f"my bike\n{TWELVE}\nis in the yard", f"my bike\n{GONE}\nis in the yard"),
        # words of the list beside it
        (f"you have that\n{TWELVE}\nkeep this safe", f"you have that\n{GONE}\nkeep this safe"),
        (f"this old phrase {TWELVE}", f"this old phrase {GONE}"),
        (f"{TWELVE}\n\n{TWELVE}", f"{GONE}\n\n{GONE}"),
    ],
)
def test_however_it_is_written_down(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        # words of the list in no phrase: the checksum is wrong
        TWELVE.replace("yellow", "zoo"),
        # a word that is not of the list
        TWELVE.replace("sausage", "sausage the"),
        *(" ".join(WORDS[at : at + 200]) for at in range(0, 1800, 60)),
        *("word " * count for count in (12, 15, 18, 21, 24, 100)),
        "apple banana cherry lemon olive orange peanut pepper potato pumpkin salad sugar tomato",
        "we walk along the river when the weather is fine and drink coffee there",
    ],
)
def test_words_in_a_row_are_none(text: str) -> None:
    assert redact(text) == Redacted(text, ())
