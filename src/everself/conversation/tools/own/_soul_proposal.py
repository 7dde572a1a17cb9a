"""soul_propose: the agent may ask to grow. A human decides, by other means than a tool."""

from everself.conversation.tools.own._arguments import TEXT, TEXTS, describe, field, text_of, texts_of
from everself.conversation.tools.own.kit import Kit, told
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext, Written
from everself.errors import WrongUse
from everself.memory.provenance import OWN
from everself.models.chat.protocol import JsonObject
from everself.values import Author
from everself.workspace.learned import SOUL

_OUTSIDE = " (proposed in a conversation that holds text from outside)"
_PROPOSE = describe(
    "soul_propose",
    "Propose to the person a line for what you have learned about how to be, or your whole soul anew. Nothing changes before they agree.",
    {
        "line": field(TEXT, "One sentence to learn."),
        "text": field(TEXT, "All of SOUL.md as you would have it, instead of a line."),
        "reason": field(TEXT, "Why."),
        "evidence": field(TEXTS, "What it rests on, such as entry:ID."),
    },
    ("reason",),
)


def proposing_tools(kit: Kit) -> tuple[Tool, ...]:
    async def propose(arguments: JsonObject, setting: ToolContext) -> Outcome:
        return await kit.in_thread(lambda: _propose(kit, arguments, setting))

    return (Tool(_PROPOSE, propose, changes=True),)


def _propose(kit: Kit, arguments: JsonObject, setting: ToolContext) -> Outcome:
    line, text = text_of(arguments, "line", ""), text_of(arguments, "text", "")
    if bool(line.strip()) == bool(text.strip()):
        raise WrongUse("Give either a `line` or the whole `text`.")
    reason = text_of(arguments, "reason") + (_OUTSIDE if setting.taint != OWN else "")
    named = (one for one in texts_of(arguments, "evidence") if one.startswith(("entry:", "file:", "url:")))
    evidence = tuple(dict.fromkeys((f"msg:{setting.message}", *named)))
    growth = kit.growth()
    made = (
        growth.add_line(line, reason, evidence, Author.AGENT)
        if line
        else growth.propose(text, reason, evidence, Author.AGENT)
    )
    result = {"proposal": made.proposal.id, "status": made.proposal.status, "diff": made.diff, "notices": made.notices}
    words = line or "SOUL.md anew"
    return Outcome(told(result), written=(Written("proposed", words, SOUL, change=made.proposal.id),))
