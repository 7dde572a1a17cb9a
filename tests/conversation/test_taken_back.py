"""What a person undid or deleted is not written again from the same message; said anew, it is kept."""

import asyncio
from pathlib import Path
from typing import get_args

import pytest
from tests.conversation.talks import hear, talking

from everself.conversation.sessions.checkpoint import Fate
from everself.interfaces.rendering import sessions as rendering
from everself.operations.changes import undo_change
from everself.runtime import Runtime
from everself.testing.chat_model import call

LOCKER = "My locker has the number 212."
ANA = "My sister Ana moves to Porto in March 2027."
NOTE = "Ana, the owner's sister, moves to Porto in March 2027."


def open_texts(app: Runtime) -> list[str]:
    return [
        one.text for one in app.memory.catalog.all() if one.path.startswith(("MEMORY", "memory/")) and not one.closed
    ]


def undo_last(app: Runtime) -> str:
    done = undo_change(app.workspace, app.workspace.changes(1)[0].id).applied
    assert done
    return done


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["", "Remember: "])
def test_what_was_undone_stays_away(tmp_path: Path, asked: str) -> None:
    with talking(tmp_path, answered=False) as (app, _):

        async def run() -> None:
            session = app.chat.begin()
            await hear(app, f"{asked}{LOCKER}", session)
            assert open_texts(app) == [LOCKER]
            undo_last(app)
            assert [one.fate for one in app.checkpoint.plan(session)] == ["undone"]
            # each turn, and the end of a conversation, keeps what was said before
            await hear(app, "Good night!", session)
            await app.chat.close(session)
            assert open_texts(app) == []
            # another message may say it
            await hear(app, f"{asked}{LOCKER}", session)
            assert open_texts(app) == [LOCKER]

        asyncio.run(run())


@pytest.mark.slow
def test_an_undone_note_does_not_come_back_in_the_owners_words(tmp_path: Path) -> None:
    with talking(tmp_path, [call("memory_write", content=NOTE)], "Noted.") as (app, _):

        async def run() -> None:
            session = app.chat.begin()
            await hear(app, f"{ANA} I am allergic to penicillin.", session)
            assert open_texts(app) == [NOTE]
            undone = undo_last(app)
            # what nobody wrote down is kept all the same
            assert [(one.fate, one.new_entry.text) for one in app.checkpoint.plan(session)] == [
                ("new", "I am allergic to penicillin.")
            ]
            # the undo was undone: the note is there again and tells it
            assert undo_change(app.workspace, undone).applied
            await app.chat.close(session)
            assert open_texts(app) == [NOTE, "I am allergic to penicillin."]

        asyncio.run(run())


@pytest.mark.slow
def test_what_was_deleted_in_an_editor_stays_away(tmp_path: Path) -> None:
    with talking(tmp_path, answered=False) as (app, _):

        async def run() -> None:
            session = app.chat.begin()
            await hear(app, LOCKER, session)
            (entry,) = (one for one in app.memory.catalog.all() if one.text == LOCKER)
            Path(app.agent.workspace, entry.path).write_text("# Memory Log\n", "utf-8")
            await hear(app, "Good night!", session)
            await app.chat.close(session)
            assert open_texts(app) == []

        asyncio.run(run())


def test_each_fate_has_words() -> None:
    assert set(rendering._FATES) == set(get_args(Fate))
