"""Plain patterns as a baseline: the seed's triggers for corrections, a word list for attacks, common words for the rest."""

import re2

# the triggers of the seed (§7), unchanged
_CORRECTIONS = (
    r"i (already|just) told you",
    r"we (talked|discussed|went over) (about |this)",
    r"you forgot",
    r"remember when i said",
    r"i mentioned (this|that|it) (before|earlier|already|yesterday|last)",
    r"no,? (i said|it's|it was|my)",
    r"how many times",
    r"don't you remember",
    r"actually,? (it's|it was|the|i|we|that)",
    r"no,? (it's|that's|the) ",
    r"i (changed|switched|moved|updated|stopped|started) ",
    r"that's (not right|wrong|outdated|old)",
    r"it's .{1,30} now",
)
_ATTACKS = (
    "ignore previous instructions",
    "ignore all previous",
    "disregard previous",
    "forget your instructions",
    "system prompt",
    "jailbreak",
    "do anything now",
    "you are now",
    "act as",
    "developer mode",
)
_DENIALS = (" not ", "n't ", " no ", " never ", "不", "没", "아니", "않", "없", "ない", "ません")
_ALIKE = 0.5
_SEED = re2.compile("(?i)" + "|".join(f"(?:{pattern})" for pattern in _CORRECTIONS))


def is_correction(text: str) -> bool:
    return _SEED.search(text) is not None


def is_attack(text: str) -> bool:
    low = text.lower()
    return any(words in low for words in _ATTACKS)


def is_conflict(older: str, newer: str) -> bool:
    """Whether the texts share most words and only one of them contains a negation."""
    return overlap(older, newer) >= _ALIKE and _denies(older) != _denies(newer)


def overlap(one: str, other: str) -> float:
    """The share of the shorter text's words (characters in scripts without spaces) that the other text contains."""
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


def _denies(text: str) -> bool:
    low = f" {text.lower()} "
    return any(sign in low for sign in _DENIALS)


def _words(text: str) -> set[str]:
    low = text.lower()
    return set(low.split()) if low.isascii() or " " in low.strip() else set(low)
