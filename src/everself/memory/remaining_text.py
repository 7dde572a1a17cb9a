"""Finds the part of a text that remains valid after a correction, clause by clause. Pure; knows no memory and no speaker.

When an entry is closed in favour of a newer statement, its other facts are kept: no fact is lost because another one in the same sentence
was wrong.
"""

from collections.abc import Iterator
from typing import Final

from everself.classify.coverage import count_words, is_chatter, tells, words_in_common
from everself.text.clauses import clauses_of
from everself.text.note_quotes import BETWEEN, parts_of, with_quote
from everself.text.quantities import read_quantities
from everself.text.sentences import split

# words of a clause that its correction does not repeat: the wrong value, and what is said of it
_BESIDES: Final = 4
# the same in pairs of characters, for scripts without spaces
_BESIDES_DENSE: Final = 8
# the wrong value, and one word that is said of it
_GOES: Final = 2
_DENSE: Final = "\u2e7f"
_ENDS: Final = ".!?…。！？"
# common words of two clauses about the same thing: its name, and what is said of it
_IN_COMMON: Final = 2


def untouched(text: str, newer: str) -> str | None:
    """The text without the clause that shares the most words with the newer statement. None if that clause says more than the statement,
    or if several clauses may be meant."""
    found = [(clause, words_in_common(clause, newer)) for clause in _clauses(text)]
    # "kids:" says nothing that the newer one does not
    found = [(clause, common) for clause, common in found if not common or words_in_common(clause, clause) - common]
    most = max((len(common) for _, common in found), default=0)
    meant = [clause for clause, common in found if common and len(common) >= min(most, _IN_COMMON)]
    if len(meant) > 1 or any(_says_more(one, newer) for one in meant):
        return None
    return _together([clause for clause, _ in found if clause not in meant])


def parted(text: str, newer: str) -> str | None:
    """The same for a text that someone else chose: exactly one clause may share words with the newer statement, and hardly any other word
    of it may be lost."""
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
    return _together([one for one, _ in found if one != clause])


def spared(text: str, newer: str) -> str:
    """The clauses of a text that share no word with a newer statement; empty if the text has only one clause."""
    clauses = list(_clauses(text))
    return _together([one for one in clauses if not words_in_common(one, newer)]) if len(clauses) > 1 else ""


def without_lead(text: str) -> str:
    """The text without clauses at its beginning that are small talk, as in "hm wait sorry i told you rubbish, she is 9"."""
    start, end = next(iter(split(text)), (0, 0))
    for first, until in clauses_of(text[start:end]):
        clause = text[start + first : start + until]
        # the capital letter may not be the writer's, and the head knows such clauses by small letters
        if not is_chatter(clause[:1].lower() + clause[1:]):
            return text[start + first :]
    return text


def apart_from(text: str, claim: str) -> str:
    """The clauses of a text that are not about a claim: they share neither two words nor a number with it, or say more."""
    return _together([one for one in _clauses(text) if not _is_about(one, claim) or _says_more(one, claim)])


def says_again(text: str, newer: str) -> bool:
    """Whether a newer statement repeats a text and adds nothing. Clauses of one word, as in "like I said", are ignored."""
    telling = [one for one in _clauses(newer) if count_words(one) >= _IN_COMMON or read_quantities(one)]
    return bool(telling) and all(tells(text, one) for one in telling)


def remainder(note: str, newer: str) -> str:
    """The valid rest of a note that is closed for a newer statement: its quotation about something else, or the note if only the
    quotation was wrong."""
    claim, quoted = parts_of(note)
    if not quoted:
        return ""
    if len(words_in_common(newer, claim)) >= len(words_in_common(newer, quoted)):
        return apart_from(quoted, claim)
    rest = untouched(quoted, newer)
    return with_quote(claim, rest) if rest else claim


def _is_about(clause: str, claim: str) -> bool:
    common = words_in_common(clause, claim)
    # "叫林悦" has two character pairs, one of which is a name
    most = 2 * len(common) >= count_words(clause) if any(char > _DENSE for char in clause) else False
    return most or len(common) >= _IN_COMMON or any(char.isdecimal() for word in common for char in word)


def _says_more(clause: str, other: str) -> bool:
    most = _BESIDES_DENSE if any(char > _DENSE for char in clause) else _BESIDES
    return count_words(clause) - len(words_in_common(clause, other)) > most


def _together(clauses: list[str]) -> str:
    """The clauses as one text: a comma between those of one sentence."""
    parts = [one if one[-1] in _ENDS else f"{one}," for one in clauses]
    return " ".join(parts).removesuffix(",")


def _clauses(text: str) -> Iterator[str]:
    for sentence in (part[start:end] for part in text.split(BETWEEN) for start, end in split(part)):
        yield from filter(None, (sentence[first:until].strip() for first, until in clauses_of(sentence)))
