"""The training data: the corpora of tests/corpora as labelled texts, each with the name of its corpus. Generates nothing.

A label that a corpus does not provide stays unknown and is not trained on.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from tools.train_classify.heads import ACTS, SOCIAL

CORPORA: Final = Path(__file__).resolve().parents[2] / "tests" / "corpora"
# not to be read before the closing run
SEALED: Final = "sealed"
# opened in the first closing run; used to choose between trained variants
SEEN: Final = "seen"
Row = dict[str, Any]

_TOLD: Final = {"question": 0, "task": 0, "smalltalk": 0, "quoted": 0, "forget": 0, "claim": 0}
_KEPT: Final = {**_TOLD, "keep": 1}
_ASKED: Final = {
    **dict.fromkeys(("fact", "wish", "decision", "plan", "correction", "remember", "keep", "strong"), 0),
    **_TOLD,
    "question": 1,
}
_STATED: Final = {**_KEPT, "fact": 1, "correction": 0, "strong": 0}


@dataclass(frozen=True, slots=True)
class Example:
    text: str
    corpus: str
    labels: Mapping[str, int]
    language: str = ""
    weight: float = 1.0
    tags: frozenset[str] = field(default_factory=frozenset)
    # the labels of a message as a whole
    whole: Mapping[str, int] = field(default_factory=dict)
    # examples with the same group are always in the same fold; empty: the text itself
    group: str = ""


def examples() -> list[Example]:
    found = [one for read in _READERS for one in read()]
    return [one for one in found if one.text.strip()]


def sources() -> list[Path]:
    """Every training file, in order."""
    names = ("triage", "reflex", "everyday", "provenance/legitimate", "conflicts", "messages", "kinds", "phrases")
    found = [path for name in names for path in sorted((CORPORA / name).rglob("*.json*"))]
    found = [path for path in found if not {SEALED, SEEN} & set(path.parts)]
    return [*found, CORPORA / "secrets" / "benign.jsonl"]


def fingerprint() -> str:
    """The hash of the training files' names and contents."""
    hashed = hashlib.sha256()
    for path in sources():
        hashed.update(f"{path.relative_to(CORPORA).as_posix()}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def rows(*names: str) -> Iterator[tuple[Path, Row]]:
    for name in names:
        for path in sorted(CORPORA.glob(name)):
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.strip():
                    yield path, json.loads(line)


@cache
def _ordinary() -> dict[str, list[str]]:
    """The acts of the ordinary turns in the corpus of corrections, sentence by sentence. `told` says nothing about
    whether a sentence is worth keeping.
    """
    read: dict[str, list[str]] = json.loads((CORPORA / "triage" / "acts.json").read_text(encoding="utf-8"))
    return read


def _triage() -> Iterator[Example]:
    for path, row in rows("triage/*.jsonl", "triage/more/*.jsonl"):
        corpus = "triage/more" if path.parent.name == "more" else "triage"
        if row["label"] == "correction":
            labels = {"correction": 1, "strong": int(row["sure"] == "high"), "task": 0, "smalltalk": 0, "quoted": 0}
            tags, whole = frozenset({"correction"}), {"strong": 1} if row["sure"] == "high" else {}
            yield Example(row["text"], corpus, labels, row["lang"], tags=tags, whole=whole)
            continue
        name = path.relative_to(CORPORA / "triage").with_suffix("").as_posix()
        acts = _ordinary()[f"{name} {row['id']}"]
        labels = {"correction": 0, "strong": 0}
        if acts == ["question"]:
            labels = {**_ASKED}
        elif len(acts) == 1 and acts[0] in ("task", "smalltalk"):
            labels = {**_ASKED, "question": 0, acts[0]: 1}
        elif acts == ["told"]:
            labels |= {"question": 0, "task": 0, "forget": 0}
        yield Example(row["text"], corpus, labels, row["lang"], tags=frozenset({"correction"}), whole={"strong": 0})


def _reflex() -> Iterator[Example]:
    for path, row in rows("reflex/*.jsonl", "reflex/*/*.jsonl"):
        corpus = "reflex" if path.parent.name == "reflex" else f"reflex/{path.parent.name}"
        labels = _STATED if row["kind"] == "statement" else _ASKED
        whole = {"keep": labels["keep"], "strong": 0, "asks": labels["question"]}
        yield Example(row["text"], corpus, labels, row["lang"], tags=frozenset({"question"}), whole=whole)


def _stated() -> Iterator[Example]:
    for _, row in rows("everyday/*.jsonl"):
        yield Example(row["text"], "everyday", _KEPT, row["lang"])
    for _, row in rows("provenance/legitimate/*.jsonl"):
        yield Example(row["message"], "legitimate", {"keep": 1, "quoted": 0}, row["lang"], whole={"keep": 1})
        yield Example(row["fact"], "legitimate", _KEPT, row["lang"])
    for _, row in rows("conflicts/*.jsonl", "conflicts/more/*.jsonl"):
        yield Example(row["older"], "conflicts", _STATED, row["lang"], 0.5)
        yield Example(row["newer"], "conflicts", {**_KEPT, "strong": 0}, row["lang"], 0.5)


def _other() -> Iterator[Example]:
    for _, row in rows("secrets/benign.jsonl"):
        yield Example(row["text"], "benign", {"correction": 0, "strong": 0}, row["language"], 0.3)


def _messages() -> Iterator[Example]:
    for _, row in rows("messages/open/*.jsonl", "messages/more/*.jsonl"):
        yield from message_examples(row, "messages")


def message_examples(row: Row, corpus: str) -> Iterator[Example]:
    """A message as a whole, with all its acts, and each of its spans."""
    language = row.get("lang", "") or row["id"].split("-")[0]
    acts = {one["act"] for one in row["acts"]}
    correction = row["correction"] != "none"
    labels = {name: int(name in acts) for name in _ALL_ACTS}
    labels |= {
        "correction": int(correction or "correction" in acts),
        "strong": int(row["correction"] == "explicit"),
        "keep": int(row["keep"]),
        "question": int(row["question"] or "question" in acts),
    }
    whole = {"keep": int(row["keep"]), "strong": int(row["correction"] == "explicit"), "asks": int(row["question"])}
    yield Example(row["text"], corpus, labels, language, _WRITTEN, _JUDGED, whole)
    if len(row["acts"]) < 2:
        return
    kept = [str(span) for span in row["keep_spans"]]
    for one in row["acts"]:
        span = one["span"]
        labels = {name: int(name == one["act"]) for name in _ALL_ACTS}
        labels["keep"] = int(any(span in other or other in span for other in kept))
        if one["act"] == "correction":
            labels["strong"] = int(row["correction"] == "explicit")
        elif row["correction"] == "none":
            labels["strong"] = 0
        else:
            # a sentence beside the correcting one may belong to the correction
            labels.pop("correction")
        yield Example(span, corpus, labels, language, _WRITTEN, group=row["text"])


# weight of real typed messages labelled by hand
_WRITTEN: Final = 4.0
_JUDGED: Final = frozenset({"correction", "keep", "question"})
_CLEAR: Final = 2.0
_ALL_ACTS: Final = ACTS


def _phrases() -> Iterator[Example]:
    """Phrases combined by a program: they have a low weight compared with text written by people."""
    for _, row in rows("phrases/claims.jsonl"):
        yield Example(row["text"], "phrases", {"claim": row["claim"]}, row["lang"], 1.0)
    for _, row in rows("phrases/acts.jsonl"):
        yield Example(row["text"], "phrases", {**_NOTHING, row["act"]: 1, **_worth(row)}, row["lang"], 0.3)


_NOTHING: Final = dict.fromkeys(_ALL_ACTS, 0)


def _worth(row: Row) -> dict[str, int]:
    kept = int(row["act"] in ("wish", "remember", "decision", "plan", "fact"))
    return {"keep": kept, "strong": 0, **{one: int(row.get("social") == one) for one in SOCIAL}}


def _kinds() -> Iterator[Example]:
    """Groups of sentences, one kind each."""
    for _, row in rows("kinds/*.jsonl"):
        if "claim" in row:
            yield Example(row["text"], "kinds", {"claim": row["claim"]}, row["lang"])
            continue
        labels = {**_NOTHING, row["act"]: 1, **_worth(row)}
        if row["act"] == "correction":
            labels |= {"strong": int(row.get("strong", 1)), "keep": int(row.get("keep", 1))}
        yield Example(row["text"], "kinds", labels, row["lang"], _CLEAR)


_READERS: Final[tuple[Callable[[], Iterator[Example]], ...]] = (
    _triage,
    _reflex,
    _stated,
    _other,
    _messages,
    _phrases,
    _kinds,
)
