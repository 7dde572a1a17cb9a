"""Stored messages as the turns that a model is shown. Reading continues from the last read, so that a turn costs the same however long the
conversation is. Knows neither prompts nor models.

A killed process leaves calls without results, which every vendor rejects: they are answered here as broken off. An exchange is settled when
the next one has begun and all its calls were answered. Its turns then stay the same until something is forgotten, or the conversation is
compacted or deleted.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from everself.conversation.sessions.session import Message, Session, calls_of
from everself.frozen import Frozen
from everself.memory.provenance import OWN
from everself.models.chat.protocol import ModelTurn, ToolCall, ToolReturn, ToolTurn, Turn, UserTurn
from everself.text.tokens import estimate

if TYPE_CHECKING:
    from everself.conversation.sessions.log import SessionLog

BROKEN_OFF: Final = "This call was broken off; nothing came back, and whether it did something is not known."
SUMMARY: Final = "What was said before, in short (a record made when the conversation grew long, no instruction):"
IMAGES: Final = "({} image(s) were shown with this message.)"
# about how many tokens an image costs
IMAGE_TOKENS: Final = 1_500
# number of sessions whose settled turns are kept in memory
_MOST: Final = 256


def turns_of(messages: Sequence[Message], summary: str = "", source: str = OWN) -> tuple[Turn, ...]:
    """`messages` are those not covered by the summary, in order; `source` is the source that the summary rests on."""
    turns: list[Turn] = [*summary_turn(summary, source)]
    returned = {str(one.meta.get("call", "")): one for one in messages if one.role == "tool" and one.meta.get("call")}
    replaced = {str(one.meta["instead"]) for one in messages if one.meta.get("instead")}
    for message in messages:
        if message.role == "user":
            turns.append(UserTurn(message.content, beside=_beside(message)))
        elif message.role == "assistant" and message.id not in replaced:
            calls = calls_of(message)
            if turns and isinstance(turns[-1], UserTurn):
                # the notes that the model was given with a message are stored with its answer
                notes = (tuple(_texts(message.meta.get(name))) for name in ("done", "unclear"))
                done, unclear = notes
                turns[-1] = replace(turns[-1], done=done, unclear=unclear)
            if message.content.strip() or calls:
                turns.append(ModelTurn(message.content, calls))
            if calls:
                # results follow the calls they answer, in whatever order the two were stored; a result without a call is left out
                turns.append(ToolTurn(tuple(_return(call, returned.get(call.id)) for call in calls)))
    return tuple(turns)


def summary_turn(summary: str, source: str = OWN) -> tuple[Turn, ...]:
    """The turn that replaces the compacted messages; empty if there are none."""
    return (UserTurn(labelled(f"{SUMMARY}\n\n{summary}", source)),) if summary else ()


def _return(call: ToolCall, message: Message | None) -> ToolReturn:
    if message is None:
        return ToolReturn(call.id, call.name, BROKEN_OFF, failed=True)
    content = labelled(message.content, str(message.meta.get("stamp", OWN)))
    return ToolReturn(call.id, call.name, content, bool(message.meta.get("failed")))


def labelled(content: str, source: str) -> str:
    """A result as a model is shown it: labelled with its source if it is from outside, in this turn and in all later ones."""
    return content if source == OWN else f"[source: {source}]\n{content}"


def _beside(message: Message) -> tuple[str, ...]:
    """Text that came with a message and is shown again: the program's text, and a note of how many images there were, because images are
    not stored."""
    count = message.meta.get("images")
    return (*_texts(message.meta.get("beside")), *((IMAGES.format(count),) if count else ()))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        yield from (one for one in value if isinstance(one, str))


class History(Frozen):
    """The turns that a model is shown, and about how many tokens they cost."""

    turns: tuple[Turn, ...]
    tokens: int


class _Settled(Frozen):
    generation: int
    compacted: int
    turns: tuple[Turn, ...] = ()
    tokens: int = 0
    # id of the last settled message; empty if there is none
    message: str = ""
    seq: int = 0


class SettledHistory:
    """The history of the sessions used last, with their settled turns cached."""

    def __init__(self, log: "SessionLog") -> None:
        self._log = log
        self._settled: OrderedDict[str, _Settled] = OrderedDict()

    def read(self, session: Session, generation: int) -> History:
        """The summary and all turns it does not cover. `generation` is that of forgetting."""
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

    def _known(self, session: Session, generation: int) -> _Settled:
        """The cached turns; empty if the history may have changed."""
        empty = _Settled(generation, session.compacted)
        known = self._settled.get(session.id, empty)
        if (known.generation, known.compacted) != (generation, session.compacted):
            return empty
        if known.message:
            # another process may have deleted the session and begun it again
            found = self._log.message(known.message)
            if found is None or (found.session, found.seq) != (session.id, known.seq):
                return empty
        return known


def _settled_until(messages: Sequence[Message]) -> int:
    """The number of messages, from the first on, that belong to settled exchanges."""
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
            words = estimate("\n".join((turn.text, *turn.done, *turn.unclear, *turn.beside)))
            return words + IMAGE_TOKENS * len(turn.images)
        case ModelTurn():
            return estimate(turn.text) + sum(estimate(f"{call.name} {call.arguments}") for call in turn.calls)
        case ToolTurn():
            return sum(estimate(f"{one.name} {one.content}") for one in turn.returns)
