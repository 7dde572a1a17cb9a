"""The work of a turn does not grow with the conversation: counted in statements and rows of the databases, not in time."""

import asyncio
from pathlib import Path

import pytest
from tests.conversation.talks import hear, talking

from everself.storage.engine import Engine, Reader
from everself.testing.chat_model import FakeModel

pytestmark = pytest.mark.slow

TURNS = 90


def test_a_late_turn_asks_the_databases_for_no_more_than_an_early_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    rows, read = Reader.rows, Engine.read

    def count_rows(self: Reader, *given: object) -> object:
        found = rows(self, *given)  # type: ignore[arg-type]
        asked.append(1 + len(found))
        return found

    def count_read(self: Engine, *given: object) -> object:
        found = list(read(self, *given))  # type: ignore[arg-type]
        asked.append(1 + len(found))
        return found

    with talking(tmp_path, model=FakeModel(*["All right."] * TURNS)) as (app, _):

        async def run() -> list[int]:
            session = app.chat.begin()
            work = []
            for number in range(TURNS):
                asked.clear()
                await hear(app, f"And what is in jar {number}, next to the window?", session)
                work.append(sum(asked))
            return work

        monkeypatch.setattr(Reader, "rows", count_rows)
        monkeypatch.setattr(Engine, "read", count_read)
        work = asyncio.run(run())
    early, late = sorted(work[10:20])[5], sorted(work[-10:])[5]
    assert late <= 1.25 * early, work
