"""The verb over the assembler for whoever stands in front: the prompt as a model would get it, with its receipt."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everself.conversation.context.receipt import Receipt
from everself.conversation.context.request import Ask

if TYPE_CHECKING:
    from everself.app.app import App


@dataclass(frozen=True, slots=True)
class ContextReport:
    """`text` is the prompt, `prefix` its part that stays for as long as a conversation lasts, `delta` what this turn brings."""

    text: str
    prefix: str
    delta: str
    receipt: Receipt


def show_context(app: "App", ask: Ask) -> ContextReport:
    """What a model would be told at the first turn of such a session. Nobody speaks, so no search and no persona is recorded."""
    from everself.app.assembling import facts_of

    facts = replace(facts_of(app), channel=ask.facts.channel, tools=ask.facts.tools)
    made = app.assembler.assemble(replace(ask, facts=facts, session="", recorded=False))
    return ContextReport(made.text, made.prefix.text, made.delta, made.receipt)
