"""The demo's story: Mina's messages in March, the questions to her agent, and the explanations. Knows no terminal."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, Literal

from everself.frozen import Frozen
from everself.interfaces.cli.demo.stage import ZONE, Stage
from everself.interfaces.rendering.lines import Line

Kind = Literal["title", "words", "day", "said", "reply", "command", "output"]
SECRET: Final = "4417"


class Piece(Frozen):
    """A part of the demo. The `lines` of an `output` may be painted; all others are one line of text."""

    kind: Kind
    lines: tuple[Line, ...]


def play(stage: Stage) -> Iterator[Piece]:
    """The whole month in eight chapters. Each piece is yielded after it has happened."""
    yield from _told(stage)
    yield from _searched(stage)
    yield from _corrected(stage)
    yield from _explained(stage)
    yield from _conflicting(stage)
    yield from _grown(stage)
    yield from _forgotten(stage)
    yield from _files(stage)


def _told(stage: Stage) -> Iterator[Piece]:
    yield _title("1. Two weeks of small talk and facts")
    yield _words("Mina talks to her agent. No model is set: it remembers by rules, and answers by quoting her.")
    yield from _day(
        stage,
        2,
        "My name is Mina and I live in Berlin.",
        "I am working on a Rust project called tundra.",
        "We decided to use SQLite for tundra, because it needs no server.",
    )
    yield from _day(stage, 4, "My dog is called Bruno.", "The demo for the customers is on 27 March.")
    yield from _day(stage, 6, "Please keep your answers short.", "What did we decide for tundra?")
    yield from _day(stage, 11, "The rent of the studio is 800 euros.", "We deploy tundra every Friday.")
    yield from _day(stage, 13, "Please keep answers short, I read them on the phone.")
    yield from _day(stage, 14, f"The door code of the studio is {SECRET}.", "I am allergic to peanuts.")


def _searched(stage: Stage) -> Iterator[Piece]:
    yield _title("2. Search")
    yield _words("By words and by meaning, in any language, without a service. Every hit names its file and its line.")
    stage.wait_until(_morning(16))
    for query in ("what does the studio cost a month?", "allergies"):
        yield from _command(stage, f'everself memory search "{query}"', "memory.search", query=query, limit=2)


def _corrected(stage: Stage) -> Iterator[Piece]:
    yield _title("3. A correction")
    yield _words(
        "What was wrong is closed, not deleted: it no longer answers, and it is still known what was believed."
    )
    yield from _day(stage, 17, "No, my dog is called Bella.", "What is my dog called?")
    yield from _command(stage, "everself memory list --closed", "memory.list", closed=True)


def _explained(stage: Stage) -> Iterator[Piece]:
    yield _title("4. Why did it say that?")
    yield _words("Each reply knows which memories it used, who said them, and how to correct or forget them.")
    yield from _command(stage, "everself why", "why")


def _conflicting(stage: Stage) -> Iterator[Piece]:
    yield _title("5. Two statements that disagree")
    yield _words("Mina mentions another rent and does not say that the old one is wrong. At night a keeper notices.")
    yield from _day(stage, 24, "Answer briefly, please. Keep answers short.")
    yield from _day(stage, 28, "The rent of the studio is 950 euros.")
    stage.wait_until(_morning(29))
    yield from _command(stage, "everself keepers run conflict-detector", "keepers.run", name="conflict-detector")
    yield _words("It closes nothing by a guess: it asks. The first answer is “the newer”.")
    (waiting,) = [one for one in _waiting(stage) if one.kind == "conflict"]
    yield from _command(stage, f"everself review accept {waiting.id}", "review.accept", name=waiting.id, answer=1)
    yield _talk("said", "What is the rent of the studio?")
    yield _talk("reply", stage.say("What is the rent of the studio?"))


def _grown(stage: Stage) -> Iterator[Piece]:
    yield _title("6. The soul grows")
    yield _words("Three times Mina asked for short answers. Another keeper proposes a line for SOUL.md; she decides.")
    stage.wait_until(_morning(30))
    yield from _command(stage, "everself keepers run soul-keeper", "keepers.run", name="soul-keeper")
    yield from _command(stage, "everself soul approve last", "soul.approve", name="last")
    yield from _command(stage, "everself soul history", "soul.history")


def _forgotten(stage: Stage) -> Iterator[Piece]:
    yield _title("7. Forgetting, with proof")
    yield _words("The door code must go: from the files, their history, the database, the index and the transcripts.")
    stage.wait_until(_morning(31))
    yield from _command(stage, f'everself memory forget --words "{SECRET}" --yes', "memory.forget", words=SECRET)
    yield _words("The proof names every place that was searched. Anything that was left would be listed.")


def _files(stage: Stage) -> Iterator[Piece]:
    yield _title("8. It is all plain text")
    yield _words(
        "MEMORY.md as it is now, without the comments that carry each entry's origin. Edit it: your words count."
    )
    text = stage.runtime.workspace.read("MEMORY.md").data.decode()
    lines = (line.partition("<!-- everself:")[0].rstrip() for line in text.splitlines())
    shown = tuple(line for line in lines if line)
    yield Piece("command", ("cat MEMORY.md",))
    yield Piece("output", shown)
    yield from _command(stage, "everself log --limit 5", "log", limit=5)
    yield _words("Every change is listed; `everself undo ID` takes one back. That was a month.")


def _morning(day: int) -> datetime:
    return datetime(2026, 3, day, 9, 0, tzinfo=ZONE)


def _day(stage: Stage, day: int, *said: str) -> Iterator[Piece]:
    stage.wait_until(_morning(day))
    yield Piece("day", (f"{stage.now:%-d %B}",))
    for words in said:
        yield _talk("said", words)
        yield _talk("reply", stage.say(words))


def _command(stage: Stage, typed: str, operation: str, /, **request: Any) -> Iterator[Piece]:
    yield Piece("command", (typed,))
    yield Piece("output", stage.show(operation, **request))


def _waiting(stage: Stage) -> Any:
    return stage.call("review.list").waiting


def _title(text: str) -> Piece:
    return Piece("title", (text,))


def _words(text: str) -> Piece:
    return Piece("words", (text,))


def _talk(kind: Literal["said", "reply"], text: str) -> Piece:
    return Piece(kind, (text,))
