"""Text that a client program adds to a message when it sends the request itself: runtime notes, and the delta last. Pure."""

from typing import Final

from everself.models.chat._rendering import render_context, render_user
from everself.models.chat.protocol import UserTurn

_EARLIER: Final = "[Note from the runtime, not from the person. Because of the message before this one:]"


def newest_message(said: str, earlier: tuple[str, ...], delta: str) -> str:
    """The message, notes about the `earlier` message, and the delta last, as in our own requests."""
    note = "\n".join((_EARLIER, *(f"- {sentence}" for sentence in earlier))) if earlier else ""
    told = "\n\n".join(part for part in (said, note) if part)
    return render_context(told, delta) if delta.strip() else told


def with_notes(content: str, done: tuple[str, ...], unclear: tuple[str, ...]) -> str:
    """The result of a call, followed by what was done because of the current message."""
    return render_user(UserTurn(content, done, unclear))
