"""Messages that are judged together with what is known: what each of them closes, through a whole turn without a model, counted.

A file holds one language, a line one person: `known` (what memory holds), `messages` with `text`, `before` (the agent's last reply) and
`corrects` (the places in `known` of what no longer holds). Every message meets the same memory: none sees what another one wrote.

`python -m tests.journeys.grounded FILE … [--each]` prints, for each language, how many corrections closed what they correct and nothing
else, how many were asked about, and how many messages closed something that still holds.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.conversation.talks import hear, talking

from everself.conversation.events import Done
from everself.memory.provenance import stated_by_owner
from everself.memory.writing import NewEntry
from everself.models.embedding.local import open_local
from everself.runtime import Runtime

Json = dict[str, Any]
_SEARCH: Final = {"memorySearch": {"provider": "local"}}


@dataclass
class Closed:
    """Of the messages that correct something: `right` closed all of it and nothing else, `part` some of it, `asked` closed nothing and
    asked. `wrong` are the messages that closed what still holds: `others` of them correct nothing, of `rest` that do not."""

    corrections: int = 0
    right: int = 0
    part: int = 0
    asked: int = 0
    rest: int = 0
    others: int = 0
    asked_idly: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def add(self, message: Json, known: Sequence[str], closed: set[int], question: bool) -> None:
        wanted = set(message["corrects"])
        line = f"{message['text']!r} [{message['before']}] closed {[known[at] for at in sorted(closed)]}"
        if closed - wanted:
            self.wrong.append(f"{line}, wanted {[known[at] for at in sorted(wanted)]}")
        if not wanted:
            self.rest += 1
            self.others += bool(closed)
            self.asked_idly += question and not closed
            return
        self.corrections += 1
        self.right += closed == wanted
        self.part += bool(closed) and closed < wanted
        self.asked += question and not closed
        if closed != wanted:
            mark = "asked" if question else "silent"
            self.missed.append(f"{mark}: {line}, wanted {[known[at] for at in sorted(wanted)]}")

    def words(self) -> str:
        return (
            f"{self.right} of {self.corrections} corrections closed what they correct, {self.part} a part of it, {self.asked} asked; "
            f"{len(self.wrong)} closed what holds, {self.others} of them of {self.rest} messages that correct nothing, "
            f"of which {self.asked_idly} were asked about something"
        )


def measure(people: Sequence[Json], home: Path) -> Closed:
    found = Closed()
    for person in people:
        for message, closed, question in _lived(person, home):
            found.add(message, person["known"], closed, question)
    return found


def _lived(person: Json, home: Path) -> Iterator[tuple[Json, set[int], bool]]:
    """Each message, what it closed, and whether something was asked."""
    first = home / "first"
    shutil.rmtree(first, ignore_errors=True)
    (first / "e").mkdir(parents=True)
    # the encoder's arrays are prepared once
    (first / "e" / "models").symlink_to(home.parent / "models")
    with _opened(first) as app:
        ids = [
            app.memory.remember(NewEntry(text, stated_by_owner("chat", f"msg:known{at}"), key=f"known {at}")).entry
            for at, text in enumerate(person["known"])
        ]
        app.index.sync()
        app.index.embed()
    for message in person["messages"]:
        again = home / "again"
        shutil.rmtree(again, ignore_errors=True)
        shutil.copytree(first, again, symlinks=True)
        with _opened(again) as app:
            yield message, *_said(app, message, ids)


def _said(app: Runtime, message: Json, ids: Sequence[str]) -> tuple[set[int], bool]:
    session = app.chat.begin()
    if message["before"]:
        app.log.add(session, "user", "…")
        app.log.add(session, "assistant", message["before"])
    events = asyncio.run(hear(app, message["text"], session))
    done = events[-1]
    assert isinstance(done, Done)
    notes = app.log.messages(session)[-1].meta
    closed = {at for at, name in enumerate(ids) if (one := app.memory.catalog.find(name)) is None or one.closed}
    return closed, bool(notes.get("unclear"))


@contextmanager
def _opened(home: Path) -> Iterator[Runtime]:
    with talking(home, answered=False, **_SEARCH) as (app, _):
        yield app


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.grounded", description="What messages close.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--each", action="store_true", help="print each message that closed wrongly or missed")
    asked = parser.parse_args()
    from everself.classify import encoder

    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "models").mkdir()
        encoder.offer(open_local("", "", f"{folder}/models").embed)
        for path in asked.files:
            people = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
            found = measure(people, Path(folder, "home"))
            print(f"{path.stem}: {found.words()}", flush=True)
            total += Counter(
                corrections=found.corrections,
                right=found.right,
                wrong=len(found.wrong),
                others=found.others,
                rest=found.rest,
            )
            for line in (*(f"  WRONG {one}" for one in found.wrong), *(f"  missed {one}" for one in found.missed)):
                if asked.each:
                    print(line, flush=True)
    print(", ".join(f"{name} {count}" for name, count in total.items()))


if __name__ == "__main__":
    main()
