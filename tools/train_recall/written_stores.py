"""Pages and lists of preferences that were written for this (tests/corpora/pages_and_preferences), as stores laid out as the sets of the
benchmark are: a file for each page with its title as a heading, and one list of all preferences."""

import json
from pathlib import Path
from typing import Any, Final

from tools.bench_recall.layout import Unit, list_document, passage_document
from tools.bench_recall.sets import BUDGETS, Dataset, Question, Store
from tools.train_recall.lives import Part, unsealed

# written in pairs of characters: the baselines cut these otherwise
_PAIRED: Final = ("ja", "ko", "zh")


def written_sets(folder: Path, part: Part) -> tuple[Dataset, ...]:
    """A set for each kind of text. The preferences of all languages are one memory; so are the pages of each language."""
    listed = _preferences(part, _rows(folder, part, "preferences"))
    pages = _rows(folder, part, "pages")
    found = [Dataset(f"{part}/preferences", (listed,), budgets=BUDGETS)]
    for name, paired in (("pages", False), ("pages_cjk", True)):
        languages = dict.fromkeys(row["lang"] for row in pages if (row["lang"] in _PAIRED) == paired)
        stores = tuple(_pages(part, one, [row for row in pages if row["lang"] == one]) for one in languages)
        if stores:
            found.append(Dataset(f"{part}/{name}", stores, script="cjk" if paired else "english", budgets=BUDGETS))
    return tuple(found)


def _rows(folder: Path, part: Part, kind: str) -> list[dict[str, Any]]:
    plain = folder / part / f"{kind}.jsonl"
    text = unsealed(plain.with_suffix(".jsonl.xz")) if part == "sealed" else plain.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _preferences(part: str, rows: list[dict[str, Any]]) -> Store:
    path = "memory/preferences.md"
    content, units = list_document(path, [row["preference"] for row in rows])
    questions = tuple(Question(f"{part}-p{at}", "preference", row["question"], (at,)) for at, row in enumerate(rows))
    return Store(f"{part}/preferences", ((path, content),), units, questions)


def _pages(part: str, language: str, rows: list[dict[str, Any]]) -> Store:
    documents: list[tuple[str, str]] = []
    units: list[Unit] = []
    questions: list[Question] = []
    for at, row in enumerate(rows):
        path = f"memory/page-{at + 1}.md"
        content, unit = passage_document(path, row["title"], row["text"])
        documents.append((path, content))
        units.append(unit)
        questions += [
            Question(f"{part}-{language}-{at}:{order}", language, asked, (at,))
            for order, asked in enumerate(row["questions"])
        ]
    return Store(f"{part}/pages/{language}", tuple(documents), tuple(units), tuple(questions))
