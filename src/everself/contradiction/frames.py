"""Exclusive attributes that are said in many ways: where someone lives, works, what they are called. Knows the lexicon's frames only."""

from everself.contradiction.lexicon import Frame, lexicon
from everself.contradiction.quantities import differ, read_quantities
from everself.contradiction.statement import Statement, content_of
from everself.contradiction.verdict import AGREE, Verdict


def compare_frames(before: Statement, after: Statement) -> Verdict:
    """The first attribute that both speak of with values that have nothing in common."""
    if before.clauses[0].times.differ(after.clauses[0].times) and not after.changed:
        return AGREE
    for frame in lexicon(before.language).frames():
        ours, theirs = _read(frame, before), _read(frame, after)
        for topic, value in ours:
            for other_topic, other in theirs:
                if topic == other_topic and _apart(value, other, before):
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
            if content_of(value, words) or value[:1].isdecimal():
                found.append((topic, value))
            break
    return found


def _apart(ours: str, theirs: str, statement: Statement) -> bool:
    words = lexicon(statement.language)
    mine, other = read_quantities(ours, words.language)[0], read_quantities(theirs, words.language)[0]
    if mine and other:
        return differ(mine, other)
    left, right = content_of(ours, words), content_of(theirs, words)
    if left and right and words.language in ("zh", "ja"):
        return not (set("".join(left)) & set("".join(right)))
    return bool(left and right) and set(left).isdisjoint(right)
