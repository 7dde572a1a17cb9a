"""What of a life is more than it may be after words came in by a door: lines in the documents of every prompt, entries, the prompt itself.

Knows the owner's own words and Everself's fixed ones. Whatever else is new in a document of every prompt is an elevation, in a heading or a
comment as anywhere else.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

import re2

from everself.memory.provenance import rank
from everself.memory.writing import HEADINGS
from everself.workspace.learned_section import LEARNED

# what keepers put before the words of the owner
_OPENINGS: Final = tuple(
    f"{told}{opening}"
    for told in ("", "My soul learned something: ")
    for opening in ("", "Remember: ", "Keep it up: ", "You have shown it: ")
)
# of the pages themselves, and of the lists that entries go to
_FIXED: Final = frozenset({*HEADINGS.values(), LEARNED})
_DATE: Final = re2.compile(r"^(?:19|20)\d\d(?:-\d\d){0,2}$")
_COMMENT: Final = re2.compile(r"<!-- everself:(?: [a-z]+=[A-Za-z0-9:.,_@/+-]+)+ -->$")
# a recalled piece, under its citation, day and source
_PIECE: Final = re2.compile(r"^⟦\d+⟧ .* · ((?:web|tool|import|person:[\w-]+))$")
_SENTENCE: Final = re2.compile(r"[^.!?。！？…:：;；]+[.!?。！？…:：;；]*")


# one text is compared with many
@lru_cache(maxsize=64)
def letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


@cache
def _wholes(line: str) -> frozenset[str]:
    """A line of the owner's and every run of whole sentences in it, as letters: a part of a sentence may say the opposite."""
    pieces = [letters(one) for one in _SENTENCE.findall(line)]
    runs = ("".join(pieces[at:to]) for at in range(len(pieces)) for to in range(at + 1, len(pieces) + 1))
    return frozenset(one for one in (*runs, letters(line)) if one)


def is_owners(text: str, own: Sequence[str]) -> bool:
    """Whether it is whole sentences of the owner's, with nothing but a keeper's fixed words before."""
    given = letters(text)
    return any(given == letters(opening) + whole for line in own for whole in _wholes(line) for opening in _OPENINGS)


def foreign_lines(before: bytes, now: bytes, own: Sequence[str]) -> Iterator[str]:
    """The lines by which a document differs, but for those in the owner's own words and headings in Everself's."""
    known = before.decode().splitlines()
    lines = now.decode().splitlines()
    yield from (f"gone: {line}" for line in known if line not in lines)
    for line in lines:
        if line in known or not line.strip():
            continue
        words = _COMMENT.sub("", line.rstrip())
        if words.startswith("#"):
            if not _is_heading(words, own):
                yield f"heading: {line}"
        # a comment of anybody else's is read like all else
        elif not is_owners(words, own):
            yield f"line: {line}"


def _is_heading(line: str, own: Sequence[str]) -> bool:
    """Whether a heading is one of Everself's, whole sentences of the owner's, or a date."""
    words = line.lstrip("#").strip()
    return words in _FIXED or _DATE.search(words) is not None or is_owners(words, own)


def preached(prompt: str, trust: str) -> str:
    """What a prompt says without the label of a door: all but the recalled pieces that stand there as no more than it is worth."""
    kept: list[str] = []
    recalled = labelled = False
    for line in prompt.splitlines():
        if line.startswith(("⟦data ", "⟦end ")):
            recalled, labelled = line.startswith("⟦data "), False
        elif recalled and line.startswith("⟦"):
            found = _PIECE.search(line)
            labelled = found is not None and rank(found.group(1)) <= rank(trust)
        if not (recalled and labelled and line.startswith(">")):
            kept.append(line)
    return "\n".join(kept)
