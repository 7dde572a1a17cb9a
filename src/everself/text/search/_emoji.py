"""Recognises emoji sequences: families, flags, skin tones, keycaps.

Knows nothing of the text around them. The style selector is left out of every form, because keyboards differ in sending it.
"""

from collections.abc import Iterator

from everself.text.search._characters import EMOJI_STYLE, KEYCAP, ROLES, ZERO_WIDTH_JOINER, Role

_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKINS = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)


def sequences(run: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each emoji of a run with the simpler ones it is made of."""
    run = run.replace(EMOJI_STYLE, "").replace(KEYCAP, "")
    at = 0
    while at < len(run):
        end = _end(run, at)
        whole = run[at:end].strip(ZERO_WIDTH_JOINER)
        at = end
        if whole and ord(whole[0]) not in _TAGS:
            parts = tuple(dict.fromkeys(part for part in map(_plain, whole.split(ZERO_WIDTH_JOINER)) if part))
            yield whole, parts if parts != (whole,) else ()


def _end(run: str, at: int) -> int:
    """Where the emoji that starts here ends."""
    if ord(run[at]) in _FLAG_LETTERS:
        return at + (2 if at + 1 < len(run) and ord(run[at + 1]) in _FLAG_LETTERS else 1)
    end = at + 1
    while end < len(run):
        code = ord(run[end])
        joins = run[end] == ZERO_WIDTH_JOINER or run[end - 1] == ZERO_WIDTH_JOINER
        if not joins and code not in _SKINS and code not in _TAGS:
            break
        end += 1
    return end


def _plain(part: str) -> str:
    """Without skin and tags; a flag, or a skin that stands alone, is itself."""
    return "".join(char for char in part if ord(char) not in _SKINS and ord(char) not in _TAGS) or part[:1]


def keycap(before: str, run: str) -> str:
    """The digit on a key that ends a text and begins a run, or nothing."""
    if run.lstrip(EMOJI_STYLE)[:1] == KEYCAP and before[-1:] in tuple("0123456789#*"):
        return before[-1] + KEYCAP
    return ""


def is_one_emoji(text: str) -> bool:
    """Whether this is one emoji, of however many characters, and nothing beside it."""
    key = text[:1] in tuple("0123456789#*") and text[1:].replace(EMOJI_STYLE, "") == KEYCAP
    return key or (all(map(_is_emoji, text)) and len(list(sequences(text))) == 1)


def without_stray_joiners(fragment: str) -> str:
    """Persian and Indic words hold the joiner too, where it only shapes letters: it stays between emoji alone."""
    kept: list[str] = []
    for at, char in enumerate(fragment):
        beside = kept[-1] if kept else ""
        after = fragment[at + 1 : at + 2]
        if char != ZERO_WIDTH_JOINER or (_is_emoji(beside) and _is_emoji(after)):
            kept.append(char)
    return "".join(kept)


def _is_emoji(char: str) -> bool:
    return bool(char) and ROLES[char] is Role.EMOJI
