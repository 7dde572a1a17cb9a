"""Messages as plain lines for people and models, without tool calls, commands and system text. Pure."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Final, Literal

from everself.conversation.sessions.session import Message
from everself.text.tokens import estimate

Prompt = Literal["flush", "summary", "note"]
NAMES: Final = {"user": "User", "assistant": "Assistant"}
# longest line of a summary made without a model: enough to recognise the topic and find the message again
LONGEST: Final = 240
EARLIER: Final = "Earlier:"


@cache
def prompt(name: Prompt) -> str:
    return (
        resources.files("everself.conversation.sessions").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    )


def spoken(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages that people and the agent said to each other."""
    return tuple(one for one in messages if one.role in NAMES and one.content.strip() and not is_aside(one))


def is_aside(message: Message) -> bool:
    """Whether the message is a command or system text, which only looks like a person's message."""
    return bool(message.meta.get("system")) or (message.role == "user" and message.content.startswith("/"))


def lines_of(messages: Iterable[Message], longest: int = 0) -> list[str]:
    """One line for each message, beginning with its speaker."""
    return [f"{NAMES[one.role]}: {_cut(' '.join(one.content.split()), longest)}" for one in spoken(messages)]


def digest_of(messages: Sequence[Message], earlier: str, tokens: int) -> str:
    """A summary made without a model: the beginnings of the newest messages that fit, after as much of the earlier summary as fits."""
    kept = _newest(lines_of(messages, LONGEST), tokens)
    rest = tokens - sum(map(estimate, kept))
    before = _newest(earlier.splitlines(), rest)
    return "\n".join((*before, *kept)).strip()


def material(messages: Sequence[Message], earlier: str, tokens: int) -> str:
    """The text that a model is given to summarise: the earlier summary, then the newest messages that fit."""
    before = [f"{EARLIER}\n{earlier}\n"] if earlier else []
    rest = tokens - sum(map(estimate, before))
    # one very long paste must not push everything else out
    longest = max(LONGEST, 2 * tokens // max(1, min(len(messages), 20)))
    return "\n".join((*before, *_newest(lines_of(messages, longest), rest)))


def _newest(lines: Sequence[str], tokens: int) -> list[str]:
    kept: list[str] = []
    for line in reversed(lines):
        tokens -= estimate(line) + 1
        if tokens < 0:
            break
        kept.append(line)
    return kept[::-1]


def _cut(text: str, longest: int) -> str:
    return f"{text[: longest - 1]}…" if longest and len(text) > longest else text
