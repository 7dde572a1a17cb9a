"""Assigns ids to the entries of a document, so that an entry keeps its id when it is moved or edited. Pure.

A comment with an id names its entry. An entry without one is recognised by its text: the same text in the same document, then anywhere
else, then similar text at the same position. All others get an id derived from their position.
"""

import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory.entries import ParsedEntry
from everself.values import CROCKFORD, digest

# two texts are versions of one entry if at least this share of words is common; less is enough between the same neighbours
ALIKE, ALIKE_IN_PLACE = 0.5, 0.25
SKETCH = 24
# limit of comparisons per document, so that replacing ten thousand lines stays fast
_COMPARISONS, _COMPARED_AT_LEAST = 1_000_000, 32
_MARKS = ".,;:!?…\"'()[]{}<>*_~-。，、；：！？「」『』（）"


class KnownEntry(Frozen):
    """An entry as it was when its document was last read; `path` is None if its text is gone."""

    id: str
    path: str | None
    ordinal: int
    text: str
    words: bytes


class FoundEntry(Frozen):
    """An entry as it is in the document now."""

    path: str
    read: ParsedEntry
    text: str
    words: bytes


def sketch(text: str) -> bytes:
    """The smallest hashes of a text's words, enough to estimate the similarity of two texts."""
    # punctuation is not part of a word
    words = {word if word.isalnum() else word.strip(_MARKS) for word in text.split()}
    if not text.isascii():
        # Chinese, Japanese and Korean have no spaces between words: use pairs of characters
        words |= {text[i : i + 2] for i, character in enumerate(text) if ord(character) > 0x2E7F}
    hashes = sorted({zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words})[:SKETCH]
    return b"".join(number.to_bytes(4, "big") for number in hashes)


def likeness(one: bytes, other: bytes) -> float:
    """Share of common words, estimated from two sketches."""
    return _likeness(_hashes(one), _hashes(other))


def _hashes(words: bytes) -> frozenset[bytes]:
    return frozenset(words[at : at + 4] for at in range(0, len(words), 4))


def _likeness(first: frozenset[bytes], second: frozenset[bytes]) -> float:
    if not first or not second:
        return 0.0
    union = first | second
    if len(union) <= SKETCH:
        return len(first & second) / len(union)
    return len(first & second & set(sorted(union)[:SKETCH])) / SKETCH


def name_entries(
    found: Sequence[FoundEntry],
    known: Iterable[KnownEntry],
    lost: Callable[[str], str | None],
    taken: Callable[[str], bool],
) -> list[str]:
    """The id of each found entry. `known` are the entries of the same documents; `lost` finds an id by text among all others."""
    naming = _Naming(found, known)
    naming.by_claim(taken)
    naming.by_words()
    naming.by_lost(lost)
    naming.by_likeness()
    naming.by_neighbours()
    naming.derive(taken)
    return [name or "" for name in naming.names]


class _Naming:
    """Assigns an id to each found entry. Each step names entries that the earlier steps left unnamed."""

    def __init__(self, found: Sequence[FoundEntry], known: Iterable[KnownEntry]) -> None:
        self._found = found
        self.names: list[str | None] = [None] * len(found)
        self._used: set[str] = set()
        self._rest = {one.id: one for one in known}
        self._order = {(one.path, one.ordinal): one.id for one in self._rest.values()}

    def _give(self, index: int, identity: str) -> None:
        self.names[index] = identity
        self._used.add(identity)
        self._rest.pop(identity, None)

    def _unnamed(self) -> Iterator[tuple[int, FoundEntry]]:
        return ((index, one) for index, one in enumerate(self._found) if self.names[index] is None)

    def by_claim(self, taken: Callable[[str], bool]) -> None:
        for index in sorted(range(len(self._found)), key=lambda at: _precedence(self._found[at], self._rest)):
            claimed = self._found[index].read.claim("id")
            # a duplicate id belongs to the first entry; the copy gets its own
            if claimed and claimed not in self._used and (claimed in self._rest or not taken(claimed)):
                self._give(index, claimed)

    def by_words(self) -> None:
        for same_path in (True, False):
            waiting: dict[object, list[KnownEntry]] = defaultdict(list)
            for known in sorted(self._rest.values(), key=lambda one: one.ordinal, reverse=True):
                waiting[(known.path, known.text) if same_path else known.text].append(known)
            for index, one in self._unnamed():
                key = (one.path, one.text) if same_path else one.text
                if waiting.get(key):
                    self._give(index, waiting[key].pop().id)

    def by_lost(self, lost: Callable[[str], str | None]) -> None:
        for index, one in self._unnamed():
            identity = lost(one.text)
            if identity is not None and identity not in self._used:
                self._give(index, identity)

    def by_likeness(self) -> None:
        by_path: dict[str | None, list[KnownEntry]] = defaultdict(list)
        for known in self._rest.values():
            by_path[known.path].append(known)
        shelves = {path: _EntriesByWords(there) for path, there in by_path.items()}
        waiting = [(index, one) for index, one in self._unnamed() if one.path in shelves]
        most = max(_COMPARED_AT_LEAST, _COMPARISONS // max(1, len(waiting)))
        pairs = [
            (-alike, abs(one.read.ordinal - known.ordinal), index, known.id)
            for index, one in waiting
            for alike, known in shelves[one.path].alike(one, most)
        ]
        for _, _, index, identity in sorted(pairs):
            if self.names[index] is None and identity in self._rest:
                self._give(index, identity)

    def by_neighbours(self) -> None:
        """With the same two neighbours, or at the same end of a document, a less similar text still counts as the same entry."""
        now = {(one.path, one.read.ordinal): name for one, name in zip(self._found, self.names, strict=True)}
        between: dict[tuple[str | None, ...], list[KnownEntry]] = defaultdict(list)
        for known in self._rest.values():
            around = (self._order.get((known.path, known.ordinal + step), "") for step in (-1, 1))
            between[known.path, *around].append(known)
        for index, one in self._unnamed():
            beside = (now.get((one.path, one.read.ordinal + step), "") for step in (-1, 1))
            for known in between.get((one.path, *beside), ()):
                if known.id in self._rest and likeness(one.words, known.words) >= ALIKE_IN_PLACE:
                    self._give(index, known.id)
                    break

    def derive(self, taken: Callable[[str], bool]) -> None:
        numbers: dict[tuple[str, ...], int] = {}
        for index, one in self._unnamed():
            self._give(index, _derived(one, self._used, taken, numbers))


def _precedence(one: FoundEntry, known: Mapping[str, KnownEntry]) -> tuple[bool, int, str, int]:
    """The sort key for entries that claim the same id: the known location first, then the shorter path.

    Programs that synchronise folders append to the name of a copied document.
    """
    home = known.get(one.read.claim("id"))
    return home is None or home.path != one.path, len(one.path), one.path, one.read.ordinal


class _EntriesByWords:
    """The known entries of one document, by the hashes of their words."""

    def __init__(self, known: Iterable[KnownEntry]) -> None:
        self._by_hash: dict[bytes, list[tuple[KnownEntry, frozenset[bytes]]]] = defaultdict(list)
        for one in known:
            hashes = _hashes(one.words)
            for hashed in hashes:
                self._by_hash[hashed].append((one, hashes))

    def alike(self, one: FoundEntry, most: int) -> Iterator[tuple[float, KnownEntry]]:
        """The entries that are similar enough to be an edited version; of very many, only the nearest."""
        mine = _hashes(one.words)
        rarest = sorted((hashed for hashed in mine if hashed in self._by_hash), key=lambda at: len(self._by_hash[at]))
        # a similar text shares at least ALIKE of the words, so at least one of any larger subset
        may_lack = len(mine) - math.ceil(ALIKE * len(mine)) - (len(mine) - len(rarest))
        candidates: dict[str, tuple[KnownEntry, frozenset[bytes]]] = {}
        for hashed in rarest[: may_lack + 1] if may_lack >= 0 else ():
            candidates |= {known[0].id: known for known in self._by_hash[hashed]}
            if len(candidates) >= most:
                break
        near: Iterable[tuple[KnownEntry, frozenset[bytes]]] = candidates.values()
        if len(candidates) > most:
            near = sorted(near, key=lambda known: abs(one.read.ordinal - known[0].ordinal))[:most]
        for known, hashes in near:
            found = _likeness(mine, hashes)
            if found >= ALIKE:
                yield found, known


def _derived(one: FoundEntry, used: set[str], taken: Callable[[str], bool], numbers: dict[tuple[str, ...], int]) -> str:
    """An id derived from path, heading and text; `numbers` counts repetitions of the same text in one place."""
    place = (one.path, *one.read.heading, one.text)
    for number in range(numbers.get(place, 0), 1_000_000):
        number_text = digest("\0".join([*place, str(number)]).encode("utf-8", "surrogatepass"))
        bits = int(number_text[:15], 16)
        identity = "".join(CROCKFORD[bits >> shift & 31] for shift in range(55, -1, -5))
        if identity not in used and not taken(identity):
            numbers[place] = number + 1
            return identity
    raise WrongUse(f"{one.path} repeats one text more than a million times.")
