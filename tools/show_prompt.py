"""Writes docs/prompt.md: the complete request that a model receives in a workspace in use, for people to read.

usage: python -m tools.show_prompt [--check]     (--check says whether the page is what would be written)
"""

import asyncio
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import re2
from tools.bench.long_talk import opened

from everself.conversation.context.assembler import Assembler
from everself.conversation.context.request import Facts
from everself.models.chat._rendering import render_user
from everself.models.chat.protocol import ChatRequest, ModelTurn, ToolTurn, UserTurn
from everself.runtime import Runtime
from everself.testing.chat_model import Answer, FakeModel, call
from everself.testing.frozen_time import FrozenTime
from everself.text.tokens import count

PAGE: Final = Path(__file__).parents[1] / "docs" / "prompt.md"
NONCE: Final = "0123456789abcdef"
HEAD: Final = """# What a model is sent

One whole request, as it goes to a model on the second day of a conversation. It is written by `python -m tools.show_prompt` from a real
workspace, and a test holds it to what the code does. Read it when it changes: it is the product.

The order is that of the [cache](conversation.md#what-a-turn-sends): instructions, which stay the same for the whole conversation; what was
said, which only grows; and last, beside the newest message, what holds for this turn alone. The tools are sent beside it, as JSON schemas.
"""
FIRST: Final = (
    "My sister Ana moves to Porto in March 2027.",
    "My standup is every day at 9:30.",
    "We decided to ship the beta on the second of June.",
    "No, the standup is at 9:45, not 9:30.",
    "Thanks, that is all for today.",
)
SECOND: Final = ("Good morning. I take my coffee without sugar.", "When is my standup, and where does Ana move?")


def page() -> str:
    """The page, identical on every machine."""
    with tempfile.TemporaryDirectory(prefix="everself-prompt-") as folder:
        request = _lived(Path(folder))
    # ids of entries, which are new in each run
    name = re2.compile(r"\b[0-9A-HJKMNP-TV-Z]{12}\b")
    said = [_turn(turn) for turn in request.turns[:-1]]
    last = request.turns[-1]
    newest = f"{_turn(last)}\n\n[Context for this message, from the runtime, not from the person:]\n\n{request.delta.strip()}"
    tools = "\n".join(f"- `{tool.name}`: {tool.description}" for tool in request.tools)
    parts = (
        HEAD.strip(),
        f"## Tools\n\n{tools}",
        f"## Instructions\n\n{count(request.prefix):,} tokens.\n\n{_fenced(request.prefix)}",
        f"## What was said\n\n{_fenced(chr(10).join(said))}",
        f"## The newest message\n\n{_fenced(newest)}",
    )
    made: str = name.sub("ENTRYID", "\n\n".join(parts) + "\n")
    return made


def _lived(home: Path) -> ChatRequest:
    time = FrozenTime(datetime(2026, 3, 18, 8, 0, tzinfo=UTC))
    model = FakeModel(_answer)
    with opened(home, model, time, _settle) as app:
        asyncio.run(_talk(app, FIRST, time))
    time.advance(timedelta(hours=22))
    with opened(home, model, time, _settle) as app:
        asyncio.run(_talk(app, SECOND, time))
    return next(one for one in reversed(model.requests) if isinstance(one.turns[-1], UserTurn))


def _settle(app: Runtime) -> None:
    """Set up the workspace with a person, and without anything that differs between machines."""
    workspace = Path(app.agent.workspace)
    for name, blank, value in (
        ("IDENTITY.md", "_(what you are called)_", "Ada"),
        ("IDENTITY.md", "_(a fox, a lighthouse keeper, plain software: what are you?)_", "a lighthouse keeper"),
        ("USER.md", "_(their full name, or as much of it as they like to give)_", "Robin Vogel"),
        ("USER.md", "_(first name, nickname, a formal address?)_", "Robin"),
        ("USER.md", "_(such as Europe/Berlin or Asia/Seoul; it decides when a day begins)_", "Europe/Berlin"),
    ):
        text = (workspace / name).read_text("utf-8")
        (workspace / name).write_text(text.replace(blank, value), "utf-8")
    vars(app)["facts"] = lambda channel="": Facts("kettle", "fake/1", channel)
    inputs = app.prompt_inputs()
    vars(inputs.sources).update(nonce=lambda: NONCE, seal=lambda _: NONCE)
    vars(app)["assembler"] = Assembler(inputs)


def _answer(request: ChatRequest) -> Answer:
    last = request.turns[-1]
    if isinstance(last, ToolTurn):
        return "Ana moves to Porto." if "Porto" in last.returns[-1].content else "Noted."
    said = last.text if isinstance(last, UserTurn) else ""
    if said.startswith("We decided"):
        return call("memory_write", content=said)
    if said.endswith("?"):
        return call("memory_search", query="standup, Ana")
    return "All right." if said.startswith("No,") else "Good to know."


async def _talk(app: Runtime, said: tuple[str, ...], time: FrozenTime) -> None:
    session = app.chat.begin(resume="last")
    for text in said:
        async for _ in app.chat.converse(session, text):
            pass
        time.advance(timedelta(minutes=7))
    await app.chat.close(session)


def _turn(turn: UserTurn | ModelTurn | ToolTurn) -> str:
    match turn:
        case UserTurn():
            return f"user: {render_user(turn)}"
        case ModelTurn():
            calls = "".join(f"\n  calls {one.name} {one.arguments}" for one in turn.calls)
            return f"assistant: {turn.text}{calls}"
        case ToolTurn():
            return "\n".join(f"tool: {one.name} → {one.content[:200]}" for one in turn.returns)


def _fenced(text: str) -> str:
    return f"~~~~text\n{text.strip()}\n~~~~"


def main(arguments: list[str]) -> int:
    made = page()
    if "--check" in arguments:
        return int(PAGE.read_text("utf-8") != made)
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
