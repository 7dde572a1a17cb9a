"""A model with a small window: a conversation goes on for long, and a message that does not fit is named as what it is."""

from pathlib import Path

import pytest
from tests.conversation.talks import done, notices, say, talking
from tools.bench.long_talk import hold

from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel

WINDOW = 8_192


def furnish(app: Runtime) -> None:
    """More memory than a small window holds."""
    workspace = Path(app.agent.workspace)
    facts = "".join(f"\n- Jar number {at} of the honey went to the neighbour at the corner." for at in range(300))
    records = "".join(
        f"\n## [09:00:00] correction on 2026-03-18\n\n- **Said:** the hive {at} is empty\n- **Right:** the hive {at} is full\n"
        for at in range(40)
    )
    log = "".join(f"\n## [09:{at:02}:00] note\n\nThe extractor turned {at} times.\n" for at in range(60))
    for name, text in (("MEMORY.md", facts), ("CORRECTIONS.md", records), ("memory/2026-03-18.md", log)):
        with (workspace / name).open("a", encoding="utf-8") as file:
            file.write(text)


@pytest.mark.slow
def test_sixty_turns_in_a_small_window_are_compacted_now_and_then(tmp_path: Path) -> None:
    talk = hold(tmp_path, turns=60, days=1, window=WINDOW, prepare=furnish)
    assert 0 < talk.compactions <= 10
    assert not [one for one in talk.notices if "too" in one or "window" in one]
    assert max(len(one.turns) for one in talk.requests) > 20


def test_a_message_that_leaves_no_room_is_said_to_be_too_long(tmp_path: Path) -> None:
    with talking(tmp_path, model=FakeModel("Fine.", window=WINDOW)) as (app, _):
        # a soul is never cut, so that a message of less than half the window does not fit beside it
        soul = Path(app.agent.workspace, "SOUL.md")
        soul.write_text("# Soul\n\n" + "You are Ada, who keeps the lamp. " * 250, "utf-8")
        session = app.chat.begin()
        say(app, "Good morning", session)
        events = say(app, "The supplier delivers within two days. " * 480, session)
        assert done(events).why == "failed"
        told = " ".join(notices(events))
        assert "The message is too long" in told
        assert "soul" not in told
        # and the conversation goes on
        assert done(say(app, "All right, never mind.", session)).why == "stop"


def test_a_short_message_is_never_blamed(tmp_path: Path) -> None:
    with talking(tmp_path, model=FakeModel("Fine.", window=1_200, most_output=600)) as (app, _):
        (told,) = notices(say(app, "Good morning"))
        assert "too long" not in told
