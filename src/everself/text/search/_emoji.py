"""Recognises emoji sequences: families, flags, skin tones, keycaps.

Knows nothing of the text around them. The style selector is dropped, because keyboards differ in sending it.
"""

from collections.abc import Iterator

from everself.text.search._characters import EMOJI_STYLE, KEYCAP, ROLES, ZERO_WIDTH_JOINER, Role

_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKINS = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)


def sequences(run: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each emoji of a run with the simpler ones it consists of."""
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
    """The end of the emoji that starts at this position."""
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
    """The emoji without skin tone and tags; a flag or a lone skin tone is kept."""
    return "".join(char for char in part if ord(char) not in _SKINS and ord(char) not in _TAGS) or part[:1]


def keycap(before: str, run: str) -> str:
    """The keycap formed by the last digit before a run; empty if there is none."""
    if run.lstrip(EMOJI_STYLE)[:1] == KEYCAP and before[-1:] in tuple("0123456789#*"):
        return before[-1] + KEYCAP
    return ""


def is_one_emoji(text: str) -> bool:
    """Whether the text is exactly one emoji, of any number of characters."""
    key = text[:1] in tuple("0123456789#*") and text[1:].replace(EMOJI_STYLE, "") == KEYCAP
    return key or (all(map(_is_emoji, text)) and len(list(sequences(text))) == 1)


def without_stray_joiners(fragment: str) -> str:
    """The text with zero-width joiners between emoji only: in Persian and Indic words they only shape letters."""
    kept: list[str] = []
    for at, char in enumerate(fragment):
        beside = kept[-1] if kept else ""
        after = fragment[at + 1 : at + 2]
        if char != ZERO_WIDTH_JOINER or (_is_emoji(beside) and _is_emoji(after)):
            kept.append(char)
    return "".join(kept)


def _is_emoji(char: str) -> bool:
    return bool(char) and ROLES[char] is Role.EMOJI
