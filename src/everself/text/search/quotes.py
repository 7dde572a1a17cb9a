"""Finds text in quotation marks."""

from collections.abc import Iterator

_CLOSING = {
    '"': '"',
    "“": "”",
    "„": "“”",
    "”": "”",
    "「": "」",
    "『": "』",
    "«": "»",
    "»": "«",
    "‹": "›",
    "＂": "＂",
    "｢": "｣",
    "《": "》",
    "'": "'",
    "‘": "’",
}
_ALSO_APOSTROPHES = "'‘"


# limits of a phrase's length and marks, so that a text full of opening marks takes linear time
_LONGEST = 1_000
_APOSTROPHES = 16


def quoted(text: str) -> Iterator[str]:
    """Each closed quotation, outermost only. Single marks must enclose several words, so "don't" has none."""
    free = 0
    for at, mark in enumerate(text):
        if mark not in _CLOSING or at < free:
            continue
        end = _end(text, at)
        if end >= 0 and (mark not in _ALSO_APOSTROPHES or len(text[at + 1 : end].split()) > 1):
            yield text[at + 1 : end]
            free = end + 1


def _end(text: str, at: int) -> int:
    """The position of the closing mark; between letters, a single mark is an apostrophe."""
    mark, last = text[at], at + 1 + _LONGEST
    closing = _CLOSING[mark]
    if mark not in _ALSO_APOSTROPHES:
        return min((end for end in (text.find(char, at + 1, last) for char in closing) if end >= 0), default=-1)
    if text[at - 1 : at].isalnum():
        return -1
    end = at
    for _ in range(_APOSTROPHES):
        end = text.find(closing, end + 1, last)
        if end < 0 or not text[end + 1 : end + 2].isalnum():
            return end
    return -1
