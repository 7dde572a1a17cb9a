"""Messages as plain lines for people and models, without tool calls, commands and system text. Pure."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Final, Literal

from everself.conversation.sessions.session import Message
from everself.text.tokens import estimate

Prompt = Literal["flush", "summary", "note"]
NAMES: Final = {"user": "User", "assistant": "Assistant"}
# a line of a summary without a model: enough to know what it was about, and to find it again
LONGEST: Final = 240
EARLIER: Final = "Earlier:"


@cache
def prompt(name: Prompt) -> str:
    return (
        resources.files("everself.conversation.sessions").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    )


def spoken(messages: Iterable[Message]) -> tuple[Message, ...]:
    """What people and the agent said to each other."""
    return tuple(one for one in messages if one.role in NAMES and one.content.strip() and not is_aside(one))


def is_aside(message: Message) -> bool:
    """A command, or text of the system that only looks like somebody's."""
    return bool(message.meta.get("system")) or (message.role == "user" and message.content.startswith("/"))


def lines_of(messages: Iterable[Message], longest: int = 0) -> list[str]:
    """One line for each, with who said it."""
    return [f"{NAMES[one.role]}: {_cut(' '.join(one.content.split()), longest)}" for one in spoken(messages)]


def digest_of(messages: Sequence[Message], earlier: str, tokens: int) -> str:
    """A summary without a model: how each message begins, the newest as far as there is room, after what an earlier one says."""
    kept = _newest(lines_of(messages, LONGEST), tokens)
    rest = tokens - sum(map(estimate, kept))
    before = _newest(earlier.splitlines(), rest)
    return "\n".join((*before, *kept)).strip()


def material(messages: Sequence[Message], earlier: str, tokens: int) -> str:
    """What a model is given to summarise: as much of the end as there is room for, after what was summarised before."""
    before = [f"{EARLIER}\n{earlier}\n"] if earlier else []
    rest = tokens - sum(map(estimate, before))
    # one endless paste must not push everything else out
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
