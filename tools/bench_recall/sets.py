"""The evaluation sets as stores: documents, the units in them that can be found, and questions with the units that answer them.

Reads the data folder only. Independent of search and measures.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tools.bench_recall.layout import (
    Turn,
    Unit,
    dashed_day,
    english_day,
    list_document,
    passage_document,
    plain_day,
    session_document,
    written_day,
)

# "text": the returned text must contain it. "place": a hit counts for the turn or passage in which it lies.
FoundBy = Literal["text", "place"]
Script = Literal["english", "cjk"]

LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
# the category of questions without an answer in the conversation, which cannot measure finding it
ADVERSARIAL = 5
BUDGETS = (500, 1500, 3000)
# number of message series that form one memory
POOLED = 40


class BadData(Exception):
    """The data folder lacks something or has an unexpected format."""


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence`: numbers of units."""

    id: str
    category: str
    text: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """The content of one workspace. `documents`: paths and contents."""

    name: str
    documents: tuple[tuple[str, str], ...]
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Stores whose questions are counted together. `left_out`: which questions are not asked, and how many."""

    name: str
    stores: tuple[Store, ...]
    found_by: FoundBy = "place"
    script: Script = "english"
    sessions: bool = False
    budgets: tuple[int, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        return sum(len(store.questions) for store in self.stores)


def load_sets(folder: Path, names: tuple[str, ...]) -> tuple[Dataset, ...]:
    """Load the named sets, see READERS."""
    if not folder.is_dir():
        raise BadData(f"There is no data folder {folder}.")
    found: list[Dataset] = []
    for name in names:
        try:
            found += READERS[name](folder)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
            raise BadData(f"The data of {name} is not as expected: {type(error).__name__}: {error}") from error
    return tuple(found)


def thin_out(dataset: Dataset, most: int) -> Dataset:
    """The dataset with at most that many questions, evenly chosen from all."""
    total = dataset.asked
    if total <= most:
        return dataset
    chosen = {number * total // most for number in range(most)}
    stores: list[Store] = []
    at = 0
    for store in dataset.stores:
        kept = tuple(one for number, one in enumerate(store.questions, at) if number in chosen)
        at += len(store.questions)
        if kept:
            stores.append(replace(store, questions=kept))
    return replace(dataset, stores=tuple(stores))


def split_evidence(listed: list[str]) -> tuple[str, ...]:
    """Unique single ids; some entries hold several, separated by blanks or semicolons."""
    return tuple(dict.fromkeys(one for entry in listed for one in entry.replace(";", " ").split()))


def _locomo(folder: Path) -> Iterator[Dataset]:
    left = dict.fromkeys(("adversarial questions", "questions without evidence", "evidence ids without a turn"), 0)
    stores = tuple(_conversation(one, left) for one in json.loads(_text(folder / "locomo" / "conversations.json")))
    yield Dataset("locomo", stores, found_by="text", sessions=True, budgets=BUDGETS, left_out=left)


def _conversation(told: dict[str, Any], left: dict[str, int]) -> Store:
    talk = told["conversation"]
    documents: list[tuple[str, str]] = []
    units: list[Unit] = []
    numbers: dict[str, int] = {}
    names = [key for key, value in talk.items() if key.startswith("session_") and isinstance(value, list)]
    for key in sorted(names, key=lambda key: int(key.removeprefix("session_"))):
        turns: list[Turn] = []
        for turn in talk[key]:
            numbers[turn["dia_id"]] = len(units) + len(turns)
            caption = turn.get("blip_caption")
            turns.append(Turn(turn["speaker"], turn["text"] + (f" [{caption}]" if caption else "")))
        path = f"memory/{english_day(talk[f'{key}_date_time']).isoformat()}-session-{key.removeprefix('session_')}.md"
        content, found = session_document(path, turns)
        documents.append((path, content))
        units += found
    questions: list[Question] = []
    for order, asked in enumerate(told["qa"]):
        if asked["category"] == ADVERSARIAL:
            left["adversarial questions"] += 1
            continue
        ids = split_evidence(asked.get("evidence") or [])
        known = tuple(numbers[one] for one in ids if one in numbers)
        left["evidence ids without a turn"] += len(ids) - len(known)
        if not known:
            left["questions without evidence"] += 1
            continue
        category = LOCOMO_CATEGORIES[asked["category"]]
        questions.append(Question(f"{told['sample_id']}:{order}", category, asked["question"], known))
    return Store(f"locomo/{told['sample_id']}", tuple(documents), tuple(units), tuple(questions))


def _longmemeval(folder: Path) -> Iterator[Dataset]:
    documents: list[tuple[str, str]] = []
    units: list[Unit] = []
    questions: list[Question] = []
    left = {"questions without evidence": 0}
    for told in _lines(folder / "longmemeval" / "evidence.jsonl"):
        evidence: list[int] = []
        for session in told["evidence_sessions"]:
            path = f"memory/{plain_day(session['date']).isoformat()}-session-{len(documents) + 1}.md"
            content, found = session_document(path, [Turn(one["role"], one["content"]) for one in session["turns"]])
            documents.append((path, content))
            evidence += range(len(units), len(units) + len(found))
            units += found
        if not evidence:
            left["questions without evidence"] += 1
            continue
        questions.append(Question(told["question_id"], told["question_type"], told["question"], tuple(evidence)))
    store = Store("longmemeval/pool", tuple(documents), tuple(units), tuple(questions))
    yield Dataset("longmemeval", (store,), budgets=BUDGETS, left_out=left)


def _cjk(folder: Path) -> Iterator[Dataset]:
    passages = list(_lines(folder / "cjk" / "passages.jsonl"))
    asked = list(_lines(folder / "cjk" / "queries.jsonl"))
    for language in ("zh", "ja"):
        documents: list[tuple[str, str]] = []
        units: list[Unit] = []
        numbers: dict[str, int] = {}
        for told in passages:
            if told["lang"] != language:
                continue
            numbers[told["pid"]] = len(units)
            path = f"memory/passage-{len(units) + 1}.md"
            content, unit = passage_document(path, told["title"], told["text"])
            documents.append((path, content))
            units.append(unit)
        mine = [one for one in asked if one["lang"] == language]
        questions = tuple(
            Question(one["qid"], language, one["question"], (numbers[one["pid"]],))
            for one in mine
            if one["pid"] in numbers
        )
        store = Store(f"cjk/{language}", tuple(documents), tuple(units), questions)
        left = {"questions without a passage": len(mine) - len(questions)}
        yield Dataset(f"cjk/{language}", (store,), script="cjk", budgets=BUDGETS, left_out=left)


def _beam(folder: Path) -> Iterator[Dataset]:
    left = {"questions without evidence": 0}
    stores: list[Store] = []
    for path in sorted((folder / "beam").glob("*.json"), key=lambda path: (len(path.stem), path.stem)):
        told = json.loads(_text(path))
        documents: list[tuple[str, str]] = []
        units: list[Unit] = []
        numbers: dict[int, int] = {}
        for session in _anchored(told["messages"]):
            day = dashed_day(session[0]["time_anchor"]).isoformat() if session[0].get("time_anchor") else "undated"
            place = f"memory/{day}-session-{len(documents) + 1}.md"
            numbers |= {one["id"]: len(units) + at for at, one in enumerate(session)}
            content, found = session_document(place, [Turn(one["role"], one["content"]) for one in session])
            documents.append((place, content))
            units += found
        questions: list[Question] = []
        for order, asked in enumerate(told["questions"]):
            evidence = tuple(dict.fromkeys(numbers[one] for one in asked["source_chat_ids"] if one in numbers))
            if not evidence:
                left["questions without evidence"] += 1
                continue
            questions.append(Question(f"{path.stem}:{order}", asked["category"], asked["question"], evidence))
        stores.append(Store(f"beam/{path.stem}", tuple(documents), tuple(units), tuple(questions)))
    if not stores:
        raise BadData(f"{folder / 'beam'} has no chats.")
    yield Dataset("beam", tuple(stores), budgets=BUDGETS, left_out=left)


def _anchored(messages: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Split messages into sessions: a message with its own time starts one."""
    held: list[dict[str, Any]] = []
    for one in messages:
        if one.get("time_anchor") and held:
            yield held
            held = []
        held.append(one)
    if held:
        yield held


def _prefeval(folder: Path) -> Iterator[Dataset]:
    """Every preference is an entry of one list; a question does not name the preference it needs."""
    told = list(_lines(folder / "prefeval" / "explicit.jsonl"))
    content, units = list_document("memory/preferences.md", [one["preference"] for one in told])
    questions = tuple(Question(f"p{at}", "preference", one["question"], (at,)) for at, one in enumerate(told))
    store = Store("prefeval/pool", (("memory/preferences.md", content),), units, questions)
    yield Dataset("prefeval", (store,), budgets=BUDGETS)


def _memdaily(folder: Path) -> Iterator[Dataset]:
    """One file per series; several series form one memory."""
    told = list(_lines(folder / "memdaily" / "trajectories.jsonl"))
    left = {"questions without evidence": 0}
    # take series of each kind in turn, so that every pool has all kinds
    count = -(-len(told) // POOLED)
    stores: list[Store] = []
    for pool in range(count):
        documents: list[tuple[str, str]] = []
        units: list[Unit] = []
        questions: list[Question] = []
        for at, one in enumerate(told[pool::count], 1):
            first = len(units)
            day = written_day(one["message_list"][0]["time"]).isoformat()
            path = f"memory/{day}-series-{at}.md"
            content, found = list_document(path, [message["message"] for message in one["message_list"]])
            documents.append((path, content))
            units += found
            numbers = {message["mid"]: first + order for order, message in enumerate(one["message_list"])}
            kind = one["file"].partition("_")[2]
            for asked in one["question_list"]:
                evidence = tuple(dict.fromkeys(numbers[each] for each in asked["target_step_id"] if each in numbers))
                if evidence:
                    questions.append(Question(f"{pool}:{at}:{asked['qid']}", kind, asked["question"], evidence))
                else:
                    left["questions without evidence"] += 1
        stores.append(Store(f"memdaily/{pool + 1}", tuple(documents), tuple(units), tuple(questions)))
    yield Dataset("memdaily", tuple(stores), script="cjk", budgets=BUDGETS, left_out=left)


READERS: dict[str, Callable[[Path], Iterator[Dataset]]] = {
    "locomo": _locomo,
    "longmemeval": _longmemeval,
    "beam": _beam,
    "prefeval": _prefeval,
    "memdaily": _memdaily,
    "cjk": _cjk,
}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror}.") from error


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in _text(path).split("\n") if line.strip())
