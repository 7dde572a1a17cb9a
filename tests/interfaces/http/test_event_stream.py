"""A stream of events: a comment while there are none, and what goes wrong told by its code or, once it has begun, in the stream."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.problems import Problem, Refused, refuse


def play(source: AsyncIterator[bytes], **more: Any) -> list[Any]:
    """What is sent; the client stays."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        await asyncio.Event().wait()

    asyncio.run(EventStream(source, quiet=0.02, **more)({}, receive, send))
    return sent


async def failing(*events: str, wait: float = 0.0) -> AsyncIterator[bytes]:
    for event in events:
        yield event_lines(event)
    await asyncio.sleep(wait)
    raise refuse(502, "model-failed", "There was no whole reply", "It is on fire.")


def worded(problem: Problem) -> bytes:
    return event_lines(problem.detail, "error")


def test_what_fails_before_the_first_event_is_answered_with_a_code() -> None:
    with pytest.raises(Refused):
        play(failing(), worded=worded)


@pytest.mark.parametrize(("events", "wait"), [(("One",), 0.0), ((), 0.05)])
def test_what_fails_later_is_told_in_the_stream_also_where_only_comments_were_sent(
    events: tuple[str, ...], wait: float
) -> None:
    sent = play(failing(*events, wait=wait), worded=worded)
    bodies = [one.get("body", b"") for one in sent]
    assert sent[0]["status"] == 200
    assert bodies[-2] == b"event: error\ndata: It is on fire.\n\n"
    assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
    assert events or bodies[1] == b": still here\n\n"


def test_without_words_for_it_the_connection_ends_before_its_end() -> None:
    with pytest.raises(Refused):
        play(failing("One"))
