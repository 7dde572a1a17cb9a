"""The plan and the proof of a forgetting. Both contain places and counts; a proof never contains the words."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from typing import Final

from everself.frozen import Frozen
from everself.text.normalise import one_line
from everself.values import Entry

# the reason of the change that forgets
FORGET: Final = "forget"
# limit of listed entries
_SHOWN: Final = 200


class Target(Frozen):
    """What to forget: entries by id, words anywhere, all of a session, all of a person, or the days `since` to `until`."""

    ids: tuple[str, ...] = ()
    words: str = ""
    session: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None


class DocumentCut(Frozen):
    """The number of entries and lines to remove from a document."""

    path: str
    count: int


class RemainingMention(Frozen):
    """Words that remain: in another sentence, in a document that only the owner may write, or in text derived from the forgotten."""

    reference: str
    reason: str


class Unreachable(Frozen):
    """A place that Everself cannot clean. `holds`: whether the words were found there; None if it cannot be searched."""

    name: str
    words: str
    holds: bool | None = None


class ForgetPlan(Frozen):
    """What would be removed. Nothing has happened yet."""

    entries: tuple[Entry, ...]
    texts: tuple[str, ...]
    documents: tuple[DocumentCut, ...]
    messages: tuple[str, ...]
    quoted: tuple[DocumentCut, ...]
    commits: int
    mentions: tuple[RemainingMention, ...]
    remains: tuple[Unreachable, ...]
    # documents with texts that are forgotten only there; a folder (ending in /) without a text is removed as a whole; a text without a
    # document is forgotten everywhere
    homes: tuple[tuple[str, str], ...] = ()
    searches: tuple[str, ...] = ()
    # sentences of conversations that are removed, and messages that may contain the fact in other words
    sentences: tuple[str, ...] = ()
    unclear: tuple[RemainingMention, ...] = ()
    # places where only the words are removed, and the text around them stays
    alone: tuple[DocumentCut, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.entries or self.documents or self.messages or self.quoted or self.commits or self.searches)

    @property
    def called(self) -> str:
        """What a confirmation question calls the selection."""
        return f"these {len(self.entries)} entries" if len(self.entries) > 1 else "it"

    def lines(self) -> Iterator[str]:
        """The lines to show before the user confirms."""
        entries = "1 entry" if len(self.entries) == 1 else f"{len(self.entries)} entries"
        yield (
            f"This would go: {entries}, as a whole"
            if self.entries
            else "No entry would go, only what stands elsewhere."
        )
        for entry in self.entries[:_SHOWN]:
            yield f"  {entry.id}  {one_line(entry.text, 72)}  ({entry.reference})"
        if len(self.entries) > _SHOWN:
            yield f"  and {len(self.entries) - _SHOWN} more"
        if self.sentences:
            yield "In conversations, [forgotten] takes the place of:"
            yield from (f"  “{one_line(text, 96)}”" for text in self.sentences[:_SHOWN])
            if len(self.sentences) > _SHOWN:
                yield f"  and {len(self.sentences) - _SHOWN} more sentences"
        if self.alone:
            words = next((text for path, text in self.homes if not path), "")
            where = ", ".join(f"{cut.path} ({cut.count})" for cut in self.alone)
            yield f"Only “{one_line(words, 72)}” goes, and the text around it stays: {where}"
        if self.documents:
            yield "From files: " + ", ".join(f"{cut.path} ({cut.count})" for cut in self.documents)
        if self.messages:
            yield f"From conversations: {len(self.messages)} messages"
        if self.quoted:
            yield "Quoted in: " + ", ".join(f"{cut.path} ({cut.count})" for cut in self.quoted)
        if self.commits:
            yield f"From the history: {_commits(self.commits)} rewritten"
        for mention in (*self.mentions, *self.unclear):
            yield f"Stays in {mention.reference}: {mention.reason}"
        for remain in self.remains:
            yield f"Out of reach: {remain.name}: {remain.words}"


class PlaceResult(Frozen):
    """The result for one kind of place: occurrences found before, removed, and left.

    `left` should be 0. `mentioned` counts occurrences in sentences that stay by rule.
    """

    place: str
    found: int = 0
    removed: int = 0
    left: int = 0
    mentioned: int = 0


class ForgetProof(Frozen):
    """What was done, and the result of a raw search. `searched` is False if only hashes were known after a crash."""

    id: str
    at: str
    change: str
    entries: tuple[str, ...]
    places: tuple[PlaceResult, ...]
    commits: tuple[tuple[str, str], ...]
    mentions: tuple[RemainingMention, ...]
    remains: tuple[Unreachable, ...]
    searched: bool = True
    notices: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        """Whether nothing is left in any place that Everself can clean."""
        return not any(one.left for one in self.places)

    @property
    def degraded(self) -> bool:
        """Whether something is left somewhere, or may be."""
        return not self.gone or not self.searched or any(one.holds is not False for one in self.remains)

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"gone": self.gone, "degraded": self.degraded}, ensure_ascii=False)

    def render(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The proof as separate lines, so that line breaks inside a name cannot be mistaken for ours."""
        width = max(len(one.place) for one in self.places)
        lines = [
            f"Forgotten: {', '.join(self.entries) or 'no entry of its own'}  (proof {self.id}, {self.at[:16].replace('T', ' ')})"
        ]
        lines += [
            f"  {one.place:<{width}}  found {one.found}, removed {one.removed}, left {one.left}" + _mentioned(one)
            for one in self.places
        ]
        if self.commits:
            lines.append(f"History: {_commits(len(self.commits))} rewritten; the old text is gone.")
        lines += [f"Also mentioned in {one.reference}: {one.reason}." for one in self.mentions]
        lines += [f"Out of reach: {one.name}: {one.words}." for one in self.remains]
        lines += self.notices
        if not self.searched:
            lines.append("It was completed after a crash, when the words to search for were no longer known.")
        lines.append(self._found())
        return lines

    def _found(self) -> str:
        if not self.gone:
            return "NOT all of it is gone; run it again."
        if self.mentions:
            return "A search of every byte finds it only in the places listed above."
        return "A search of every byte finds nothing."


def _commits(count: int) -> str:
    return "1 commit" if count == 1 else f"{count} commits"


def _mentioned(one: PlaceResult) -> str:
    return f" ({one.mentioned} in sentences that stay)" if one.mentioned else ""
