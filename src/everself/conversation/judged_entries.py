"""Finds the clause of an entry that a message makes wrong, by the learned head that sees both, and what to write in its place. Pure except
for the heads; closes nothing itself.

Most corrections give no value that could be exchanged: "Callum left Aberdeen and moved to Dundee". The head names the right entry nearly
always. It is believed only where it is nearly certain without the assistant's last reply, because a message that corrects the reply often
agrees with memory (docs/decisions/0205).
"""

from collections.abc import Sequence
from typing import Final

from everself.classify.corrections import Correction
from everself.classify.coverage import denies, is_chatter, is_worth, same_fact, words_in_common, words_shared
from everself.classify.grounded import MOST, Judgement, judge
from everself.classify.openers import bare
from everself.conversation.replacements import Replaced
from everself.frozen import Frozen
from everself.memory.contrasts import names_another, names_other_value
from everself.memory.remaining_text import without_lead
from everself.memory.replacement import Replacement, days_told, find_replacement, says_more, swapped, without_values
from everself.text.clauses import clauses_of
from everself.text.note_quotes import parts_of, with_quote
from everself.text.quantities import Quantity, read_quantities
from everself.text.sentences import split
from everself.values import Entry

# Lowest probability that a message makes something known wrong, and lowest share of one statement among all that were looked at. With all
# that is asked below, 30 of 348 corrections close the right statement, none another one, and one of 1,224 other messages closes one.
_SURE: Final = 0.85
_MOSTLY: Final = 0.8
# the same probability if both give the same subject another value
_VALUED: Final = 0.5
# share of a clause that is wrong too, among the clauses of its sentence
_ALSO: Final = 0.2
# a sentence that says as much as the whole message is quoted alone
_ALONE: Final = 0.9
# a word that more than this many statements have, and more than one in three, tells none of them: the name of who is spoken to
_FEW: Final = 3
_DENSE: Final = "\u2e7f"
_ENDS: Final = ".!?。！？…"
# longer messages are about several things
_LONGEST: Final = 300


class _Statement(Frozen):
    """A sentence or clause of an entry, by its position in the text."""

    entry: Entry
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.entry.text[self.start : self.end]


def find_judged(found: Sequence[Entry], told: Correction, message: str, reply: str = "") -> Replaced | None:
    """What the message makes wrong, with the entries that say the same. None unless the head is nearly certain, or if more than a few
    clauses of a sentence may be meant. `reply` is what the assistant said before; the head has to find the same with it."""
    message = " ".join(message.split())
    if not message or len(message) > _LONGEST:
        return None
    sentences = _sentences([one for one in found if not names_other_value(message, one.text)])
    judged = _judge(message, sentences)
    if judged is None or judged.likely < _VALUED:
        return None
    best = max(range(len(sentences)), key=lambda at: judged.shares[at])
    wrong = sentences[best]
    copies = [at for at, one in enumerate(sentences) if at == best or _is_copy(one, wrong)]
    if sum(judged.shares[at] for at in copies) < _MOSTLY or not _is_about(message, wrong.text, sentences):
        return None
    # a reply about something else says nothing about the message
    again = _judge(message, sentences, reply) if reply and words_in_common(message, reply) else judged
    if again is None or again.likely < _VALUED or sum(again.shares[at] for at in copies) < _MOSTLY:
        return None
    value, replaced = _exchanged(message, wrong), find_replacement(bare(message), wrong.text)
    plain = replaced is not None and not replaced.rival and (replaced.named or not _differ(message, wrong.text))
    enough = _VALUED if plain and value is not None else _SURE
    if judged.likely < enough or not (plain or _may_be_same(message, wrong.text)):
        return None
    words = _words(message, told, wrong.text)
    if names_another(words, wrong.text) or not (is_worth(words) and is_worth(wrong.text)):
        # "the train" is not "the bus", and small talk neither corrects nor is corrected
        return None
    text = swapped(value, message, wrong.entry.text) if value is not None else ""
    if text:
        text = with_quote(text, words) if says_more(words, text) else text
    else:
        text = _in_place(message, words, wrong) if judged.likely >= _SURE else ""
    if not text:
        return None
    others = list({one.entry.id: one for one in map(sentences.__getitem__, copies)}.values())
    rest = tuple((one.entry, left) for one in others if one.entry.id != wrong.entry.id and (left := _without(one)))
    entries = (wrong.entry, *(one.entry for one in others if one.entry.id != wrong.entry.id))
    return Replaced(entries, words, text, sure=True, rest=rest)


def _sentences(found: Sequence[Entry]) -> list[_Statement]:
    """The sentences of the entries, as many as the head compares. A note's quotation is evidence of the note, not a statement beside it."""
    each = [
        _Statement(one, start, end)
        for one in found
        for start, end in split(parts_of(one.text)[0])
        if one.text[start:end].strip()
    ]
    return each[:MOST]


def _judge(message: str, statements: Sequence[_Statement], reply: str = "") -> Judgement | None:
    return judge(message, [one.text for one in statements], reply) if statements else None


def _is_copy(one: _Statement, other: _Statement) -> bool:
    return one.entry.id != other.entry.id and same_fact(one.text, other.text)


def _is_about(message: str, known: str, statements: Sequence[_Statement]) -> bool:
    """Whether both name the same thing, which most statements do not, and the message does not merely repeat the known values."""
    if days_told(message) and not denies(message):
        # what happened today may have happened before, too
        return False
    held, given = read_quantities(known), read_quantities(message)
    repeats = bool(given) and not denies(message) and all(any(map(one.agrees, held)) for one in given)
    shared = words_shared(without_values(message), without_values(known))
    most = max(_FEW, len(statements) // _FEW)
    telling = [word for word in shared if sum(bool(words_shared(word, one.text)) for one in statements) <= most]
    # in scripts that are read in pairs of characters, one pair may be an ending
    return not repeats and len(telling) >= (2 if any(word[0] > _DENSE for word in telling) else 1)


def _differ(message: str, known: str) -> bool:
    """Whether each says something that the other does not: who sings on Thursday has no fitting then."""
    return says_more(message, known) and says_more(known, message)


def _may_be_same(message: str, known: str) -> bool:
    """Whether both can be about one thing though their values are not compared: they have none of the same kind, or the message denies the
    known one. Release 3.3 is not release 3.2, and the neighbours' dog is not ours, however alike the sentences are."""
    held, given = read_quantities(known), read_quantities(message)
    if {one.kind for one in held}.isdisjoint(one.kind for one in given):
        return True
    return denies(message) and any(one.agrees(other) for one in given for other in held if one.kind == other.kind)


def _exchanged(message: str, wrong: _Statement) -> Replacement | None:
    """The values that the message gives instead of the only ones of their kinds in the sentence; none if others could be meant."""
    held = read_quantities(wrong.entry.text)
    inside = [one for one in held if wrong.start <= one.start < wrong.end]
    fresh = [one for one in read_quantities(message) if not any(map(one.agrees, held))]
    olds = [one for one in inside if any(one.kind == new.kind and _fits(one, new) for new in fresh)]
    kinds = [one.kind for one in fresh]
    if not fresh or len(set(kinds)) != len(kinds) or sorted(kinds) != sorted(one.kind for one in olds):
        return None
    if any(sum(one.kind == kind for one in inside) != 1 for kind in kinds):
        return None
    return Replacement(tuple(olds), tuple(fresh), frozenset(), True, True, False, False, False)


def _fits(old: Quantity, new: Quantity) -> bool:
    """Whether two numbers may count the same thing."""
    return old.kind != "number" or not (old.unit and new.unit) or old.unit == new.unit


def _words(message: str, told: Correction, known: str) -> str:
    """The sentence of the message that makes the statement wrong by itself; else all of it but the small talk around it."""
    sentences = [message[start:end].strip() for start, end in split(message)]
    if len(sentences) > 1:
        # one that leaves out a value of the message does not say what holds now
        values = len(read_quantities(message))
        named = [one for one in sentences if words_in_common(one, known) and len(read_quantities(one)) == values]
        scores = {one: judged.likely for one in named if (judged := judge(one, [known])) is not None}
        best = max(scores, key=scores.__getitem__, default="")
        if best and scores[best] >= _ALONE:
            return without_lead(best)
        telling = [one for one in sentences if one == told.trigger or not is_chatter(one)]
        message = " ".join(telling) or message
    return without_lead(message)


def _in_place(message: str, words: str, wrong: _Statement) -> str:
    """The entry's text with these words in the place of the wrong clauses, which are quoted as struck out where they say more. Empty if the
    wrong clauses are not beside each other."""
    clauses = [
        _Statement(wrong.entry, wrong.start + first, wrong.start + until)
        for first, until in clauses_of(wrong.text)
        if wrong.text[first:until].strip()
    ]
    judged = _judge(message, clauses[:MOST]) if len(clauses) > 1 else None
    shares = judged.shares if judged is not None else (1.0,)
    at = [place for place, share in enumerate(shares) if share >= _ALSO] if len(clauses) > 1 else [0]
    if not at or at != list(range(at[0], at[-1] + 1)) or sum(shares[place] for place in at) < _MOSTLY:
        return ""
    start, end = clauses[at[0]].start, clauses[at[-1]].end
    text, quoted = parts_of(wrong.entry.text)
    old = text[start:end].strip()
    mark = old[-1] if old[-1] in _ENDS else ""
    made = f"{text[:start]}{words.rstrip(_ENDS)}{mark}{text[end:]}"
    made = with_quote(made, quoted) if quoted else made
    said = without_values(old)
    lost = words_in_common(said, said) - words_in_common(said, message)
    return with_quote(made, f"~~{old}~~") if lost else made


def _without(statement: _Statement) -> str:
    """What else the entry says."""
    text = parts_of(statement.entry.text)[0]
    return " ".join(f"{text[: statement.start]} {text[statement.end :]}".split())
