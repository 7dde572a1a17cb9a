"""Open questions about conflicting statements. Until the owner answers, the older statement is marked as doubtful."""

from typing import Final

from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, rank
from everself.storage.state.reviews import Reviews
from everself.text.normalise import one_line
from everself.text.redaction import redact

_KIND: Final = "conflict"
_ENTRY: Final = "entry:"
_SHOWN: Final = 160


class OpenQuestions:
    """Reads the questions in review, whose evidence names the older statement first."""

    def __init__(self, reviews: Reviews, memory: Memory) -> None:
        self._reviews = reviews
        self._memory = memory

    def later(self) -> dict[str, str]:
        """For each older statement with an open question, the text of the newer one. Text from outside is left out, because it would be
        shown beside trusted text."""
        found: dict[str, str] = {}
        for review in self._reviews.waiting(_KIND):
            named = [one.removeprefix(_ENTRY) for one in review.evidence if one.startswith(_ENTRY)]
            newer = self._memory.catalog.find(named[1]) if len(named) > 1 else None
            if newer is not None and not newer.closed and rank(self._memory.trust(newer)) >= rank(AGENT):
                found[named[0]] = one_line(redact(newer.text).text, _SHOWN)
        return found
