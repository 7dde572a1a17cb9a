"""Passwords as people and generators choose them.

Each has a digit or a symbol: an ordinary lower-case word after "the password is" cannot be told from prose by its shape,
and judging that would judge luck. Knows nothing of the texts around them.
"""

from __future__ import annotations

import string

from tests.corpora.secrets.chance import ALNUM, Chance
from tests.corpora.secrets.fillers import WORDS

PARTS = WORDS["password.part"]
SEASONS = ("Sommer", "Winter", "Spring", "Herbst", "Autumn", "Sakura", "Monsoon", "Aprilwind")
SYMBOLS = "!#$%&*+-=?^_~."


def strong(c: Chance) -> str:
    """What a password manager makes."""
    length = c.among(12, 24)
    while True:
        word = c.chars(ALNUM, 1) + c.chars(ALNUM + SYMBOLS, length - 2) + c.chars(ALNUM, 1)
        if any(x in string.digits for x in word) and any(x in SYMBOLS for x in word) and "<%" not in word:
            return word


def plain(c: Chance) -> str:
    while True:
        word = c.alnum(c.among(12, 20))
        if any(x in string.digits for x in word[1:-1]):
            return word


def human(c: Chance) -> str:
    """What a person makes up."""
    return c.pick(
        (
            f"{c.pick(SEASONS)}{c.among(2019, 2027)}!",
            f"{c.pick(PARTS).capitalize()}{c.pick(PARTS).capitalize()}{c.among(10, 99)}",
            f"{c.pick(PARTS)}-{c.pick(PARTS)}-{c.among(10, 99)}-{c.pick(PARTS)}",
            f"{c.pick(PARTS).replace('a', '@').replace('e', '3').replace('o', '0')}{c.pick('!#*')}{c.among(100, 999)}",
            f"{c.pick(PARTS).capitalize()}_{c.pick(PARTS)}#{c.among(1, 99)}",
        )
    )


def any_word(c: Chance) -> str:
    return c.pick((strong, strong, plain, human, human))(c)


def in_url(c: Chance) -> str:
    """As it stands in the user part of a URL, where reserved characters are percent-encoded."""
    shape = c.among(0, 3)
    if shape == 0:
        return c.chars(ALNUM, 8) + c.pick(("%21", "%23", "%40", "%2F", "%24")) + c.chars(ALNUM, 6)
    if shape == 1:
        return human(c).translate(str.maketrans("@#!*", "-__9"))
    return plain(c)
