"""Results of testing a model, stored in `state.db`. Not a setting: each test replaces them."""

from typing import Final

from everself.models.chat.protocol import Calling
from everself.storage.state.database import State

_KEY: Final = "model calling"
_KNOWN: Final[dict[str, Calling]] = {"native": "native", "text": "text", "none": "none"}


def remember_calling(state: State, model: str, calling: Calling) -> None:
    state.set_meta(f"{_KEY} {model}", calling)


def find_calling(state: State, model: str) -> Calling:
    """How a model calls tools; "untested" if it was never tested."""
    return _KNOWN.get(state.get_meta(f"{_KEY} {model}") or "", "untested")
