"""What a session that another program leads takes and gives: values and their checks. Light, because an event loop imports it."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory.provenance import is_outside, plain_source
from everself.values import new_id

if TYPE_CHECKING:
    from everself.conversation.context.receipt import Receipt
    from everself.conversation.tools.protocol import Written


class LoopCall(Frozen):
    """A call of a tool that is the other program's own, and what came back. `source` says whose words that is: `tool`, `web`, `import`
    or `person:<id>`. Only of a call that is stored already may the result be left out."""

    name: str
    result: str | None = None
    arguments: str | Mapping[str, Any] = "{}"
    id: str = ""
    failed: bool = False
    source: str = "tool"


class SessionMessage(Frozen):
    """Something that was said in a session. With the role `tool` it is what the call `call` gave, under its source where that is from
    outside; `calls` are the id, the name and the arguments of each call of a model."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    call: str = ""


class SessionPrompt(Frozen):
    """What a model is to be told for one message.

    `prefix` is the system prompt. It is the same, byte for byte, for as long as the session lasts, so that a vendor caches it.
    `message` is what was said with the `delta` behind it, to be sent as the newest user message. Keep the plain message in your
    history, so that the next request begins like this one. `receipt` says what is in the prompt and why. `renewed`: something was
    forgotten, and the prefix was made anew; a history that may hold it is better dropped.
    """

    prefix: str
    delta: str
    message: str
    receipt: "Receipt"
    renewed: bool = False

    @property
    def text(self) -> str:
        """Prefix and delta as one text, for a model that takes a single prompt."""
        return f"{self.prefix}\n{self.delta}"

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of this prompt, such as documents that were changed outside Everself."""
        return self.receipt.notices


class ToolResult(Frozen):
    """What a call gave. `content` is for the model, also where the call failed; `written` is what it did to memory.

    `source` is `own`, or the least trusted source of the words in it.
    """

    id: str
    name: str
    content: str
    failed: bool = False
    written: "tuple[Written, ...]" = ()
    source: str = "own"

    def __str__(self) -> str:
        return self.content


class RecordedTurn(Frozen):
    """A turn that is stored. `message` and `reply` are the ids of what the person and the agent said, empty where there was nothing.

    `written` is what became of it in memory, calls included; `notices` are sentences for the person, such as a question about a
    correction. `repeated`: it was recorded before under this id, and nothing was done.
    """

    session: str
    message: str
    reply: str
    written: "tuple[Written, ...]" = ()
    notices: tuple[str, ...] = ()
    repeated: bool = False


def outside_source(source: str) -> str:
    """The source of what a tool returned; WrongUse for one that it cannot have."""
    plain = plain_source(source)
    if not is_outside(plain):
        raise WrongUse(
            f'The result of a tool is not "{source}".',
            mend='Use "tool", "web", "import" or "person:<id>" as its source.',
        )
    return plain


def arguments_text(arguments: object) -> str:
    """The arguments of a call as JSON."""
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(arguments if arguments is not None else {}, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise WrongUse(f"The arguments of a call are not JSON: {error}.") from error


def stored_id(given: str) -> str:
    """Some vendors restart the numbering of calls with each answer; stored calls need distinct ids."""
    return f"{given}-{new_id()}".strip("-")
