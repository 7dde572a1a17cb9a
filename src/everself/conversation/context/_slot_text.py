"""The text of one slot: whole documents if they fit, otherwise their most important items and the names of the rest.

Knows how a slot is shown: its preface, and whether its text is quoted as data. Does not know who may see a document, or which slot takes
room from another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from everself.config.sections import CorrectionOverflow
from everself.conversation.context._prompt import PREFACES
from everself.conversation.context._sources import Source
from everself.conversation.context.budget import Slot
from everself.conversation.context.framing import FrameItem, frame, quote
from everself.conversation.context.packing import (
    Importance,
    Omission,
    PackItem,
    flat,
    items_of,
    pack,
    prioritize_unverified,
    readable,
)
from everself.frozen import Frozen
from everself.text.markdown.entries import entries
from everself.text.tokens import estimate

Count = Callable[[str], int]
# Daily logs contain anything that was said, read or fetched; the other documents follow the rules for text that is always injected.
_QUOTED: Final = frozenset({Slot.RECENT})
# for larger documents the items are estimated first, and only the result is counted
_COUNTED_BYTES: Final = 60_000
_TRIES: Final = 4
# ranks the corrections when not all fit
RANKINGS: Final = {CorrectionOverflow.PRIORITIZE_UNVERIFIED: prioritize_unverified}


class Filled(Frozen):
    """`text` with its preface costs `tokens`. `words` is the text of each document in it, without preface or quotation."""

    text: str = ""
    tokens: int = 0
    words: tuple[tuple[str, str], ...] = ()
    omissions: tuple[Omission, ...] = ()


class Filler:
    """Fills the slots of one prompt; its quotations carry the prompt's nonce."""

    def __init__(self, count: Count, nonce: str, prefaces: Mapping[Slot, str], overflow: CorrectionOverflow) -> None:
        self._count = count
        self._nonce = nonce
        self._prefaces = prefaces
        self._rank_corrections = RANKINGS[overflow]

    def whole(self, slot: Slot, sources: Sequence[Source]) -> Filled:
        """The whole text of the slot, whatever it costs."""
        return self._filled(slot, [(one, words) for one in sources if (words := _words(slot, one))])

    def fill(self, slot: Slot, sources: Sequence[Source], tokens: int, importance: "Worth | None" = None) -> Filled:
        """As much text as fits into `tokens`, including preface and quotation."""
        all_of_it = self.whole(slot, sources)
        if all_of_it.tokens <= tokens:
            return all_of_it
        speaking = [one for one in sources if _words(slot, one)]
        room = tokens
        for _ in range(_TRIES):
            made, omissions = self._packed(slot, speaking, room, importance)
            if made.tokens <= tokens:
                return Filled(made.text, made.tokens, made.words, omissions)
            room -= made.tokens - tokens
        return Filled(omissions=self._packed(slot, speaking, 0, importance)[1])

    def _packed(
        self, slot: Slot, sources: Sequence[Source], tokens: int, worth: "Worth | None"
    ) -> tuple[Filled, tuple[Omission, ...]]:
        """Pack document by document, in order: of the logs, the newest day comes first."""
        words: list[tuple[Source, str]] = []
        omissions: list[Omission] = []
        for one in sources:
            # the frame around a document is counted only if the document has content
            room = tokens - self._filled(slot, [*words, (one, "")]).tokens
            packed = pack(self._items(slot, one, worth), max(0, room), self._cost(slot))
            omissions += packed.omitted
            words += [(one, packed.text.strip())] if packed.kept else []
        return self._filled(slot, words), tuple(omissions)

    def unverified(self, sources: Sequence[Source]) -> int:
        """The tokens of the corrections that no search finds yet."""
        return sum(
            item.tokens
            for one in sources
            for item in self._items(Slot.CORRECTIONS, one, None)
            if item.first_line in one.unverified
        )

    def _items(self, slot: Slot, source: Source, worth: "Worth | None") -> list[PackItem]:
        make = _kept_items if len(source.data) <= _COUNTED_BYTES else _estimated_items
        importance = _importance(slot, source, worth)
        found = [
            replace(item, importance=importance(item))
            for item in make(source.path, source.data, slot in _QUOTED, self._count)
        ]
        return self._rank_corrections(found, source.unverified) if slot is Slot.CORRECTIONS else found

    def _cost(self, slot: Slot) -> Count:
        return (lambda text: self._count(quote(text, self._nonce))) if slot in _QUOTED else self._count

    def _filled(self, slot: Slot, words: Sequence[tuple[Source, str]]) -> Filled:
        if not words:
            return Filled()
        head = self._prefaces.get(slot, PREFACES[slot])
        if slot in _QUOTED:
            body = frame([FrameItem(text, one.path, one.day) for one, text in words], self._nonce).strip()
        else:
            body = "\n\n".join(f"From {one.path}:\n\n{text}" for one, text in words)
        text = f"{head}\n\n{body}".strip()
        return Filled(text, self._count(text), tuple((one.path, said) for one, said in words))


# Cached: sessions start with the same documents, and splitting one into items is the slowest step.
@lru_cache(maxsize=64)
def _kept_items(path: str, data: bytes, quoted: bool, count: Count) -> tuple[PackItem, ...]:
    return tuple(items_of(path, data, count=(lambda text: count(quote(text, ""))) if quoted else count))


def _estimated_items(path: str, data: bytes, *_: object) -> tuple[PackItem, ...]:
    return tuple(items_of(path, data, count=estimate))


@lru_cache(maxsize=64)
def _kept_words(data: bytes, blank_too: bool) -> str:
    return readable(data).strip() if blank_too or entries(data) else ""


def _words(slot: Slot, source: Source) -> str:
    """The text of a document. A log or a memory without entries says nothing; a profile with unfilled fields says what to ask for."""
    read = _kept_words if len(source.data) <= _COUNTED_BYTES else _kept_words.__wrapped__
    return read(source.data, slot is Slot.USER)


# Returns the worth of each entry of a document, by its first line.
Worth = Callable[[str], Mapping[int, float]]
_PINNED: Final = ("pinned", "always", "important", "置顶", "重要", "固定", "고정", "중요", "ピン留め")


def _importance(slot: Slot, source: Source, worth: Worth | None) -> Importance:
    if slot is Slot.RECENT:
        # the latest entries of a day are the most important
        return lambda item: item.first_line
    # for a partly visible document the line numbers do not match
    if slot is not Slot.LONGTERM or worth is None or source.partly:
        return flat
    known = worth(source.path)
    return lambda item: known.get(item.first_line, 0.5) + (10.0 if _is_pinned(item) else 0.0)


def _is_pinned(item: PackItem) -> bool:
    return any(title.strip().casefold().startswith(_PINNED) for title in item.heading)
