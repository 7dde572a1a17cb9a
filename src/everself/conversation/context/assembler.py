"""Assembles a prompt: prefix, delta and receipt. `everself context` shows exactly what a model is given."""

from dataclasses import replace
from typing import Final

from everself.conversation.context.delta import Delta, DeltaBuilder, now_text
from everself.conversation.context.prefix_builder import PrefixBuilder
from everself.conversation.context.receipt import Prefix, Receipt
from everself.conversation.context.request import PromptInputs, PromptRequest, room_for
from everself.errors import ContextTooSmall, WrongUse
from everself.frozen import Frozen
from everself.memory.provenance import taint_of

# the newline between prefix and delta, and tokens that joining them may add
_SEAM: Final = 8


class Prompt(Frozen):
    """`prefix` is passed back in at the next turn of the session."""

    prefix: Prefix
    delta: str
    receipt: Receipt
    # sources of what the delta contains
    sources: tuple[str, ...] = ()

    @property
    def taint(self) -> str:
        """The taint of everything in the prompt."""
        return taint_of((*self.prefix.sources, *self.sources))

    @property
    def text(self) -> str:
        return f"{self.prefix.text}\n{self.delta}"


class Assembler:
    def __init__(self, inputs: PromptInputs) -> None:
        self._inputs = inputs

    def assemble(self, ask: PromptRequest) -> Prompt:
        """Assemble the prompt of one turn. A soul that does not fit whole is an error; everything else that does not fit is listed."""
        if ask.prefix is not None and (ask.prefix.scope, ask.prefix.run) != (ask.scope, ask.run):
            # a prefix must not be used in another session
            raise WrongUse("The prefix was made for another session.")
        # looked for first, so that outside changes are noticed before they are used
        seen = self._inputs.sources.changed_outside()
        speaker = self._inputs.sources.speak(ask)
        prefix = ask.prefix
        if prefix is None:
            now = self._inputs.count(now_text(self._inputs, ask)) + _SEAM
            prefix = PrefixBuilder(self._inputs, ask, speaker).freeze(now)
        delta = DeltaBuilder(self._inputs, ask, prefix).build()
        notices = (*seen, *speaker.notices, *prefix.receipt.notices, *delta.notices)
        return Prompt(prefix, delta.text, self._receipt(ask, prefix, delta, notices), tuple(delta.sources))

    def _receipt(self, ask: PromptRequest, prefix: Prefix, delta: Delta, notices: tuple[str, ...]) -> Receipt:
        before = prefix.receipt
        delta_tokens = self._inputs.count(f"\n{delta.text}")
        limit = room_for(ask)
        total = prefix.tokens + delta_tokens
        if limit is not None and total > limit:
            raise ContextTooSmall(f"The prompt takes {total} tokens of the {limit} that the model's window leaves.")
        slots = tuple(replace(use, tokens=delta.used.get(use.slot, use.tokens)) for use in before.slots)
        return replace(
            before,
            parts=(*before.parts, *delta.parts),
            slots=slots,
            omissions=(*before.omissions, *delta.omissions),
            not_recalled=tuple(delta.not_recalled),
            changed=tuple(delta.changed),
            notices=tuple(dict.fromkeys(notices)),
            memory=sum(use.tokens for use in slots),
            total=total,
            limit=limit,
            delta_tokens=delta_tokens,
            search=delta.search,
        )
