"""Who has the sentence encoder at hand to classify: a conversation and the keepers, and no command that only writes or reads a memory."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.runtime.test_assembling import home, living

from everself.classify import encoder
from everself.memory.provenance import stated_by_owner
from everself.memory.writing import NewEntry

__all__ = ["home"]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    found: list[object] = []
    note: Callable[[object], None] = found.append
    monkeypatch.setattr(encoder, "offer", note)
    return found


def test_a_memory_is_written_without_it(home: Path, offered: list[object]) -> None:
    with living(home) as app:
        app.memory.remember(NewEntry("My cat is called Miso.", stated_by_owner("cli", "add")))
    assert offered == []


def test_who_reads_messages_has_it(home: Path, offered: list[object]) -> None:
    with living(home) as app:
        app._open_triage()
        assert len(offered) == 1
        assert callable(offered[0])
