"""Ordinary work without text from outside: three hundred turns, in which the owner is asked hardly anything."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.conversation.talks import hear, talking

from everself.conversation.events import Notice
from everself.testing.chat_model import FakeModel, call

EVERYDAY = Path(__file__).resolve().parents[1] / "corpora" / "provenance" / "everyday" / "statements.jsonl"
TURNS = 300
MOST_ASKED = 2


@pytest.mark.slow
def test_three_hundred_ordinary_turns_ask_the_owner_at_most_twice(tmp_path: Path) -> None:
    said = [json.loads(line)["text"] for line in EVERYDAY.read_text("utf-8").splitlines()]
    questions = ["What did I tell you about my work?", "What is on for tomorrow?", "Can you draft a short mail?"]
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()
        asked: list[str] = []
        for turn in range(TURNS):
            text = said[turn % len(said)] if turn % 3 else questions[turn // 3 % len(questions)]
            steps = (
                [call("memory_search", query=text[:60])],
                [call("memory_write", content=text, explicit=turn % 10 == 0)],
            )
            work = [call("file_write", path=f"drafts/{turn}.txt", content=f"Draft {turn}: {text}")]
            script = (*steps, work, "Done.") if turn % 5 == 0 else (*steps, "Done.")
            app.chat.use(FakeModel(*script, name="fair/1"))
            events = asyncio.run(hear(app, text, session))
            asked += [one.text for one in events if isinstance(one, Notice) and one.level == "warning"]
            if turn % 60 == 59:
                session = asyncio.run(app.chat.renew(session)).session
            assert app.log.fresh(session).taint == "own", text
        waiting = [one for one in app.state.reviews.waiting() if one.kind != "promotion"]
        assert len(waiting) + len(asked) + len(app.growth.open()) <= MOST_ASKED, (asked, waiting)
