"""The invented lives as stores, laid out like the benchmark's sets: one file per session, one line per turn, notes as a list."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tools.bench_recall.layout import Turn, Unit, list_document, session_document
from tools.bench_recall.sets import BUDGETS, Dataset, Question, Store
from tools.train_recall.lives import Life, Part, load_lives

# how a chat is written if its two sides have no names
_WRITTEN = {"owner": "user"}
_NOTE = "note"
_ALIKE = {"meetings": "notes"}


def life_sets(folder: Path, part: Part) -> tuple[Dataset, ...]:
    """One store per life, and one set per kind of text. Questions without an answer have no evidence."""
    kinds: dict[str, list[Store]] = {}
    for life in load_lives(folder, part):
        kind = life.name.split("-")[1]
        kinds.setdefault(_ALIKE.get(kind, kind), []).append(life_store(life))
    return tuple(Dataset(f"{part}/{kind}", tuple(stores), budgets=BUDGETS) for kind, stores in sorted(kinds.items()))


def life_store(life: Life) -> Store:
    documents: list[tuple[str, str]] = []
    units: list[Unit] = []
    for path, content, found in _sessions(life):
        documents.append((path, content))
        units += found
    questions = tuple(
        Question(f"{life.name}:{at}", one.kind, one.text, one.evidence) for at, one in enumerate(life.questions)
    )
    return Store(f"lives/{life.name}", tuple(documents), tuple(units), questions)


def _sessions(life: Life) -> Iterator[tuple[str, str, tuple[Unit, ...]]]:
    for number, turns in groupby(life.turns, key=lambda turn: turn.session):
        held = list(turns)
        path = f"memory/session-{number}.md"
        if all(turn.speaker == _NOTE for turn in held):
            content, units = list_document(path, [turn.text for turn in held])
        else:
            said = [Turn(_WRITTEN.get(turn.speaker, turn.speaker), turn.text) for turn in held]
            content, units = session_document(path, said)
        yield path, content, units
