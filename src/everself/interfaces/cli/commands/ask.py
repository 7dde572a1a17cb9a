"""`everself ask`: one message, one reply. For scripts."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from everself.errors import EverselfError
from everself.interfaces.cli.call import agent_option, answer, json_option, recovery_notices, say_error, this_call
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.commands.conversation import awake, forgiving, settle_down
from everself.interfaces.rendering.exit_codes import ExitCode

if TYPE_CHECKING:
    from everself.conversation.events import Notice
    from everself.conversation.tools.protocol import Written
    from everself.models.chat.protocol import Usage
    from everself.operations.ask import Reply

STDIN = "-"
_CITATION = r"[^\s()（）「」“”]+#L[0-9]+(?:-L?[0-9]+)?"


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply as scripts get it. `citations` are those of its own text, `written` what was done to memory on the way."""

    reply: str
    citations: tuple[str, ...]
    written: "tuple[Written, ...]"
    session: str
    message: str
    model: str
    why: str
    tools: tuple[str, ...]
    usage: "Usage"
    cost: float | None


@click.command(
    "ask",
    cls=Verb,
    examples=[
        ('everself ask "What did I decide about the logo?"', "one answer, and nothing else on stdout"),
        ("git log -3 | everself ask - --json", "the message from stdin, the answer as JSON"),
        ('everself ask --resume last "And why?"', "go on with the last conversation"),
    ],
)
@click.argument("text", metavar="TEXT|-")
@click.option("--resume", metavar="ID|last", default="", help="Go on with an earlier conversation.")
@agent_option
@json_option
def ask(text: str, resume: str, agent: str) -> int:
    """Say one thing to the agent and print its reply.

    What you say is remembered as in a conversation. Exit code 1 when there was no whole reply; what came of it is printed.
    """
    from everself.operations.ask import ask as ask_once

    said = forgiving(sys.stdin).read() if text == STDIN else text
    with awake(agent) as app:
        reply = ask_once(app, said, resume=resume)
        notices = [_told(one) for one in reply.notices] + recovery_notices(app)
        code = _tell(_answered(reply), reply, notices)
        settle_down(app)
    return code


def _tell(made: Answered, reply: "Reply", notices: list[str]) -> ExitCode:
    if not reply.failed:
        answer(made, [made.reply] if made.reply else [], notices)
        return ExitCode.DONE
    trouble = next((one for one in reversed(reply.notices) if one.level == "warning"), None)
    error = EverselfError(trouble.text if trouble else "", mend=trouble.mend if trouble else "")
    if not this_call().json and made.reply:
        answer(made, [made.reply])
    return say_error(error, as_json=this_call().json, data=made)


def _answered(reply: "Reply") -> Answered:
    import re2

    cited = tuple(dict.fromkeys(re2.findall(_CITATION, reply.text)))
    return Answered(
        reply=reply.text,
        citations=cited,
        written=reply.written,
        session=reply.session,
        message=reply.message,
        model=reply.model,
        why=reply.why,
        tools=reply.tools,
        usage=reply.usage,
        cost=reply.cost,
    )


def _told(notice: "Notice") -> str:
    return f"{notice.text} {notice.mend}".rstrip()
