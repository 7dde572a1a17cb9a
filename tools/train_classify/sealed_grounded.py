"""The closing run for messages judged together with the known entries (tests/corpora/grounded). Prints scores only.

usage: python -m tools.train_classify.sealed_grounded [--train LANGUAGE ...] [--people N] [--no-reflex] [--turns FILE]

Sealed files are unpacked in memory; one with a wrong checksum is not judged. --train judges people that were trained on
instead, to test this program. --people judges the first people of each language only. --no-reflex omits the questions
to a whole agent, which take some minutes. --turns FILE also reports how many ordinary turns of LoCoMo
(conversations.json) are taken for corrections.
"""

import argparse
import hashlib
import json
import lzma
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tools.train_classify.examples import CORPORA, SEALED
from tools.train_classify.heads import KEPT as STATING
from tools.train_classify.sealed import turns
from tools.train_classify.sealed_pairs import Answered, ask_all, line
from tools.train_classify.training import encoder

from everself.classify.corrections import find_correction
from everself.classify.encoder import offering
from everself.classify.grounded import judge
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.shown import said
from everself.classify.statements import read_each

FOLDER: Final = CORPORA / "grounded"
TRAINED: Final = ("en", "zh", "ko", "ja")
Row = dict[str, Any]
Pairs = Sequence[tuple[bool, bool]]


@dataclass(frozen=True, slots=True)
class Judged:
    """The wanted and the found result of one message. `closed`: right and wrong closings, and entries left open."""

    keep: tuple[bool, bool]
    in_view: tuple[bool, bool]
    correction: tuple[bool, bool]
    possible: tuple[bool, bool]
    words: tuple[bool, bool]
    explicit: bool
    asks: tuple[bool, bool]
    question: tuple[bool, bool]
    against: bool
    closed: tuple[int, int, int]


def sealed() -> Iterator[tuple[str, list[Row]]]:
    for listed in (FOLDER / SEALED / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        wanted, name = listed.split(maxsplit=1)
        path = FOLDER / SEALED / Path(name.lstrip("*")).name
        if path.suffix != ".xz":
            continue
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != wanted:
            print(f"{path.name}: the checksum does not match; not judged.")
            continue
        yield path.name.partition(".")[0], rows(lzma.decompress(data).decode())


def opened(languages: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    for language in languages:
        yield language, rows((FOLDER / "train" / f"{language}.jsonl").read_text(encoding="utf-8"))


def rows(text: str) -> list[Row]:
    return [json.loads(one) for one in text.splitlines() if one.strip()]


def judge_message(row: Row, known: Sequence[str]) -> Judged:
    text, acts = row["text"], set(row["acts"])
    reading = read_each(text)
    found = judge(text, known, row["before"])
    assert found is not None, "There is no encoder."
    asks, states = "question" in acts, bool(acts & STATING)
    corrects, wrong = "correction" in acts, set(row["corrects"])
    closed = set(found.closes) if found.sure else set()
    kept = bool(reading.of(*KEPT))
    return Judged(
        (row["keep"], kept),
        (row["keep"], found.keep),
        (corrects, found.sure),
        (corrects, found.may),
        (corrects, find_correction(said(text)) is not None),
        row["explicit"],
        (asks, reading.asks),
        (asks, bool(reading.of(SentenceKind.QUESTION))),
        asks != states,
        (len(closed & wrong), len(closed - wrong), len(wrong - closed)),
    )


def ask(people: Sequence[Row]) -> list[Answered]:
    """Ask every question of each person to an agent without a model that has the person's known entries."""
    found: list[Answered] = []
    for one in people:
        asked = [
            {"question": row["text"], "answers": row["answers"]} for row in one["messages"] if "question" in row["acts"]
        ]
        with tempfile.TemporaryDirectory() as home:
            found += ask_all(home, one["known"], asked)
    return found


def told(name: str, found: Sequence[Judged], answered: Sequence[Answered]) -> None:
    print(f"{name}: {len(found)} messages")
    print(f"  keep or skip, by the message alone: {_rates([one.keep for one in found])}")
    print(f"  keep or skip, with what is known in view: {_rates([one.in_view for one in found])}")
    for what, pairs in (
        ("corrections, sure", [one.correction for one in found]),
        ("corrections, sure or possible", [one.possible for one in found]),
        ("corrections, by the message alone", [one.words for one in found]),
    ):
        explicit = [one[1] for one, each in zip(pairs, found, strict=True) if each.explicit]
        print(f"  {what}: {_rates(pairs)}; of {len(explicit)} explicit ones {_share(explicit):.3f}")
    right, wrong, missed = (sum(one.closed[at] for one in found) for at in range(3))
    print(
        f"  entries that a sure correction would close: {right} rightly, {wrong} wrongly, {missed} that no longer hold left open"
    )
    against = [one.asks for one in found if one.against]
    print(f"  question against statement: {_same(against):.3f} of {len(against)}")
    print(f"  question or not, over all messages: {_same([one.question for one in found]):.3f}")
    if answered:
        print(f"  reflex: {line(answered)}")


def _rates(pairs: Pairs) -> str:
    right, wanted, said = (sum(one) for one in zip(*((a and b, a, b) for a, b in pairs), strict=True))
    score = 2 * right / max(1, wanted + said)
    return f"precision {right / max(1, said):.3f}, recall {right / max(1, wanted):.3f}, F1 {score:.3f}"


def _same(pairs: Pairs) -> float:
    return _share([one == other for one, other in pairs])


def _share(found: Sequence[bool]) -> float:
    return sum(found) / max(1, len(found))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.train_classify.sealed_grounded")
    parser.add_argument("--train", nargs="+", choices=TRAINED, default=(), help="judge what was learned from")
    parser.add_argument("--people", type=int, default=None, help="judge so many of each language")
    parser.add_argument("--no-reflex", action="store_true", help="ask no agent")
    parser.add_argument("--turns", metavar="FILE", help="conversations of LoCoMo")
    options = parser.parse_args()
    judged: dict[str, list[Judged]] = {}
    answered: dict[str, list[Answered]] = {}
    encode = encoder()
    for language, every in opened(options.train) if options.train else sealed():
        people = every[: options.people]
        with offering(encode):
            judged[language] = [judge_message(row, one["known"]) for one in people for row in one["messages"]]
        answered[language] = [] if options.no_reflex else ask(people)
        told(language, judged[language], answered[language])
    groups = {
        "all": list(judged),
        "the four languages that are learned from": [one for one in judged if one in TRAINED],
        "the five that are never learned from": [one for one in judged if one not in TRAINED],
    }
    for name, languages in groups.items():
        if languages:
            told(name, *([one for each in languages for one in part[each]] for part in (judged, answered)))
    if options.turns:
        with offering(encode):
            print(turns(Path(options.turns)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
