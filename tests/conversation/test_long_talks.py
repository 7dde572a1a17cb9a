"""A conversation of three hundred turns: it is compacted several times, and every fact that was planted is found afterwards."""

import asyncio
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tests.conversation.talks import hear, talking

from everself.conversation.compaction import NO_REPLY
from everself.conversation.sessions.session import Session
from everself.models.chat.protocol import ChatRequest, ToolTurn, UserTurn
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.testing.chat_model import Answer, FakeModel, call

WINDOW = 16_000
TALK = (
    "What do you think about that?",
    "Go on.",
    "Could you say this in other words?",
    "Thanks, that helps.",
    "Show me the next step please.",
)
PLACES = ("kitchen", "garden", "office", "cellar", "attic", "garage", "boat", "studio", "library", "shed")


def planted(number: int) -> tuple[str, str]:
    """A fact, and the word by which it is known."""
    word = f"Quor{number:03}"
    kinds = (
        f"My colleague in the {PLACES[number % 10]} project is called {word}.",
        f"We decided to use {word} for the {PLACES[number % 10]}.",
        f"I moved the {PLACES[number % 10]} meeting to the room {word}.",
        f"I prefer {word} when I work in the {PLACES[number % 10]}.",
    )
    return kinds[number % len(kinds)], word


def answering(writes: bool) -> FakeModel:
    def answer(request: ChatRequest) -> Answer:
        last = request.turns[-1]
        if request.prefix.startswith("You make a record"):
            return "They talked about many things."
        if isinstance(last, ToolTurn):
            return NO_REPLY if "NO_REPLY" in str(request.turns[-3:]) else "Noted."
        if isinstance(last, UserTurn) and NO_REPLY in last.text:
            return NO_REPLY
        if writes and isinstance(last, UserTurn) and "Quor" in last.text:
            return call("memory_write", content=last.text)
        return "Well, that is one way to look at it. " * 60

    return FakeModel(answer, window=WINDOW)


async def converse(app: Runtime, session: Session, turns: int, random: Random) -> dict[str, int]:
    """Say that many things; which facts were planted, by the turn."""
    facts: dict[str, int] = {}
    for turn in range(turns):
        text, word = planted(turn) if random.random() < 0.25 else (random.choice(TALK), "")
        facts |= {word: turn} if word else {}
        await hear(app, text, session)
    return facts


@pytest.mark.slow
@pytest.mark.parametrize("writes", [True, False], ids=["a model that writes", "a model that never writes memory"])
def test_every_fact_of_a_long_conversation_is_found_afterwards(tmp_path: Path, writes: bool, seed: int) -> None:
    with talking(tmp_path, model=answering(writes)) as (app, model):
        session = app.chat.begin()
        facts = asyncio.run(converse(app, session, 300, Random(seed)))
        asyncio.run(app.chat.close(session))
        compactions = sum(one.prefix.startswith("You make a record") for one in model.requests)
        assert compactions >= 3
        assert app.log.fresh(session).compacted > 400
        assert len(facts) > 50
        times = Counter(word for one in app.memory.catalog.all() for word in facts if word in one.text)
        assert times == Counter(dict.fromkeys(facts, 1))
        for word in facts:
            hits = app.recall.search(RecallRequest(word)).hits
            assert any(word in hit.text for hit in hits), word
    # and by whoever comes after
    with talking(tmp_path) as (app, _):
        assert len(app.log.messages(session)) >= 600
        assert all(app.recall.search(RecallRequest(word)).hits for word in facts)
