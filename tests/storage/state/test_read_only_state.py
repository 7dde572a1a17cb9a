"""What stands in for a state that cannot be used: it takes what can be derived again, and refuses what would have to last."""

from pathlib import Path

import pytest

from everself.errors import Damaged, ReadOnlyDisk
from everself.storage.state.database import open_state
from everself.storage.state.read_only_state import open_read_only_state

KEY = bytes(range(32))


def test_it_refuses_whatever_would_have_to_last(tmp_path: Path) -> None:
    state, why = open_read_only_state(str(tmp_path / "state.db"), KEY, Damaged("broken", mend="everself doctor --fix"))
    with state:
        with pytest.raises(Damaged) as raised:
            state.set_meta("a", "b")
        assert raised.value.mend == why.mend == "everself doctor --fix"
        state.entries.replace([], [], [], [], "2026-01-01")
    assert list(tmp_path.iterdir()) == []


def test_on_a_disk_that_cannot_be_written_it_is_a_copy(tmp_path: Path) -> None:
    path = str(tmp_path / "state.db")
    with open_state(path, KEY) as real:
        real.set_meta("a", "b")
    state, why = open_read_only_state(path, KEY, ReadOnlyDisk(path))
    with state:
        assert isinstance(why, ReadOnlyDisk)
        assert state.get_meta("a") == "b"
        with pytest.raises(ReadOnlyDisk):
            state.set_meta("a", "c")
