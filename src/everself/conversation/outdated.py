"""Finds what a model's note makes outdated: it is a known statement but for one value or name, and the owner's message made it wrong. Pure
except for the heads; closes nothing itself.

A model that was told "no, the standup is at 9:45" may write "Daily standup at 9:45." and never say what that replaces. Two have to agree:
the note gives a known statement another value, and the head that sees message and memory takes this statement for wrong. Either alone is
true of things that both hold: "I also play the cello", and another flat that costs something else.
"""

from collections.abc import Sequence
from typing import Final

from everself.classify.corrections import find_change
from everself.classify.coverage import same_fact, words_in_common
from everself.classify.difference import differ_in_one_place, differ_in_one_word
from everself.classify.grounded import judge
from everself.memory.contrasts import names_another, names_other_value
from everself.memory.replacement import find_replacement
from everself.text.note_quotes import without_quote
from everself.values import Entry

# lowest probability that the message makes anything wrong, and lowest share of one statement among the others
_MAY: Final = 0.26
_MOSTLY: Final = 0.5
# the same probability, if the message neither names the old value nor reports a change
_LIKELY: Final = 0.5
# longer messages are about several things
_LONGEST: Final = 300
_ENDS: Final = " .!?…"


def find_outdated(near: Sequence[Entry], words: str, message: str) -> tuple[Sequence[Entry], bool]:
    """Of the entries near to a note, the one that it gives another value, with its copies; empty if there is none, or several may be meant.
    The second value says whether they may be closed; if not, only the owner can tell which of the two holds."""
    changes = find_change(message) is not None
    found = [one for one in near if _is_other_value(without_quote(one.text), words, message)]
    if not found and changes:
        found = [one for one in near if _gives_another(without_quote(one.text), words)]
    if not found or len(message) > _LONGEST or any(not same_fact(one.text, found[0].text) for one in found):
        return (), False
    judged = judge(message, [one.text for one in near])
    if judged is None or judged.likely < _MAY:
        return (), False
    shares = {one.id: share for one, share in zip(near, judged.shares, strict=False)}
    if sum(shares.get(one.id, 0.0) for one in found) < _MOSTLY:
        return (), False
    named = all(_names_old(without_quote(one.text), words, message) for one in found)
    return found, named or changes or judged.likely >= _LIKELY


def _is_other_value(known: str, words: str, message: str) -> bool:
    """Whether two statements are the same but for one value or name, which is not what they are about. They may be worded otherwise if the
    message names the old value."""
    if names_other_value(message, known):
        return False
    if _names_old(known, words, message):
        return differ_in_one_place(known, words) or _gives_another(known, words)
    found = find_replacement(words, known)
    if found is not None:
        return found.exact and not found.rival and not names_another(words, known)
    # a word at the beginning or before what both end in may be the subject: "Lena lives in Leeds", "the red Polo"
    ours, theirs = (text.strip(_ENDS).casefold().split() for text in (known, words))
    return differ_in_one_word(known, words) and ours[0] == theirs[0] and ours[-1] != theirs[-1]


def _gives_another(known: str, words: str) -> bool:
    """Whether a statement that begins like a known one gives it another value."""
    found = find_replacement(words, known)
    near = found is not None and found.close and found.begins and not found.rival
    return near and not names_another(words, known)


def _names_old(known: str, words: str, message: str) -> bool:
    """Whether the message names what stands only in the known statement."""
    return bool(words_in_common(known, message) - words_in_common(known, words))
