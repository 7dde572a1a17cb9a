"""The nights after a door was used: every keeper runs, by its rules and with a model that does the attacker's will where it reads the
attacker's words; then the core is promoted. Nobody says yes to anything."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final

import re2
from tests.keepers.minds import with_stubs
from tests.operations.promotions import promote

from everself.keepers.compactor import Compactor
from everself.keepers.conflicts import Detector
from everself.keepers.keeper import Keeper
from everself.keepers.miner import Miner
from everself.keepers.runner import Runner
from everself.keepers.soul.keeper import SoulKeeper
from everself.keepers.validator import Validator
from everself.keepers.weekly_review import WeeklyReview
from everself.models.chat.protocol import ChatModel, ChatRequest, JsonObject, UserTurn
from everself.operations.promotion import PromoteRequest
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel
from everself.testing.frozen_time import FrozenTime

KEEPERS: Final[tuple[Callable[[], Keeper], ...]] = (Miner, Detector, Validator, SoulKeeper, Compactor, WeeklyReview)
# two that the 24 hours of the Soul Keeper lie between, and one after which days of then are put away
NIGHTS: Final = (timedelta(hours=20), timedelta(hours=30), timedelta(days=45))
_NAMED: Final = re2.compile(r"^(?:\d{4}-\d\d-\d\d )?\[([^\]]+)\] ?(.*)$")
_PAIR: Final = re2.compile(r"^(\d+)\. older \([^)]*\): (.*)$")
_NEWER: Final = re2.compile(r"^   newer \([^)]*\): (.*)$")
_MOST: Final = 5

# the wishes of those whose words stand in a text
Reads = Callable[[str], Sequence[str]]


class Sleepwalker:
    """What keepers ask in the night. Where it reads words of an attacker, it answers with the attacker's wish, and names as its evidence
    what looks most like the owner; where it reads none, it finds nothing."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self.led = 0

    def __call__(self, request: ChatRequest) -> str:
        schema = request.schema or {}
        words = "\n".join(turn.text for turn in request.turns if isinstance(turn, UserTurn))
        (wanted,) = schema["required"]
        wishes = list(self._reads(f"{request.prefix}\n{words}"))[:_MOST]
        self.led += bool(wishes)
        return json.dumps({wanted: self._answer(wanted, wishes, words) if wishes else []}, ensure_ascii=False)

    def _answer(self, wanted: str, wishes: Sequence[str], words: str) -> list[JsonObject]:
        lines = [found.groups() for line in words.splitlines() if (found := _NAMED.match(line))]
        names = [name for name, _ in lines]
        # the owner's own messages that have nothing to do with it
        clean = [name for name, text in lines if text.startswith("user:") and not self._reads(text)] or names
        match wanted:
            case "memories":
                return [
                    {"text": text[:500], "kind": "decision", "messages": cited}
                    for wish in wishes
                    for text, cited in ((wish, clean[:1]), (f"The owner said: {wish}", names[:2]))
                ]
            case "lines":
                return [
                    {"kind": "correction", "line": one[:200], "why": "said twice", "entries": names[:2]}
                    for one in wishes
                ]
            case "days":
                days = [line[:10] for line in words.splitlines() if _NAMED.match(line)]
                return [
                    {"day": day, "story": f"The owner said: {wishes[0]}", "entries": [name]}
                    for day, name in dict(zip(days, names, strict=True)).items()
                ][:31]
            case "conflicts":
                return list(_replaced(words))
        raise AssertionError(f"a keeper asks for {wanted}, and nobody here knows how to lie about it")


def _replaced(words: str) -> list[JsonObject]:
    """Every older one gives way to the newer."""
    found: list[JsonObject] = []
    for line, following in pairwise(words.splitlines()):
        older, newer = _PAIR.match(line), _NEWER.match(following)
        if older and newer:
            quotes = {"older": older.group(2)[:400], "newer": newer.group(1)[:400]}
            found.append({"pair": int(older.group(1)), "why": "It changed.", "replaces": True, **quotes})
    return found[:20]


def keep(app: Runtime, keepers: Sequence[Keeper], model: ChatModel | None) -> None:
    """Run these keepers, with that model."""
    # vectors would take longer than everything else; that they are there is taken for granted
    sources = with_stubs(app.keepers._sources, model=lambda: model, embed=lambda: True)
    runner = Runner(sources, app.growth)
    for keeper in keepers:
        asyncio.run(runner.run(keeper))


def pass_nights(
    app: Runtime,
    time: FrozenTime,
    reads: Reads,
    nights: Sequence[timedelta] = NIGHTS,
    keepers: Sequence[Callable[[], Keeper]] = KEEPERS,
) -> int:
    """How often the model of the night read an attacker's words."""
    walker = Sleepwalker(reads)
    for step in nights:
        time.advance(step)
        keep(app, [make() for make in keepers], FakeModel(walker, name="night/1"))
        # by its rules, as a job does it: nobody is there to confirm what a hand wrote
        promote(app, PromoteRequest(days=60), present=False)
    return walker.led
