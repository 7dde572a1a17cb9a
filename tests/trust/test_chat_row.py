"""R2-CHAT at CI size, and that the row would notice a message that is told before it is kept."""

from pathlib import Path

import pytest
from tests.trust.rows import r02_chat
from tests.trust.rows.r02_chat import run_r2_chat

pytestmark = pytest.mark.trust


def test_r2_chat_what_was_accepted_is_kept_through_kills(seed: int) -> None:
    print(run_r2_chat(15, seed))


@pytest.mark.parametrize("lie", ["accepted ZZZZZZZZZZZZ I was never kept.", "resumed ZZZZZZZZZZZZ 0"])
def test_a_message_that_is_lost_and_a_conversation_that_begins_anew_are_found(
    monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    honest = r02_chat._kill_one

    def lying(home: Path, seed: int, random: object) -> tuple[list[str], bool]:
        lines, killed = honest(home, seed, random)
        return [*lines, lie], killed

    monkeypatch.setattr(r02_chat, "_kill_one", lying)
    with pytest.raises(AssertionError):
        run_r2_chat(4, 1)
