"""Assigns ids to the entries of a document, so that an entry keeps its id when it is moved or edited. Pure.

A comment with an id names its entry. Text without one is known by its words: the same words in the same document, the same words
anywhere else, then words that are much alike at the place where they stood. What nobody knew gets an id made from where it stands.
"""

import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory.entries import ParsedEntry
from everself.values import CROCKFORD, digest

# two texts of which at least this share of words is common are one, edited; less is enough where both neighbours are the same
ALIKE, ALIKE_IN_PLACE = 0.5, 0.25
SKETCH = 24
# limit of comparisons for one document: replacing ten thousand lines must not cost a hundred million
_COMPARISONS, _COMPARED_AT_LEAST = 1_000_000, 32
_MARKS = ".,;:!?…\"'()[]{}<>*_~-。，、；：！？「」『』（）"


class KnownEntry(Frozen):
    """An entry as it was when its document was last read; `path` is None when its text was gone."""

    id: str
    path: str | None
    ordinal: int
    text: str
    words: bytes


class FoundEntry(Frozen):
    """An entry as it stands now."""

    path: str
    read: ParsedEntry
    text: str
    words: bytes


def sketch(text: str) -> bytes:
    """The smallest hashes of a text's words: enough to tell how alike two texts are."""
    # punctuation does not change a word
    words = {word if word.isalnum() else word.strip(_MARKS) for word in text.split()}
    if not text.isascii():
        # Chinese, Japanese and Korean do not put blanks between words: pairs of characters serve instead
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
    """The id of each found entry. `known` are those of the same documents; `lost` finds an id by words among the rest."""
    names: list[str | None] = [None] * len(found)
    used: set[str] = set()
    rest = {one.id: one for one in known}
    order = {(one.path, one.ordinal): one.id for one in rest.values()}

    def give(index: int, identity: str) -> None:
        names[index] = identity
        used.add(identity)
        rest.pop(identity, None)

    for index in sorted(range(len(found)), key=lambda at: _precedence(found[at], rest)):
        claimed = found[index].read.claim("id")
        # a duplicate id belongs to the first entry; the copy gets its own
        if claimed and claimed not in used and (claimed in rest or not taken(claimed)):
            give(index, claimed)
    _by_words(found, names, rest, give)
    for index, one in enumerate(found):
        if names[index] is None:
            identity = lost(one.text)
            if identity is not None and identity not in used:
                give(index, identity)
    _by_likeness(found, names, rest, give)
    _by_neighbours(found, names, rest, order, give)
    numbers: dict[tuple[str, ...], int] = {}
    for index, one in enumerate(found):
        if names[index] is None:
            give(index, _derived(one, used, taken, numbers))
    return [name or "" for name in names]


def _precedence(one: FoundEntry, known: Mapping[str, KnownEntry]) -> tuple[bool, int, str, int]:
    """Who comes first of those that claim one id: where it stood until now, else the shorter name.

    A program that synchronises folders adds to the name of the document that it copies.
    """
    home = known.get(one.read.claim("id"))
    return home is None or home.path != one.path, len(one.path), one.path, one.read.ordinal


def _by_words(
    found: Sequence[FoundEntry],
    names: Sequence[str | None],
    rest: dict[str, KnownEntry],
    give: Callable[[int, str], None],
) -> None:
    for same_path in (True, False):
        waiting: dict[object, list[KnownEntry]] = defaultdict(list)
        for one in sorted(rest.values(), key=lambda known: known.ordinal, reverse=True):
            waiting[(one.path, one.text) if same_path else one.text].append(one)
        for index, found_one in enumerate(found):
            key = (found_one.path, found_one.text) if same_path else found_one.text
            if names[index] is None and waiting.get(key):
                give(index, waiting[key].pop().id)


class _EntriesByWords:
    """The known entries of one document, by the hashes of their words."""

    def __init__(self, known: Iterable[KnownEntry]) -> None:
        self._by_hash: dict[bytes, list[tuple[KnownEntry, frozenset[bytes]]]] = defaultdict(list)
        for one in known:
            hashes = _hashes(one.words)
            for hashed in hashes:
                self._by_hash[hashed].append((one, hashes))

    def alike(self, one: FoundEntry, most: int) -> Iterator[tuple[float, KnownEntry]]:
        """Those that are as alike as an edited text; of very many that share a word, the nearest."""
        mine = _hashes(one.words)
        rarest = sorted((hashed for hashed in mine if hashed in self._by_hash), key=lambda at: len(self._by_hash[at]))
        # a similar text shares at least ALIKE of the words, and so at least one of any subset larger than the rest
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


def _by_likeness(
    found: Sequence[FoundEntry],
    names: Sequence[str | None],
    rest: dict[str, KnownEntry],
    give: Callable[[int, str], None],
) -> None:
    by_path: dict[str | None, list[KnownEntry]] = defaultdict(list)
    for known in rest.values():
        by_path[known.path].append(known)
    shelves = {path: _EntriesByWords(there) for path, there in by_path.items()}
    waiting = [index for index, name in enumerate(names) if name is None and found[index].path in shelves]
    most = max(_COMPARED_AT_LEAST, _COMPARISONS // max(1, len(waiting)))
    pairs = []
    for index in waiting:
        one = found[index]
        for alike, known in shelves[one.path].alike(one, most):
            pairs.append((-alike, abs(one.read.ordinal - known.ordinal), index, known.id))
    for _, _, index, identity in sorted(pairs):
        if names[index] is None and identity in rest:
            give(index, identity)


def _by_neighbours(
    found: Sequence[FoundEntry],
    names: Sequence[str | None],
    rest: dict[str, KnownEntry],
    order: dict[tuple[str | None, int], str],
    give: Callable[[int, str], None],
) -> None:
    """Between the same two neighbours, or at the same end of a document, a text may have changed more and still be the same."""
    now = {(one.path, one.read.ordinal): name for one, name in zip(found, names, strict=True)}
    between: dict[tuple[str | None, ...], list[KnownEntry]] = defaultdict(list)
    for known in rest.values():
        between[known.path, *(order.get((known.path, known.ordinal + step), "") for step in (-1, 1))].append(known)
    for index, one in enumerate(found):
        if names[index] is not None:
            continue
        around = (now.get((one.path, one.read.ordinal + step), "") for step in (-1, 1))
        for known in between.get((one.path, *around), ()):
            if known.id in rest and likeness(one.words, known.words) >= ALIKE_IN_PLACE:
                give(index, known.id)
                break


def _derived(one: FoundEntry, used: set[str], taken: Callable[[str], bool], numbers: dict[tuple[str, ...], int]) -> str:
    """An id from path, heading and words; the same words twice in one place count on, from `numbers`."""
    place = (one.path, *one.read.heading, one.text)
    for number in range(numbers.get(place, 0), 1_000_000):
        number_text = digest("\0".join([*place, str(number)]).encode("utf-8", "surrogatepass"))
        bits = int(number_text[:15], 16)
        identity = "".join(CROCKFORD[bits >> shift & 31] for shift in range(55, -1, -5))
        if identity not in used and not taken(identity):
            numbers[place] = number + 1
            return identity
    raise WrongUse(f"{one.path} repeats one text more than a million times.")
