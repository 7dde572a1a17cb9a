"""What a program that sends requests itself tells a model beside a message: notes of the runtime, and the delta last. Pure."""

from typing import Final

from everself.models.chat._rendering import render_context, render_user
from everself.models.chat.protocol import UserTurn

_EARLIER: Final = "[Note from the runtime, not from the person. Because of the message before this one:]"


def newest_message(said: str, earlier: tuple[str, ...], delta: str) -> str:
    """What was said, `earlier` sentences about the message before it, and the delta last, as our own requests have it."""
    note = "\n".join((_EARLIER, *(f"- {sentence}" for sentence in earlier))) if earlier else ""
    told = "\n\n".join(part for part in (said, note) if part)
    return render_context(told, delta) if delta.strip() else told


def with_notes(content: str, done: tuple[str, ...], unclear: tuple[str, ...]) -> str:
    """The result of a call, and behind it what was done because of the message that is being answered."""
    return render_user(UserTurn(content, done, unclear))
