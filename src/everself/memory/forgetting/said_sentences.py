"""Finds the sentences of conversations that state what is forgotten. Pure.

An entry is removed as a whole, so the sentence that contains the words is removed from the conversation too. If the entry uses other
words, this is the most similar sentence of the message that it was concluded from. Two things stay and are reported: a sentence that a
remaining entry contains too, and a message without a recognisable sentence.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from everself.classify.coverage import words_in_common
from everself.frozen import Frozen
from everself.memory.forgetting.forgotten_words import contains
from everself.memory.forgetting.proof import RemainingMention
from everself.storage.state.messages import StoredMessage
from everself.text.normalise import fold
from everself.text.sentences import split
from everself.values import Entry

# a longer text is a page, not a sentence
_LONGEST: Final = 600
# a name and what is said of it; a single number is enough
_IN_COMMON: Final = 2
_SPEAKERS: Final = ("user", "assistant")


class Spoken(Frozen):
    sentences: tuple[str, ...] = ()
    unclear: tuple[RemainingMention, ...] = ()


def find_spoken(
    messages: Iterable[StoredMessage],
    words: str,
    entries: Sequence[tuple[Entry, Sequence[str]]],
    kept: Callable[[], Iterable[str]],
) -> Spoken:
    """`words` are folded; empty if only entries are forgotten, each of which comes with its texts. `kept` reads the texts of the remaining
    entries; it is only called if a sentence was found."""
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
            # the text of the entry itself is removed verbatim
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
    """The sentences of a message that share the most words with an entry."""
    common = {one: max((_likeness(one, text) for text in texts), default=0) for one in _sentences(content)}
    most = max(common.values(), default=0)
    return (one for one, count in common.items() if count and count == most)


def _likeness(sentence: str, text: str) -> int:
    common = words_in_common(sentence, text)
    telling = len(common) >= _IN_COMMON or any(char.isdecimal() for word in common for char in word)
    return len(common) if telling else 0


def _said_elsewhere(sentences: Sequence[str], kept: Callable[[], Iterable[str]]) -> frozenset[str]:
    if not sentences:
        return frozenset()
    folded = {one: fold(one) for one in sentences}
    texts = [fold(text) for text in kept()]
    return frozenset(one for one, words in folded.items() if any(words in text for text in texts))
