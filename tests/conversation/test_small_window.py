"""A model with a small window: a conversation goes on for long, and a message that does not fit is named as what it is."""

import asyncio
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


def test_making_room_that_frees_nothing_keeps_the_prefix(tmp_path: Path) -> None:
    with talking(tmp_path, "Noted.") as (app, model):
        session = app.chat.begin()
        say(app, "I keep bees.", session)
        # the only exchange always stays
        assert asyncio.run(app.chat.compact(session)).session.compacted == 0
        Path(app.agent.workspace, "USER.md").write_text("# User\n\n- **Name:** Robin\n", "utf-8")
        say(app, "And I sail.", session)
        assert len({one.prefix for one in model.requests}) == 1
        assert "Robin" in model.requests[-1].delta


def test_a_message_that_nearly_fills_the_window_keeps_the_prefix_for_the_next_turn(tmp_path: Path) -> None:
    """Room is looked for, and there is none to be made: the vendor's cache stays good all the same."""
    with talking(tmp_path, model=FakeModel("Fine.", window=WINDOW)) as (app, model):
        session = app.chat.begin()
        assert done(say(app, "The supplier delivers within two days. " * 520, session)).why == "stop"
        kept = app.chat.shared.prefix(session.id, app.state.scrub.generation())
        assert kept is not None
        assert kept.text == model.requests[-1].prefix
