"""The sentences of conversations that say what is forgotten. Pure.

An entry goes as a whole, so what was said of it goes from the conversation as well: the sentence that holds the words, and the sentence
of the message an entry was concluded from, where the entry says it in other words. Two things stay, and are reported: a sentence that an
entry which is not forgotten says too, and a message in which no sentence is recognisable as the entry's.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from everself.classify.coverage import words_in_common
from everself.frozen import Frozen
from everself.memory.forgetting.forgotten_words import contains
from everself.memory.forgetting.proof import RemainingMention
from everself.storage.state.messages import StoredMessage
from everself.text.normalise import fold
from everself.text.sentences import split
from everself.values import Entry

# what is longer is no sentence but a page, which is not lost for one of its words
_LONGEST: Final = 600
# a name and what is said of it; a number tells enough by itself
_IN_COMMON: Final = 2
_SPEAKERS: Final = ("user", "assistant")


class Spoken(Frozen):
    sentences: tuple[str, ...] = ()
    unclear: tuple[RemainingMention, ...] = ()


def find_spoken(
    messages: Iterable[StoredMessage], words: str, entries: Sequence[tuple[Entry, Sequence[str]]], kept: Iterable[str]
) -> Spoken:
    """`words` are folded, and empty where entries alone are meant, each of which comes with its own words. `kept` are the texts of the
    entries that stay."""
    taught: dict[str, list[Sequence[str]]] = defaultdict(list)
    for entry, texts in entries:
        for part in entry.lineage:
            kind, _, name = part.partition(":")
            if kind == "msg":
                taught[name].append(texts)
    found: list[str] = []
    unclear: list[RemainingMention] = []
    for one in messages:
        if one.role not in _SPEAKERS:
            continue
        folded = fold(one.content) if words or one.id in taught else ""
        if words and contains(folded, words):
            found += (sentence for sentence in _sentences(one.content) if contains(fold(sentence), words))
        for texts in taught.get(one.id, ()):
            # the words of the entry go from it as they are
            if any(fold(text) in folded for text in texts):
                continue
            said = list(_telling(one.content, texts))
            found += said
            if not said:
                reason = "an entry was concluded from it in other words; the message is not removed"
                unclear.append(RemainingMention(f"message {one.id}", reason))
    sentences = tuple(dict.fromkeys(found))
    stays = _said_elsewhere(sentences, kept)
    return Spoken(tuple(one for one in sentences if one not in stays), tuple(dict.fromkeys(unclear)))


def _sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in split(text) if end - start <= _LONGEST)


def _telling(content: str, texts: Sequence[str]) -> Iterator[str]:
    """The sentences of a message that have most in common with an entry."""
    common = {one: max((_likeness(one, text) for text in texts), default=0) for one in _sentences(content)}
    most = max(common.values(), default=0)
    return (one for one, count in common.items() if count and count == most)


def _likeness(sentence: str, text: str) -> int:
    common = words_in_common(sentence, text)
    telling = len(common) >= _IN_COMMON or any(char.isdecimal() for word in common for char in word)
    return len(common) if telling else 0


def _said_elsewhere(sentences: Sequence[str], kept: Iterable[str]) -> frozenset[str]:
    if not sentences:
        return frozenset()
    folded = {one: fold(one) for one in sentences}
    texts = [fold(text) for text in kept]
    return frozenset(one for one, words in folded.items() if any(words in text for text in texts))
