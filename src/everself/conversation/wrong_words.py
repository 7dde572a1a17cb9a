"""Finds wrong words in a text and replaces them with others. Pure."""

from dataclasses import replace
from itertools import pairwise
from typing import Final

from everself.memory.replacement import reads_as
from everself.text.folding import fold_in_place
from everself.text.quantities import read_quantities
from everself.text.search import TermKind, read_query

# longest name in scripts without blanks; Korean has blanks
_MOST_SIGNS: Final = 4
_DENSE: Final = "\u2e7f"
_HANGUL: Final = ("\uac00", "\ud7a3")
_EDGES: Final = " .,;:!?…\"'“”‘’()"


def holds(text: str, words: str) -> bool:
    return _place(text, words) >= 0


def _place(text: str, words: str) -> int:
    """The position of the words in a text as whole words; -1 if they do not occur, or occur more than once."""
    within, sought = fold_in_place(text).casefold(), fold_in_place(words).casefold()
    if not sought or len(within) != len(text):
        return -1
    places = [at for at in range(len(within)) if within.startswith(sought, at) and _whole(within, at, at + len(sought))]
    return places[0] if len(places) == 1 else -1


def _whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    split = not (before.isascii() and before.isalnum() and text[start].isalnum())
    return split and not (after.isascii() and after.isalnum() and text[end - 1].isascii() and text[end - 1].isalnum())


def exchange(text: str, old: str, new: str) -> str:
    """The text with the new words in place of the old; empty if the result might not say what was said. A value replaces one of its kind
    and a word replaces a word. No part of a longer name is replaced, and nothing is said twice."""
    at = _place(text, old)
    if at < 0 or holds(text, new):
        return ""
    before, after = text[:at], text[at + len(old) :]
    given, new = new, _without_seams(before, new, after)
    made = before + new + after
    if read_quantities(old) or read_quantities(new):
        return made if _is_valued(text, made, at, (old, new)) else ""
    # new words that repeat the words next to them mean exactly this place
    single = _is_word(old) and _is_word(new) and (new != given or not _goes_on(before, after))
    return made if single and not _is_repeated(new, f"{before} {after}") and holds(made, new) else ""


def _without_seams(before: str, new: str, after: str) -> str:
    """Remove words that already stand next to the place: "third floor" for "thirteenth" in "the thirteenth floor" becomes "third"."""
    words = new.split(" ")
    for count in range(len(words) - 1, 0, -1):
        lead, tail = " ".join(words[:count]).casefold(), " ".join(words[-count:]).casefold()
        if before.casefold().split()[-count:] == lead.split():
            return " ".join(words[count:])
        if after.casefold().split()[:count] == tail.split():
            return " ".join(words[:-count])
    return new


def _is_word(words: str) -> bool:
    """Whether this is a single word or, in a script without blanks, no longer than a name."""
    return len(words) <= _MOST_SIGNS if _is_dense(words) else " " not in words


def _goes_on(before: str, after: str) -> bool:
    """Whether the replaced word may be part of a longer name: a word with meaning follows, or a capitalised one precedes."""
    if _is_dense(before[-1:] + after[:1]):
        return False
    last, first = before.split()[-1:], after.split()[:1] if after[:1].isspace() else []
    small = [term.kind is TermKind.STOP for word in first for term in read_query(word).terms]
    return not all(small) or (len(before.split()) > 1 and before[-1:].isspace() and last[0][:1].isupper())


def _is_repeated(new: str, rest: str) -> bool:
    within = fold_in_place(rest).casefold()
    if _is_dense(new):
        return any(one + other in within for one, other in pairwise(new))
    return new.casefold() in {word.strip(_EDGES) for word in within.split()}


def _is_dense(text: str) -> bool:
    return any(char > _DENSE and not _HANGUL[0] <= char <= _HANGUL[1] for char in text)


def _is_valued(text: str, made: str, at: int, values: tuple[str, str]) -> bool:
    """Whether both are exactly one value, and the new text reads like the old one except for that value."""
    found = [read_quantities(one) for one in values]
    if any(
        len(one) != 1 or (one[0].start, one[0].end) != (0, len(each)) for one, each in zip(found, values, strict=True)
    ):
        return False
    return reads_as(text, made, [(replace(found[0][0], start=at), found[1][0])])
