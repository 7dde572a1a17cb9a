"""Values of a session whose loop another program runs, and their checks. Cheap to import, because it is imported on an event loop."""

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
    """A call of the program's own tool, with its result. `source` is the source of the result's words: `tool`, `web`, `import` or
    `person:<id>`. The result may be omitted only for a call that is already stored."""

    name: str
    result: str | None = None
    arguments: str | Mapping[str, Any] = "{}"
    id: str = ""
    failed: bool = False
    source: str = "tool"


class SessionMessage(Frozen):
    """A message of a session. With the role `tool` it is the result of the call `call`, marked with its source if that is outside; `calls`
    are the id, name and arguments of each call of a model."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    call: str = ""


class SessionPrompt(Frozen):
    """The prompt for one message.

    `prefix` is the system prompt. It stays the same, byte for byte, during the session, so that vendors can cache it. `message` is the
    user's message followed by the `delta`; send it as the newest user message. Keep the plain message in your history, so that the next
    request begins like this one. `receipt` says what the prompt contains and why. `renewed`: something was forgotten and the prefix was
    rebuilt; drop a history that may contain it.
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
        """Notes for a person, such as documents that were changed outside Everself."""
        return self.receipt.notices


class ToolResult(Frozen):
    """The result of a call. `content` is for the model, also if the call failed; `written` are its changes of memory.

    `source` is `own`, or the least trusted source of its words.
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
    """A stored turn. `message` and `reply` are the ids of the two messages, empty if there was none.

    `written` are all changes of memory, calls included; `notices` are sentences for the person, such as a question about a correction.
    `repeated`: a turn with this id was recorded before, so nothing was done.
    """

    session: str
    message: str
    reply: str
    written: "tuple[Written, ...]" = ()
    notices: tuple[str, ...] = ()
    repeated: bool = False


def outside_source(source: str) -> str:
    """The source of a tool's result. Raises WrongUse for an invalid one."""
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
