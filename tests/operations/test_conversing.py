"""The verb ask: one message in, one reply out, with what was done for it."""

from pathlib import Path

import pytest
from tests.conversation.talks import talking

from everself.errors import ModelFailed, WrongUse
from everself.operations.caller import AT_TERMINAL
from everself.operations.conversation import AskRequest, Reply
from everself.operations.conversation import ask as run_ask
from everself.runtime import Runtime
from everself.testing.chat_model import call


def ask(app: Runtime, text: str, resume: str = "") -> Reply:
    return run_ask(app, AT_TERMINAL, AskRequest(text=text, resume=resume))


def test_a_message_is_answered_with_what_was_done_for_it(tmp_path: Path) -> None:
    with talking(tmp_path, [call("memory_write", content="I sail")], "Written.") as (app, _):
        reply = ask(app, "I sail")
        assert (reply.text, reply.why, reply.failed) == ("Written.", "stop", False)
        assert [one.words for one in reply.written] == ["I sail"]
        assert reply.tools == ("memory_write",)
        again = ask(app, "And?", resume=reply.session)
        assert again.session == reply.session
        # leaving made a checkpoint, which doubled nothing
        assert len(app.memory.catalog.all()) == 1


def test_a_model_that_fails_is_told_as_a_value(tmp_path: Path) -> None:
    with talking(tmp_path, ModelFailed("Gone.", reason="network", mend="Look at the cable.")) as (app, _):
        reply = ask(app, "Hello")
        assert reply.failed
        assert [(one.text, one.mend) for one in reply.notices] == [
            ("The model did not answer. Gone.", "Look at the cable.")
        ]


def test_saying_nothing_is_no_message(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, model):
        with pytest.raises(WrongUse):
            ask(app, "  ")
        assert not model.requests
