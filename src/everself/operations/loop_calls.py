"""Calls of tools as another program's loop tells of them: values and their checks. Light, because an event loop imports it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from everself.errors import WrongUse
from everself.memory.provenance import is_outside, plain_source
from everself.values import new_id


@dataclass(frozen=True, slots=True)
class LoopCall:
    """A call of a tool that is the other program's own, and what came back. `source` says whose words that is: `tool`, `web`, `import`
    or `person:<id>`. Only of a call that is stored already may the result be left out."""

    name: str
    result: str | None = None
    arguments: str | Mapping[str, Any] = "{}"
    id: str = ""
    failed: bool = False
    source: str = "tool"


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
