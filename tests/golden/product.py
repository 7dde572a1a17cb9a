"""All that the golden tests know of the modules of Everself. A module that moves is followed here and nowhere else.

Meant for a process of its own: what is replaced here stays replaced.
"""

import asyncio
import os
import platform
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from random import Random
from types import SimpleNamespace
from typing import TypeVar

import click

from everself import __version__, clock, values
from everself.conversation.context import framing
from everself.interfaces.cli.entry import run
from everself.interfaces.cli.root import everself as root
from everself.models.chat._remote import RemoteChatModel
from everself.models.chat.protocol import ChatRequest, ReplyPart
from everself.models.embedding import _factory as embedding_factory
from everself.testing.chat_model import Answer, FakeModel, call

__all__ = ["VERSION", "call", "freeze", "leaves", "run", "script_model", "seed_ids"]

T = TypeVar("T")
VERSION = __version__
# Limits of time are so much longer than they say: a slow machine must not see less embedded than a fast one.
_SLOWER = 1_000


def leaves(command: click.Command = root, name: str = "") -> Iterator[str]:
    """Every command that can be called, such as `memory bank add`."""
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for inner in command.list_commands(context):
        found = command.get_command(context, inner)
        assert found is not None
        yield from leaves(found, f"{name} {inner}".strip())


def freeze() -> None:
    """Durations are next to nothing; what would run side by side runs in its order; nothing is started beside this process."""
    clock.time = SimpleNamespace(monotonic=lambda: time.monotonic() / _SLOWER, sleep=time.sleep)
    os.posix_spawn = lambda *_, **__: 0
    # how far the better model gets in idle time depends on the machine
    embedding_factory.has_quality = lambda: False
    asyncio.to_thread = _at_once
    platform.node = lambda: "host"


async def _at_once(work: Callable[..., T], /, *arguments: object, **named: object) -> T:
    return work(*arguments, **named)


def seed_ids(seed: str) -> None:
    """Ids and keys are drawn from this seed from now on, in each thread from another: who comes first may not matter."""
    streams: dict[str, Random] = {}

    def draw(count: int) -> bytes:
        thread = threading.current_thread()
        name = "" if thread is threading.main_thread() else thread.name
        return streams.setdefault(name, Random(f"{seed} {name}")).randbytes(count)

    os.urandom = draw
    random._urandom = draw  # SystemRandom holds a name of its own for it
    values.new_id.__defaults__ = (draw,)
    framing.new_nonce.__defaults__ = (draw,)


def script_model(answers: Sequence[Answer]) -> FakeModel:
    """Every model that is not the reflex gives these answers, one a request."""
    model = FakeModel(*answers)

    def stream(_: RemoteChatModel, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        return model.stream(request)

    RemoteChatModel.stream = stream  # type: ignore[method-assign, assignment]
    return model
