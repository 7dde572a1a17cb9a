"""The reflex's replies, by key and language, from `replies.txt`."""

from functools import cache
from importlib.resources import files
from typing import Final

from everself.text.sentences import Language

_ORDER: Final[tuple[Language, ...]] = ("en", "zh", "ko", "ja")


def reply(key: str, language: Language, **filled: str) -> str:
    text = _replies()[key][_ORDER.index(language)]
    for name, value in filled.items():
        text = text.replace("{" + name + "}", value)
    return text


@cache
def _replies() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in files(__package__).joinpath("replies.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            key, _, texts = line.partition(": ")
            found[key] = tuple(text.strip() for text in texts.split(" || "))
    return found
