"""Thinking that a vendor signs goes back to it while its tools are called, and nowhere else."""

import json
from pathlib import Path

import pytest
from tests.conversation.talks import done, say, talking
from tests.models.chat.asking import model_at
from tests.models.chat.servers import Call, Reply, Server, serve
from tests.models.chat.servers import say as words

from everself.runtime import Runtime

# the vendors' packages take seconds to import
pytestmark = pytest.mark.slow

SIGNATURE = "c2lnbmVkLWJ5LXRoZS12ZW5kb3I="
THOUGHT = "The person asks about the boat, so I look it up."
LOOK = Reply(
    text=("I look.",),
    thinking=THOUGHT,
    signature=SIGNATURE,
    calls=(Call("memory_search", '{"query": "boat"}', "c1"),),
)


def stored(app: Runtime) -> str:
    return str([(one.content, one.meta) for session in app.log.list() for one in app.log.messages(session)])


def converse(app: Runtime, server: Server, *said: str) -> list[dict[str, object]]:
    """What was sent for these messages."""
    app.chat.use(model_at(server))  # type: ignore[arg-type]
    session = app.chat.begin()
    for text in said:
        assert done(say(app, text, session)).why == "stop"
    return [one.body for one in server.asked]


def test_signed_thinking_goes_back_with_the_results_of_its_calls(tmp_path: Path) -> None:
    with serve("anthropic", LOOK, words("No boat."), words("Good.")) as server, talking(tmp_path) as (app, _):
        first, second, third = converse(app, server, "Have I a boat?", "Thanks.")
        kept = stored(app)
    answered = next(one for one in second["messages"] if one["role"] == "assistant")  # type: ignore[attr-defined]
    assert [block["type"] for block in answered["content"]] == ["thinking", "text", "tool_use"]
    assert answered["content"][0] == {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE}
    assert answered["content"][2]["id"] == "c1"
    # neither in the turns that follow nor in what is kept
    assert THOUGHT not in json.dumps([first, third])
    assert "memory_search" in json.dumps(third["messages"])
    assert THOUGHT not in kept
    assert SIGNATURE not in kept


def test_thinking_without_a_signature_is_not_sent_back(tmp_path: Path) -> None:
    """Anthropic would be shown it as words of the assistant, which teaches the model to think aloud."""
    unsigned = Reply(thinking=THOUGHT, calls=LOOK.calls)
    with serve("anthropic", unsigned, words("No boat.")) as server, talking(tmp_path) as (app, _):
        bodies = converse(app, server, "Have I a boat?")
    assert THOUGHT not in json.dumps(bodies)


def test_a_signed_call_goes_back_signed(tmp_path: Path) -> None:
    with serve("gemini", LOOK, words("No boat."), words("Good.")) as server, talking(tmp_path) as (app, _):
        _, second, third = converse(app, server, "Have I a boat?", "Thanks.")
    assert SIGNATURE in json.dumps(second)
    assert SIGNATURE not in json.dumps(third)


def test_what_is_forgotten_meanwhile_does_not_go_back_as_a_thought(tmp_path: Path) -> None:
    with serve("anthropic", LOOK, words("No boat.")) as server, talking(tmp_path) as (app, _):
        # something is forgotten before the second request: it is put together anew from what is stored
        generations = iter([0, 0, *[1] * 50])
        vars(app.chat.shared)["generation"] = lambda: next(generations)
        bodies = converse(app, server, "Have I a boat?")
    assert len(bodies) == 2
    assert THOUGHT not in json.dumps(bodies[1])
