"""The verb over the assembler for whoever stands in front: the prompt as a model would get it, with its receipt."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everself.conversation.context.receipt import Receipt
from everself.conversation.context.request import PromptRequest

if TYPE_CHECKING:
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class ContextReport:
    """`text` is the prompt, `prefix` its part that stays for as long as a conversation lasts, `delta` what this turn brings."""

    text: str
    prefix: str
    delta: str
    receipt: Receipt


def show_context(app: "Runtime", ask: PromptRequest) -> ContextReport:
    """What a model would be told at the first turn of such a session. Nobody speaks, so no search and no persona is recorded."""

    facts = replace(app.facts(), channel=ask.facts.channel, tools=ask.facts.tools)
    made = app.assembler.assemble(replace(ask, facts=facts, session="", recorded=False))
    return ContextReport(made.text, made.prefix.text, made.delta, made.receipt)
