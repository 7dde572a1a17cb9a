"""Removes forgotten text from transcripts: rewrites those that differ from the database.

The database is cleaned first, so nothing is cut out here. A transcript that differs from the database is written again. A summary in a
model's own words, which cannot be searched for the forgotten text, is replaced by the beginnings of the remaining messages.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from everself.conversation.sessions.excerpts import digest_of
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.transcripts import Transcripts
from everself.errors import NotFound
from everself.storage.state.scrub import strings_of

if TYPE_CHECKING:
    from everself.memory.catalog import Catalog
    from everself.memory.forgetting.forgotten_words import ForgottenWords

NAME: Final = "transcripts"
MOST_OF_A_SUMMARY: Final = 1_500


class TranscriptTraces:
    def __init__(self, log: SessionLog, transcripts: Transcripts) -> None:
        self._log = log
        self._transcripts = transcripts

    @property
    def name(self) -> str:
        return NAME

    def holds(self, words: "ForgottenWords") -> int:
        """The number of texts that contain the forgotten words, and of lines that the database does not have."""
        return sum(self._held(name, words) for name in self._transcripts.names())

    def remove(self, words: "ForgottenWords") -> int:
        stood = self.holds(words)
        self._transcripts.sweep()
        for name in self._transcripts.names():
            if self._transcripts.read(name) != self._log.export(name):
                self._shorten(name)
                self._log.mend(name)
        return stood

    def _held(self, name: str, words: "ForgottenWords") -> int:
        written = self._transcripts.read(name).splitlines(keepends=True)
        # lines that are also in the database were already counted there
        known = frozenset(self._log.export(name).splitlines(keepends=True))
        found = 0
        for line in written:
            texts = sum(words.in_text(text) is not None for text in _texts(line))
            found += texts or (line not in known)
        return found

    def _shorten(self, name: str) -> None:
        try:
            session = self._log.find(name)
        except NotFound:
            return
        if session.summary:
            gone = [one for one in self._log.messages(session) if one.seq <= session.compacted]
            self._log.mark(session, summary=digest_of(gone, "", MOST_OF_A_SUMMARY))


def without_forgotten(text: str, catalog: "Catalog") -> str:
    """A model's text without what was forgotten, which it may have read before."""
    from everself.memory.forgetting.forgotten_words import ForgottenWords, candidates, runs

    # only hashes of forgotten text are left, so every candidate phrase is compared
    found = {*candidates(text), *runs(text)}
    return ForgottenWords((), [one for one in found if one and catalog.is_buried(one)]).in_message(text)


def _texts(line: bytes) -> Iterator[str]:
    try:
        yield from strings_of(json.loads(line))
    except ValueError:
        yield line.decode("utf-8", "replace")
