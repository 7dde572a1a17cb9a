"""What a model is shown of stored messages, also where a process was killed half way."""

from everself.conversation.sessions.history import BROKEN_OFF, turns_of
from everself.conversation.sessions.log import SessionLog
from everself.models.chat.protocol import ModelTurn, ToolCall, ToolReturn, ToolTurn, UserTurn


def test_calls_and_returns_stand_together_in_the_order_of_the_calls(log: SessionLog):
    session = log.begin()
    log.add(session, "user", "Look.")
    log.add(session, "assistant", "Looking.", meta={"calls": [["a", "one", "{}"], ["b", "two", "{}"]]})
    log.add(session, "tool", "second", meta={"call": "b", "name": "two", "failed": True})
    log.add(session, "tool", "first", meta={"call": "a", "name": "one"})
    log.add(session, "assistant", "Done.")
    assert turns_of(log.messages(session)) == (
        UserTurn("Look."),
        ModelTurn("Looking.", (ToolCall("a", "one", "{}"), ToolCall("b", "two", "{}"))),
        ToolTurn((ToolReturn("a", "one", "first"), ToolReturn("b", "two", "second", failed=True))),
        ModelTurn("Done."),
    )


def test_a_call_that_a_killed_process_left_is_answered_as_broken_off(log: SessionLog):
    session = log.begin()
    log.add(session, "user", "Look.")
    log.add(session, "assistant", "", meta={"calls": [["a", "one", "{}"], ["b", "two", "{}"]]})
    log.add(session, "tool", "first", meta={"call": "a", "name": "one"})
    log.add(session, "user", "Are you there?")
    turns = turns_of(log.messages(session))
    assert turns[2] == ToolTurn((ToolReturn("a", "one", "first"), ToolReturn("b", "two", BROKEN_OFF, failed=True)))
    assert turns[3] == UserTurn("Are you there?")


def test_a_return_whose_call_was_summarised_and_an_empty_reply_are_left_out(log: SessionLog):
    session = log.begin()
    log.add(session, "tool", "late", meta={"call": "gone", "name": "one"})
    log.add(session, "assistant", " ", meta={"why": "cancelled"})
    log.add(session, "user", "Go on.")
    shown = turns_of(log.messages(session), "Alex lives in Oslo.")
    assert len(shown) == 2
    assert isinstance(shown[0], UserTurn)
    assert shown[0].text.endswith("Alex lives in Oslo.")
    assert shown[1] == UserTurn("Go on.")
