"""One assembler: a turn in; a prefix that stays, a delta and the receipt out. What `everself context` shows is what a model is given."""

from dataclasses import dataclass, replace
from typing import Final

from everself.context.asking import Ask, Parts, room_for
from everself.context.delta import Delta, lay_delta, now_text
from everself.context.prefix import Prefix, freeze
from everself.context.receipt import Receipt, SlotUse
from everself.context.sharing import effective
from everself.errors import ContextTooSmall, WrongUse

# the newline between the two halves, and what a tokenizer makes of it
_SEAM: Final = 8


@dataclass(frozen=True, slots=True)
class Prompt:
    """`prefix` is handed back at the next turn of the session."""

    prefix: Prefix
    delta: str
    receipt: Receipt

    @property
    def text(self) -> str:
        """Exactly what the model receives."""
        return f"{self.prefix.text}\n{self.delta}"


class Assembler:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def assemble(self, ask: Ask) -> Prompt:
        """The prompt of one turn. A soul that does not fit whole is an error; all else that does not fit is named."""
        if ask.prefix is not None and (ask.prefix.scope, ask.prefix.run) != (ask.scope, ask.run):
            # what one session was told is not for another
            raise WrongUse("A prefix belongs to the session that it was made for.")
        # before anything is read for the prompt: what changed outside is noticed before it is used
        seen = self._parts.look()
        voice = self._parts.voice(ask)
        prefix = ask.prefix
        if prefix is None:
            prefix = freeze(self._parts, ask, voice, self._parts.count(now_text(self._parts, ask)) + _SEAM)
        delta = lay_delta(self._parts, ask, prefix)
        notices = (*seen, *voice.notices, *prefix.layout.notices, *delta.notices)
        return Prompt(prefix, delta.text, self._receipt(ask, prefix, delta, notices))

    def _receipt(self, ask: Ask, prefix: Prefix, delta: Delta, notices: tuple[str, ...]) -> Receipt:
        layout = prefix.layout
        delta_tokens = self._parts.count(f"\n{delta.text}")
        limit = room_for(ask)
        total = prefix.tokens + delta_tokens
        if limit is not None and total > limit:
            raise ContextTooSmall(f"The prompt takes {total} tokens of the {limit} that the model's window leaves.")
        slots = tuple(_with_turn(use, delta) for use in layout.slots)
        scope = effective(ask.scope)
        return Receipt(
            kind=scope.kind,
            person=scope.person or "",
            profile=self._parts.limits.profile,
            soul=prefix.soul,
            parts=(*layout.parts, *delta.parts),
            files=layout.files,
            slots=slots,
            stolen=layout.stolen,
            offered=layout.offered,
            omissions=(*layout.omissions, *delta.omissions),
            not_recalled=tuple(delta.not_recalled),
            missing=layout.missing,
            changed=tuple(delta.changed),
            notices=tuple(dict.fromkeys(notices)),
            memory=sum(use.tokens for use in slots),
            memory_limit=layout.memory_limit,
            total=total,
            limit=limit,
            prefix_tokens=prefix.tokens,
            delta_tokens=delta_tokens,
            prefix_hash=prefix.hash,
            search=delta.search,
        )


def _with_turn(use: SlotUse, delta: Delta) -> SlotUse:
    return replace(use, tokens=delta.used[use.slot]) if use.slot in delta.used else use
