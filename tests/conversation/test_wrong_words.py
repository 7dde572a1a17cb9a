"""A sentence with one value exchanged is written only where the exchange is clean; nobody said the rest of it otherwise."""

import pytest

from everself.conversation.wrong_words import exchange


@pytest.mark.parametrize(
    ("known", "old", "new", "made"),
    [
        ("my manager is Petra", "Petra", "Jurgen", "my manager is Jurgen"),
        ("I live on the thirteenth floor", "thirteenth", "third floor", "I live on the third floor"),
        ("el piso cuesta 850 euros al mes", "850", "900", "el piso cuesta 900 euros al mes"),
        ("上司は田中さん", "田中", "佐藤", "上司は佐藤さん"),
    ],
)
def test_one_value_goes_for_another(known: str, old: str, new: str, made: str) -> None:
    assert exchange(known, old, new) == made


@pytest.mark.parametrize(
    ("known", "old", "new"),
    [
        # a misspelt month would stand beside the right one
        ("the school play is on the 3rd of december", "3rd", "4th of decemeber"),
        ("hannah is single now", "single", "back together"),
        # a part of a longer name
        ("my manager is Petra Vogel", "Petra", "Jurgen"),
        ("姐姐在北京当老师", "北京", "天津当老师"),
        ("the ferry leaves at 7 from pier 4", "7", "pier 5"),
    ],
)
def test_what_is_not_clean_is_not_put_together(known: str, old: str, new: str) -> None:
    assert exchange(known, old, new) == ""
