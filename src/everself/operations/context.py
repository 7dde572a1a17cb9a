"""The prompt as an operation: what a model would be told, with its receipt."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from everself.errors import ModelFailed
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Option, operation
from everself.operations.search import scope_of

if TYPE_CHECKING:
    from everself.conversation.context.receipt import Receipt
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class ContextReport:
    """`text` is the prompt, `prefix` its part that stays for as long as a conversation lasts, `delta` what this turn brings."""

    text: str
    prefix: str
    delta: str
    receipt: "Receipt"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    session_kind: Annotated[str, Option("For such a session.", "KIND[/PERSON]")] = "main"
    message: Annotated[str, Option("As if this were said, so that memory is searched for it.", "TEXT", slash=True)] = ""


@operation(
    "context",
    audience=Audience.OWNER,
    effect="read",
    slash="/prompt",
    examples=(
        ("everself context", "what the model is told when you begin to talk"),
        ('everself context --message "When is the rent due?" --explain', "with what is recalled, and what it costs"),
        ("everself context --session-kind group", "what it is told in company"),
        ("everself context --session-kind guest/anna", "in a private chat with somebody else"),
    ),
)
def show_context(runtime: "Runtime", _: Caller, request: ContextRequest) -> ContextReport:
    """Print the prompt as the model would get it."""
    from everself.conversation.context.request import SMALL_WINDOW, PromptRequest
    from everself.models.chat.findings import find_calling

    ask = PromptRequest(scope_of(request.session_kind), request.message)
    with suppress(ModelFailed):
        # a model that cannot be opened is told nothing; the prompt is shown as any other would get it
        model = runtime.chat_model()
        small = model.window < SMALL_WINDOW
        tools = find_calling(runtime.state, model.name) != "none"
        ask = replace(ask, window=model.window if small else None, tools=tools)
    facts = replace(runtime.facts(), channel=ask.facts.channel)
    # nobody speaks, so no search and no persona is recorded
    made = runtime.assembler.assemble(replace(ask, facts=facts, session="", recorded=False))
    return ContextReport(made.text, made.prefix.text, made.delta, made.receipt)
