"""A scripted conversation of three days, and the requests that a model received for it.

The person tells, asks, pastes and chats; the model sometimes searches and writes memory, as AGENTS.md asks. Each
morning another process continues the conversation. Everything but the model and the time is the product's.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from everself.agent import open_runtime
from everself.conversation.events import Notice
from everself.models.chat.protocol import ChatModel, ChatRequest, ToolTurn, UserTurn
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.testing.chat_model import Answer, FakeModel, call
from everself.testing.frozen_time import FrozenTime

DAYS = 3
TURNS = 120

FACTS = (
    "My sister Ana moves to Porto in March.",
    "We decided to ship the beta on the second of June.",
    "My standup is every day at 9:30.",
    "I take my coffee without sugar.",
    "The staging server is called heron.",
    "Our landlord is Mr. Okafor, and the rent is due on the third.",
    "I am allergic to hazelnuts.",
    "Jun reviews everything that touches billing.",
    "The car has its inspection in October.",
    "I want to read more novels this year.",
)
CHAT = (
    "Good morning!",
    "What a day.",
    "Can you say that in fewer words?",
    "Thanks, that helps.",
    "I had noodles for lunch, nothing special.",
    "Write me two sentences that decline an invitation politely.",
    "Hm, let me think about it.",
    "What would you do first?",
    "Give me three names for a cat.",
    "All right, on to the next thing.",
)
QUESTIONS = (
    "Where does Ana move?",
    "When do we ship the beta?",
    "What is the staging server called?",
    "Who reviews billing?",
    "What am I allergic to?",
    "When is the rent due?",
)
CORRECTIONS = ("No, the standup is at 9:45, not 9:30.",)
PASTE = "Please sum this up:\n\n" + "\n".join(
    f"> Clause {at}: the supplier delivers within {at + 2} working days after the order has been confirmed in writing."
    for at in range(1, 25)
)
REPLY = (
    "That sounds sensible. I would begin with the smallest step that shows whether it works, write down what came of it, and decide "
    "about the rest tomorrow. If something is in the way, tell me what it is, and we look at it together. "
)


@dataclass(frozen=True, slots=True)
class LongTalk:
    """The result: every request that was sent, in order, and the replies."""

    requests: tuple[ChatRequest, ...]
    notices: tuple[str, ...]
    compactions: int


def script(turns: int = TURNS) -> list[str]:
    """The person's messages."""
    said: list[str] = []
    for at in range(turns):
        kind = at % 6
        if at and at % 40 == 0:
            said.append(PASTE)
        elif at % 37 == 36:
            said.append(CORRECTIONS[0])
        elif kind in (1, 4):
            said.append(FACTS[(at // 3) % len(FACTS)])
        elif kind == 3:
            said.append(QUESTIONS[at // 6 % len(QUESTIONS)])
        else:
            said.append(CHAT[at % len(CHAT)])
    return said


def answer(request: ChatRequest) -> Answer:
    """A model's answer: it searches memory for questions and writes down facts."""
    last = request.turns[-1]
    if not request.tools:
        return "They talked about work and home."
    if isinstance(last, ToolTurn):
        if last.returns[-1].name == "memory_search" and "MEMORY.md" in last.returns[-1].content:
            return call("memory_get", path="MEMORY.md")
        return "Done. " + REPLY
    said = last.text if isinstance(last, UserTurn) else ""
    if said in QUESTIONS:
        return call("memory_search", query=said)
    if said in FACTS:
        return call("memory_write", content=said)
    return REPLY * (1 + len(said) % 4)


@contextmanager
def opened(
    home: Path, model: ChatModel, time: FrozenTime | None = None, prepare: Callable[[Runtime], None] = lambda _: None
) -> Iterator[Runtime]:
    """An agent with this model, in a home that may have been used before. `prepare` is called before the first message."""
    folder = home / "everself"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "agents": {"defaults": {"memorySearch": {"provider": "none"}}},
        "history": {"enabled": False},
    }
    (folder / "everself.json5").write_text(json.dumps(settings))
    environ = {"HOME": str(home), "EVERSELF_HOME": str(folder), "EVERSELF_KEYS": f"{home}/keys"}
    with open_runtime(environ=environ) as app:
        if time is not None:
            app.clock = time.clock("Europe/Berlin")
        if not Path(app.agent.workspace, "SOUL.md").exists():
            set_up(app)
        prepare(app)
        app.chat.use(model)
        yield app


def hold(
    home: Path,
    *,
    turns: int = TURNS,
    days: int = DAYS,
    window: int = 128_000,
    prepare: Callable[[Runtime], None] = lambda _: None,
) -> LongTalk:
    """Hold the conversation in this home. `prepare` is called each morning before the first message."""
    time = FrozenTime()
    model = FakeModel(answer, window=window)
    said = script(turns)
    notices: list[str] = []
    a_day = -(-turns // days)
    for day in range(days):
        with opened(home, model, time, prepare) as app:
            notices += asyncio.run(_talk(app, said[day * a_day : (day + 1) * a_day], time))
        time.advance(timedelta(hours=14))
    compactions = sum(one.prefix.startswith("You make a record") for one in model.requests)
    return LongTalk(tuple(model.requests), tuple(notices), compactions)


async def _talk(app: Runtime, said: Sequence[str], time: FrozenTime) -> list[str]:
    session = app.chat.begin(resume="last")
    told: list[str] = []
    for text in said:
        told += [event.text async for event in app.chat.converse(session, text) if isinstance(event, Notice)]
        time.advance(timedelta(minutes=4))
    return told
