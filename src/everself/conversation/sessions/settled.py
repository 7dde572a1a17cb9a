"""The history of a conversation as turns, read on from where it was read last, so that a turn costs the same however long the talk is.

An exchange is settled when the next one has begun and all its calls were answered: then its turns stay as they are until something is
forgotten, the conversation is compacted, or it is deleted. Knows neither prompts nor models.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from everself.conversation.sessions.history import calls_of, summary_turn, turns_of
from everself.models.chat.protocol import ModelTurn, ToolTurn, Turn, UserTurn
from everself.text.tokens import estimate

if TYPE_CHECKING:
    from everself.conversation.sessions.log import SessionLog
    from everself.conversation.sessions.session import Message, Session

# sessions whose settled turns are kept in memory
_MOST: Final = 16


@dataclass(frozen=True, slots=True)
class History:
    """What was said, as a model is shown it, and about how many tokens that is."""

    turns: tuple[Turn, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Settled:
    generation: int
    compacted: int
    turns: tuple[Turn, ...] = ()
    tokens: int = 0
    # the last message of it, empty where there is none
    message: str = ""
    seq: int = 0


class SettledHistory:
    """Of the sessions that were spoken in last."""

    def __init__(self, log: "SessionLog") -> None:
        self._log = log
        self._settled: OrderedDict[str, _Settled] = OrderedDict()

    def read(self, session: "Session", generation: int) -> History:
        """All that the summary does not stand for, and the summary. `generation` is that of forgetting."""
        known = self._known(session, generation)
        tail = self._log.messages(session, max(known.seq, session.compacted))
        at = _settled_until(tail)
        if at:
            turns = turns_of(tail[:at])
            last = tail[at - 1]
            known = _Settled(
                generation,
                session.compacted,
                (*known.turns, *turns),
                known.tokens + sum(map(tokens_of, turns)),
                last.id,
                last.seq,
            )
        self._settled[session.id] = known
        self._settled.move_to_end(session.id)
        while len(self._settled) > _MOST:
            self._settled.popitem(last=False)
        rest = turns_of(tail[at:])
        summary = summary_turn(session.summary, session.summary_source)
        return History((*summary, *known.turns, *rest), known.tokens + sum(map(tokens_of, (*summary, *rest))))

    def _known(self, session: "Session", generation: int) -> _Settled:
        """What was settled before; nothing where it may be another history by now."""
        empty = _Settled(generation, session.compacted)
        known = self._settled.get(session.id, empty)
        if (known.generation, known.compacted) != (generation, session.compacted):
            return empty
        if known.message:
            # the session may have been deleted and begun anew by another process
            found = self._log.message(known.message)
            if found is None or (found.session, found.seq) != (session.id, known.seq):
                return empty
        return known


def _settled_until(messages: "Sequence[Message]") -> int:
    """How many of these belong to exchanges that are over, from the first on."""
    starts = [at for at, one in enumerate(messages) if one.role == "user"]
    settled = 0
    for start in starts:
        exchange = messages[settled:start]
        asked = [call.id for one in exchange if one.role == "assistant" for call in calls_of(one)]
        answered = {str(one.meta.get("call", "")) for one in exchange if one.role == "tool"}
        if not answered.issuperset(asked):
            break
        settled = start
    return settled


def tokens_of(turn: Turn) -> int:
    """About how many tokens a turn costs."""
    match turn:
        case UserTurn():
            return estimate("\n".join((turn.text, *turn.done, *turn.unclear)))
        case ModelTurn():
            return estimate(turn.text) + sum(estimate(f"{call.name} {call.arguments}") for call in turn.calls)
        case ToolTurn():
            return sum(estimate(f"{one.name} {one.content}") for one in turn.returns)
