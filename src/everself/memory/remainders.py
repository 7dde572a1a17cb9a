"""What stays of a text when something in it was put right, clause by clause. Pure; knows no memory and no speaker.

Who closes an entry for a newer statement keeps what else stood in it: no fact goes because another one of the same sentence was wrong.
"""

from collections.abc import Iterator
from typing import Final

from everself.classify.coverage import count_words, tells, words_in_common
from everself.text.clauses import clauses_of
from everself.text.note_quotes import BETWEEN, parts_of, with_quote
from everself.text.quantities import read_quantities
from everself.text.sentences import split

# words of a clause beside those that a correction of it has too: the value that was wrong, and what is said of it
_BESIDES: Final = 4
# the same in pairs of characters, where a script has no blanks
_BESIDES_DENSE: Final = 8
# the value that was wrong, and one word that is said of it
_GOES: Final = 2
_DENSE: Final = "\u2e7f"
# words in common of two that say something of the same thing: one names it, the other what is said of it
_IN_COMMON: Final = 2


def untouched(text: str, newer: str) -> str | None:
    """What of a text a newer statement leaves as it is: all but the clause that has most words in common with it. None where that one says
    more besides, or another one may be meant as well."""
    found = [(clause, words_in_common(clause, newer)) for clause in _clauses(text)]
    # "kids:" says nothing that the newer one does not
    found = [(clause, common) for clause, common in found if not common or words_in_common(clause, clause) - common]
    most = max((len(common) for _, common in found), default=0)
    meant = [clause for clause, common in found if common and len(common) >= min(most, _IN_COMMON)]
    if len(meant) > 1 or any(_says_more(one, newer) for one in meant):
        return None
    return ", ".join(clause for clause, _ in found if clause not in meant)


def parted(text: str, newer: str) -> str | None:
    """The same where somebody else chose the text: one clause alone may have anything in common with the newer statement, and hardly a word
    of it may go that does not stand there too."""
    found = [(clause, words_in_common(clause, newer)) for clause in _clauses(text)]
    meant = [(clause, common) for clause, common in found if common]
    if len(meant) != 1:
        return None
    clause, common = meant[0]
    left = words_in_common(clause, clause) - common
    numbers = any(one.isdecimal() for word in left for one in word)
    most = _BESIDES_DENSE if any(char > _DENSE for char in clause) else _GOES
    if len(left) > most or (numbers and not read_quantities(newer)):
        return None
    return ", ".join(one for one, _ in found if one != clause)


def spared(text: str, newer: str) -> str:
    """The clauses of a text that have nothing in common with a newer statement; empty where it has only one clause."""
    clauses = list(_clauses(text))
    return ", ".join(one for one in clauses if not words_in_common(one, newer)) if len(clauses) > 1 else ""


def apart_from(text: str, claim: str) -> str:
    """The clauses of a text that say something else than a claim: they have neither two words in common with it nor a number. One that says
    more besides is kept."""
    kept = (one for one in _clauses(text) if not _is_about(one, claim) or _says_more(one, claim))
    return ", ".join(kept)


def says_again(text: str, newer: str) -> bool:
    """Whether a newer statement says what a text says and nothing more; a clause of one word, as in "like I said", says nothing."""
    telling = [one for one in _clauses(newer) if count_words(one) >= _IN_COMMON or read_quantities(one)]
    return bool(telling) and all(tells(text, one) for one in telling)


def remainder(note: str, newer: str) -> str:
    """What stays of a note that is closed for a newer statement: what it quotes of something else, or the note where that was wrong."""
    claim, quoted = parts_of(note)
    if not quoted:
        return ""
    if len(words_in_common(newer, claim)) >= len(words_in_common(newer, quoted)):
        return apart_from(quoted, claim)
    rest = untouched(quoted, newer)
    return with_quote(claim, rest) if rest else claim


def _is_about(clause: str, claim: str) -> bool:
    common = words_in_common(clause, claim)
    # "叫林悦" is two pairs, of which one names somebody
    most = 2 * len(common) >= count_words(clause) if any(char > _DENSE for char in clause) else False
    return most or len(common) >= _IN_COMMON or any(char.isdecimal() for word in common for char in word)


def _says_more(clause: str, other: str) -> bool:
    most = _BESIDES_DENSE if any(char > _DENSE for char in clause) else _BESIDES
    return count_words(clause) - len(words_in_common(clause, other)) > most


def _clauses(text: str) -> Iterator[str]:
    for sentence in (part[start:end] for part in text.split(BETWEEN) for start, end in split(part)):
        yield from filter(None, (sentence[first:until].strip() for first, until in clauses_of(sentence)))
