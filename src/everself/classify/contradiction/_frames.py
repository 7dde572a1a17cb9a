"""Exclusive attributes that are said in many ways: where someone lives, works, what they are called. Knows the lexicon's frames only."""

from typing import Final

from everself.classify.contradiction._lexicon import Frame, lexicon
from everself.classify.contradiction._quantities import differ, read_quantities
from everself.classify.contradiction._statement import LONGEST, Statement, content_of
from everself.classify.contradiction._verdict import AGREE, Verdict
from everself.classify.sentences import language_of
from everself.text.normalise import fold, without_surrogates

# a street lies in a town, a team in a company
_NESTED: Final = frozenset({"home", "work"})

# a value of so few letters may be a word that says nothing elsewhere
_SHORT: Final = 3


def compare_frames(before: Statement, after: Statement) -> Verdict:
    """The first attribute that both speak of with values that have nothing in common."""
    if before.clauses[0].times.differ(after.clauses[0].times) and not after.changed:
        return AGREE
    spoken = before.frames & after.frames
    for frame in lexicon(before.language).frames() if spoken else ():
        if frame.name not in spoken:
            continue
        ours, theirs = _read(frame, before), _read(frame, after)
        for topic, value in ours:
            for other_topic, other in theirs:
                told_again = frame.name in _NESTED and value in after.text and not after.changed
                if topic == other_topic and not told_again and _apart(value, other, before):
                    kind = "number" if value[0:1].isdecimal() and other[0:1].isdecimal() else "attribute"
                    return Verdict(
                        "number" if kind == "number" else "attribute", 0.9, f"{frame.name}: {value} / {other}"
                    )
    return AGREE


def _read(frame: Frame, statement: Statement) -> list[tuple[str, str]]:
    words = lexicon(statement.language)
    found: list[tuple[str, str]] = []
    for clause in statement.clauses[:1] if len(statement.clauses) == 1 else statement.clauses[1:]:
        if clause.negative:
            continue
        for pattern in frame.patterns:
            match = pattern.search(clause.text)
            if match is None:
                continue
            groups = match.groupdict()
            topic = " ".join(content_of(groups.get("topic") or "", words))
            value = (groups.get("value") or match.group()).strip()
            # what somebody is like is not who they are
            like = value in words.adjectives or value.startswith("from ")
            if not like and (content_of(value, words) or value[:1].isdecimal() or len(value) <= _SHORT):
                found.append((topic, value))
            break
    return found


def attributes_of(text: str) -> frozenset[str]:
    """Which exclusive attributes a text speaks of. Quick: whoever has a whole memory to look through asks this first."""
    return lexicon(language_of(text)).frames_in(fold(without_surrogates(text[:LONGEST])))


def find_taken_back(before: Statement, after: Statement) -> Verdict:
    """Where the newer says "not this but that", and the older said this."""
    words = lexicon(after.language)
    pattern = words.pattern("instead")
    said = before.clauses[0]
    for match in pattern.finditer(after.text) if pattern is not None else ():
        value = next((group for group in match.groups() if group), "")
        amounts, rest = read_quantities(value, words.language)
        denied = content_of(rest, words)
        known = said.content()
        named = bool(denied) and all(any(one in word for word in known) for one in denied)
        counted = bool(amounts) and not denied and any(one in said.quantities for one in amounts)
        if named or counted:
            return Verdict("number" if counted else "attribute", 0.9, f"not {value.strip()}")
    return AGREE


def _apart(ours: str, theirs: str, statement: Statement) -> bool:
    words = lexicon(statement.language)
    mine, other = read_quantities(ours, words.language)[0], read_quantities(theirs, words.language)[0]
    if mine and other:
        return differ(mine, other)
    left, right = content_of(ours, words), content_of(theirs, words)
    if not left or not right:
        return min(len(ours), len(theirs)) <= _SHORT and ours.split()[:1] != theirs.split()[:1]
    if words.language == "en":
        return set(left).isdisjoint(right)
    one, two = "".join(left), "".join(right)
    return one not in two and two not in one and not _pairs(one) & _pairs(two)


def _pairs(word: str) -> set[str]:
    return {word[at : at + 2] for at in range(len(word) - 1)}
