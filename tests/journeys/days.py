"""A conversation of several days with a scripted model, over a real socket: what it leaves behind, counted.

The conversation is a file with one turn a line: `day`, `turn`, `text`, `kind`, the `facts` it states (`id`, `statement`, `say`), `answers`
(the facts that answer a question) and `corrects` (the fact that no longer holds). `replies.jsonl` beside it says what the model writes down
and answers; without it, or without `writes`, the model writes each statement. Both may be packed (`.xz`); they are read in
memory and never printed.

`python -m tests.journeys.days FOLDER [--wire openai|anthropic] [--model MODE]` prints the counts of the conversation in a folder, for each
wire and model that is not chosen: `writes` takes notes, `silent` never does, with `none` there is no model and the reflex answers. `plain`
notes each fact in the words of the script and never says what that replaces; `late` does so one turn later.
`python -m tests.journeys.days --record` writes what the open conversation leaves to `docs/example`.
"""

import argparse
import asyncio
import json
import lzma
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, get_args

import re2
from tests.conversation.talks import hear, talking
from tests.models.chat.asking import model_at
from tests.models.chat.servers import Asked, Call, Reply, say, serve
from tools.bench.cache_share import cacheable_share

from everself.keepers.miner import Miner
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.testing.frozen_time import FrozenTime
from everself.text.normalise import fold
from everself.text.note_quotes import parts_of
from everself.text.search import TermKind, read_query
from everself.values import Entry

Json = dict[str, Any]
FIRST = datetime(2026, 11, 2, 7, 30, tzinfo=UTC)
# the wires that a conversation is held over
DaysWire = Literal["openai", "anthropic"]
WIRES: Final[tuple[DaysWire, ...]] = get_args(DaysWire)
Mode = Literal["writes", "silent", "none", "plain", "late"]
_ID = re2.compile(r"\b[0-9A-HJKMNP-TV-Z]{12}\b")
_STEP = timedelta(minutes=11)
# what the runtime tells a model where it closed the wrong entry; that it noted something closes nothing
_DONE = "Corrected: "
# what the prompt says above the notes that a message may make wrong
_SUSPECTS = "## Notes that this message may make wrong"
# as the reflex searches
_RESULTS = 10
# of the words of a fact, those that have to stand in an entry which tells it
_TOLD = 0.7


def load(path: Path) -> list[Json]:
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


@dataclass(frozen=True)
class Script:
    turns: list[Json]
    replies: dict[tuple[int, int], Json]
    first: datetime = FIRST

    @classmethod
    def of(cls, folder: Path) -> "Script":
        """The conversation in a folder, with the replies where there are some."""
        turns, replies = (
            next((one for one in (folder / f"{name}.jsonl", folder / f"{name}.jsonl.xz") if one.exists()), None)
            for name in ("conversation", "replies")
        )
        if turns is None:
            raise FileNotFoundError(f"There is no conversation.jsonl or conversation.jsonl.xz in {folder}.")
        told = {(one["day"], one["turn"]): one for one in (load(replies) if replies else ())}
        return cls(load(turns), told)

    @property
    def facts(self) -> dict[str, Json]:
        return {fact["id"]: fact for turn in self.turns for fact in turn["facts"]}

    @property
    def corrected(self) -> set[str]:
        return {turn["corrects"] for turn in self.turns if turn.get("corrects")}

    def newest(self, fact: str) -> str:
        """What holds in the place of a fact that was corrected."""
        later = {turn["corrects"]: turn["facts"][0]["id"] for turn in self.turns if turn.get("corrects")}
        while fact in later:
            fact = later[fact]
        return fact

    def writes(self, turn: Json) -> list[Json]:
        """What a model that heeds AGENTS.md writes down after this turn."""
        reply = self.replies.get((turn["day"], turn["turn"]))
        if reply is not None and "writes" in reply:
            return list(reply["writes"])
        replaces = turn.get("corrects") or ""
        return [
            {"content": one["statement"], "facts": [one["id"]], "replaces": replaces if number == 0 else ""}
            for number, one in enumerate(turn["facts"])
        ]


class Model:
    """Answers what is asked in the turn that runs. With the mode `writes` it notes what it is told; of the notes that the prompt calls
    doubtful it puts those right that tell what the turn corrects: it understands the message, and knows no more."""

    def __init__(self, script: Script, mode: Mode) -> None:
        self._script = script
        self._mode = mode
        self._before: list[Json] = []
        self.asked: list[Json] = []
        self.turn: Json | None = None
        self._asked = 0
        self._pending: list[Call] = []
        self._wrote: dict[str, list[str]] = {}
        self._entries: dict[str, str] = {}

    def begin(self, turn: Json | None) -> None:
        self.turn, self._asked, self._pending = turn, 0, []
        if turn is None:
            self._before = []

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(asked.body)
        if self.turn is None:
            return say('{"memories": []}') if '"memories"' in asked.words else say("NO_REPLY")
        self._asked += 1
        self._learn(asked)
        if self._asked == 1 and self._mode in ("writes", "plain", "late"):
            self._pending = self._calls(self.turn, asked) if self._mode == "writes" else self._plain_calls(self.turn)
        if self._pending:
            # one at a time: calls of one answer run side by side, and their order is nobody's promise
            return Reply(calls=(self._pending.pop(0),))
        reply = self._script.replies.get((self.turn["day"], self.turn["turn"]), {})
        return say(reply.get("reply", "All right."))

    def _learn(self, asked: Asked) -> None:
        """Where what was written stands, as the tools said."""
        for call, content in _results(asked):
            told = json.loads(content) if content.startswith("{") else {}
            if told.get("entry"):
                self._entries |= dict.fromkeys(self._wrote.get(call, ()), told["entry"])

    def _calls(self, turn: Json, asked: Asked) -> list[Call]:
        made: list[Call] = []
        wrong = self._offered(turn, asked)
        for number, one in enumerate(self._script.writes(turn)):
            # a script need not say what its note replaces: who hears "Corrected" and has nothing else to tell writes nothing
            old = one.get("replaces") or (str(turn["corrects"]) if self._is_newest(turn, one) else "")
            if old and _DONE in json.dumps(asked.body["messages"][-1], ensure_ascii=False):
                # the runtime has put it right, and said so
                continue
            if wrong and self._is_newest(turn, one):
                for place, name in enumerate(wrong):
                    call = f"c{turn['day']}-{turn['turn']}-{number}-{place}"
                    told = json.dumps({"old": name, "new": one["content"]}, ensure_ascii=False)
                    made.append(Call("memory_correct", told, call))
                    self._wrote[call] = one["facts"]
                continue
            known = self._entries.get(old, "")
            arguments: Json = {"old": known, "new": one["content"]} if known else {"content": one["content"]}
            if not known and turn["kind"] == "remember":
                arguments["explicit"] = True
            call = f"c{turn['day']}-{turn['turn']}-{number}"
            name = "memory_correct" if known else "memory_write"
            made.append(Call(name, json.dumps(arguments, ensure_ascii=False), call))
            self._wrote[call] = one["facts"]
        return made

    def _plain_calls(self, turn: Json) -> list[Call]:
        """What a model writes that only ever notes facts."""
        told, self._before = ([turn], []) if self._mode == "plain" else (self._before, [turn])
        noted = [(each["kind"] == "remember", one["statement"]) for each in told for one in each["facts"]]
        arguments = [{"content": words, "explicit": True} if asked else {"content": words} for asked, words in noted]
        return [
            Call("memory_write", json.dumps(one, ensure_ascii=False), f"p{turn['day']}-{turn['turn']}-{number}")
            for number, one in enumerate(arguments)
        ]

    def _is_newest(self, turn: Json, write: Json) -> bool:
        """Whether a note tells what holds in the place of the fact that the turn corrects."""
        return bool(turn.get("corrects")) and turn["facts"][0]["id"] in write["facts"]

    def _offered(self, turn: Json, asked: Asked) -> list[str]:
        """The ids of the notes that the prompt offers and that tell the fact which the turn corrects."""
        name = turn.get("corrects") or ""
        if not name:
            return []
        noted = {one["content"]: one["facts"] for each in self._script.turns for one in self._script.writes(each)}
        said = _words_said(asked.body["messages"][-1]["content"])
        section = said.partition(_SUSPECTS)[2]
        offered = re2.findall(r"(?m)^- ([0-9A-HJKMNP-TV-Z]{12}): (.*)$", section)
        return [found for found, text in offered if told(text, name, self._script.facts[name], noted)]


def _words_said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(one.get("text", "")) for one in content)


def _results(asked: Asked) -> Iterator[tuple[str, str]]:
    """The results of tools in a request, in either wire."""
    for message in asked.body["messages"]:
        if message["role"] == "tool":
            yield message["tool_call_id"], str(message["content"])
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("type") == "tool_result":
                text = block["content"]
                yield block["tool_use_id"], text if isinstance(text, str) else "".join(one["text"] for one in text)


@dataclass
class Left:
    """What a conversation left behind. `found` and `first`: questions whose entry is among the hits, and is the first. `small`: turns of
    small talk of which an entry was made. `cacheable`: the share of what was sent that a vendor's cache could have served."""

    entries: list[Entry]
    open: list[Entry]
    times: dict[str, int]
    stale: list[str]
    asked: int = 0
    found: int = 0
    first: int = 0
    missed: list[str] = field(default_factory=list)
    small: int = 0
    talk: int = 0
    kept: int = 0
    said: int = 0
    cacheable: float | None = None

    @property
    def once(self) -> int:
        return sum(one == 1 for one in self.times.values())

    @property
    def twice(self) -> int:
        return sum(one > 1 for one in self.times.values())

    @property
    def lost(self) -> int:
        return sum(one == 0 for one in self.times.values())

    def words(self) -> str:
        shared = "" if self.cacheable is None else f"; {self.cacheable:.1%} of the input cacheable"
        return (
            f"{len(self.entries)} entries ({len(self.open)} open); of {len(self.times)} facts {self.once} once, {self.twice} twice, "
            f"{self.lost} lost ({self.kept} of {self.said} kept when they were said); {len(self.stale)} corrected facts open; "
            f"of {self.asked} questions {self.found} found, {self.first} first; "
            f"{self.small} of {self.talk} turns of small talk kept{shared}"
        )


@contextmanager
def lived(home: Path, script: Script, wire: DaysWire, mode: Mode) -> Iterator[tuple[Runtime, Left]]:
    """The agent after the conversation, nights included, and what it left."""
    time = FrozenTime(script.first)
    model = Model(script, mode)
    search = {"memorySearch": {"provider": "local"}}
    if mode == "none":
        with talking(home, model=None, time=time, answered=False, **search) as (app, _):
            asyncio.run(_live(app, script, model, time))
            yield app, _count(app, script)
        return
    with serve(wire, script=model) as server, talking(home, model=model_at(server), time=time, **search) as (app, _):  # type: ignore[arg-type]
        asyncio.run(_live(app, script, model, time))
        left = _count(app, script)
        left.cacheable = cacheable_share(model.asked, wire)
        yield app, left


async def _live(app: Runtime, script: Script, model: Model, time: FrozenTime) -> None:
    for day in sorted({one["day"] for one in script.turns}):
        time.moment = script.first + timedelta(days=day - 1)
        session = app.chat.begin()
        for turn in (one for one in script.turns if one["day"] == day):
            model.begin(turn)
            await hear(app, turn["text"], session)
            time.advance(_STEP)
        model.begin(None)
        await app.chat.close(session)
        time.moment = script.first + timedelta(days=day, hours=-2)
        await app.keepers.run(Miner())


def _hits(app: Runtime, question: str) -> list[str]:
    """The words of the entries that a search finds, best first."""
    found = app.recall.search(RecallRequest(question, limit=_RESULTS, min_score=0.0, recorded=False))
    entries = [app.memory.catalog.find(hit.entry) for hit in found.hits if hit.entry]
    return [one.text for one in entries if one is not None and not one.closed]


def _count(app: Runtime, script: Script) -> Left:
    entries = [one for one in app.memory.catalog.all() if one.path == "MEMORY.md" or one.path.startswith("memory/")]
    now = [one for one in entries if not one.closed]
    noted = {one["content"]: one["facts"] for turn in script.turns for one in script.writes(turn)}
    holds = {name: fact for name, fact in script.facts.items() if name not in script.corrected}
    times = {name: sum(told(one.text, name, fact, noted) for one in now) for name, fact in holds.items()}
    rivals = {turn["corrects"]: turn["facts"][0] for turn in script.turns if turn.get("corrects")}
    stale = [
        name
        for name in script.corrected
        if any(told(one.text, name, script.facts[name], noted) and not tells_new(one.text, rivals[name]) for one in now)
    ]
    left = Left(entries, now, times, stale)
    named = {one.partition(":")[2] for entry in entries for one in entry.lineage if one.startswith("msg:")}
    kept = [one.content for one in map(app.log.message, named) if one is not None]
    small = [turn["text"] for turn in script.turns if turn["kind"] == "smalltalk"]
    left.kept = sum(any(told(one.text, name, fact, noted) for one in entries) for name, fact in script.facts.items())
    left.said = len(script.facts)
    left.talk, left.small = len(small), sum(text in kept for text in small)
    app.index.sync()
    app.index.embed()
    for turn in script.turns:
        if turn["kind"] == "question" and turn.get("answers"):
            wanted = [script.newest(name) for name in turn["answers"]]
            right = [
                any(told(hit, one, script.facts[one], noted) for one in wanted) for hit in _hits(app, turn["text"])
            ]
            left.asked += 1
            left.found += any(right)
            left.first += right[:1] == [True]
            left.missed += [] if any(right) else [f"day {turn['day']}, turn {turn['turn']}"]
    return left


def told(text: str, name: str, fact: Json, noted: dict[str, list[str]]) -> bool:
    """Whether an entry tells a fact: as the model noted it, in the words it was said in, or with most of them."""
    claimed, quoted = parts_of(text)
    if claimed in noted:
        if name in noted[claimed] or not quoted:
            return name in noted[claimed]
        # the script says what the note tells; its quotation may tell another fact
        text = quoted
    if fold(fact["say"]) in fold(text):
        return True
    return tells_new(text, fact)


def tells_new(text: str, fact: Json) -> bool:
    """Whether most words of a fact stand in a text, and all its numbers do."""
    words, numbers = set(_words(text)), _numbers(text)
    return any(
        _share(_words(one), words) >= _TOLD and _numbers(one) <= numbers for one in (fact["say"], fact["statement"])
    )


def _numbers(text: str) -> set[str]:
    return set("".join(char if char.isdecimal() else " " for char in text).split())


def _share(words: list[str], held: set[str]) -> float:
    return sum(one in held for one in words) / max(1, len(words))


def _words(text: str) -> list[str]:
    kinds = (TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE)
    return list(dict.fromkeys(term.alternatives[-1] for term in read_query(text).terms if term.kind not in kinds))


def lines_of(entries: Iterable[Entry]) -> str:
    return "\n".join(f"{one.source:10} {'closed' if one.closed else 'open':6} {one.path} {one.text}" for one in entries)


# ── the example in the documentation ─────────────────────────────────────────────────────────────────────────────────

TOP = Path(__file__).resolve().parents[2]
OPEN = TOP / "tests" / "corpora" / "days_open"
EXAMPLE = TOP / "docs" / "example"


def documents(app: Runtime) -> dict[str, str]:
    """MEMORY.md and the daily logs, with ids that are the same in every run."""
    paths = ["MEMORY.md", *sorted(one.path for one in app.workspace.list("memory") if one.path.endswith(".md"))]
    names: dict[str, str] = {}

    def plain(found: "re2._Match") -> str:
        return names.setdefault(found.group(), f"{len(names) + 1:012d}")

    return {path.rpartition("/")[2]: _ID.sub(plain, app.workspace.read(path).data.decode("utf-8")) for path in paths}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.journeys.days", description="What a conversation of days leaves."
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=OPEN, help="with conversation.jsonl(.xz) and replies.jsonl(.xz)"
    )
    parser.add_argument("--wire", choices=WIRES, help="only this one")
    parser.add_argument("--model", choices=get_args(Mode), help="only this one")
    parser.add_argument("--record", action="store_true", help="write what the open conversation leaves to docs/example")
    asked = parser.parse_args()
    # the encoder that comes with the package, prepared once
    from everself.classify import encoder
    from everself.models.embedding.local import open_local

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "models").mkdir()
        encoder.offer(open_local("", "", f"{folder}/models").embed)
        if asked.record:
            record(Path(folder))
            return
        script = Script.of(asked.folder)
        for number, (wire, mode) in enumerate(_runs(asked.wire, asked.model)):
            home = Path(folder, str(number))
            home.mkdir()
            with lived(home, script, wire, mode) as (_, left):
                print(f"{'no model' if mode == 'none' else f'{wire}, {mode}'}: {left.words()}", flush=True)


def record(home: Path) -> None:
    with lived(home, Script.of(OPEN), "openai", "writes") as (app, _):
        EXAMPLE.mkdir(exist_ok=True)
        for name, text in documents(app).items():
            (EXAMPLE / name).write_text(text, encoding="utf-8")


def _runs(wire: DaysWire | None, mode: Mode | None) -> Iterator[tuple[DaysWire, Mode]]:
    """Without a model there is no wire."""
    modes: list[Mode] = [mode] if mode else list(get_args(Mode))
    for one in modes:
        yield from ((each, one) for each in ([wire] if wire else WIRES) if one != "none" or each == (wire or WIRES[0]))


if __name__ == "__main__":
    main()
