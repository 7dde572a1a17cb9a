"""The closing run: judges messages that were never seen before. Prints scores only.

usage: python -m tools.train_classify.sealed [--open] [--sums NAME] [--turns FILE]

Follows the rules for the judge in tests/corpora/messages/README.md. A file with a wrong checksum is not judged. --open
judges the open messages instead, which were trained on: it tests this program. --sums judges only the files listed in
NAME, such as SHA256SUMS.fresh. --turns FILE also reports how many
ordinary turns of LoCoMo (conversations.json) are taken for corrections.
"""

import argparse
import hashlib
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tools.train_classify.examples import CORPORA
from tools.train_classify.heads import ACTS
from tools.train_classify.training import encoder

from everself.classify.corrections import find_change, find_correction
from everself.classify.encoder import offering
from everself.classify.injection import label
from everself.classify.model import score
from everself.classify.sentences import KEPT
from everself.classify.shown import said
from everself.classify.statements import read_each

MESSAGES: Final = CORPORA / "messages"
# languages never trained on
UNSEEN: Final = ("de", "es", "fr", "pt", "ru")
Row = dict[str, Any]
Judged = dict[str, Any]


def sealed(sums: str) -> Iterator[tuple[str, list[Row]]]:
    for listed in sorted(MESSAGES.glob(sums)):
        for line in listed.read_text(encoding="utf-8").splitlines():
            wanted, name = line.split(maxsplit=1)
            path = MESSAGES / name
            if path.suffix != ".xz":
                continue
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != wanted:
                print(f"{name}: the checksum does not match; not judged.")
                continue
            yield path.name.partition(".")[0], rows(lzma.decompress(data).decode())


def opened() -> Iterator[tuple[str, list[Row]]]:
    for path in sorted((MESSAGES / "open").glob("*.jsonl")):
        yield path.stem, rows(path.read_text(encoding="utf-8"))


def rows(text: str) -> list[Row]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def judge(row: Row) -> Judged:
    text = row["text"]
    reading = read_each(text)
    change = find_change(said(text))
    scored = [score(one["span"]) for one in row["acts"]]
    return {
        "acts": [
            (one["act"], max(ACTS, key=found.__getitem__)) for one, found in zip(row["acts"], scored, strict=True)
        ],
        "keep": (row["keep"], bool(reading.of(*KEPT))),
        "question": (row["question"], reading.asks),
        "states": row["keep"] or row["question"],
        "injection": (row["injection"], label(text).suspicious),
        "correction": (
            row["correction"],
            "none" if change is None else "explicit" if change.sure != "low" else "implicit",
        ),
    }


def told(name: str, found: Sequence[Judged]) -> dict[str, float]:
    """Print the results of a language; returns the figures that others are compared with."""
    acts = [pair for one in found for pair in one["acts"]]
    right = sum(one == other for one, other in acts)
    print(f"{name}: {len(found)} messages; acts: accuracy {right / len(acts):.3f}, macro F1 {_macro(acts):.3f}")
    figures = {"acts": right / len(acts)}
    for output in ("keep", "question", "injection"):
        precision, recall = _rates([one[output] for one in found])
        figures[output] = _mean(precision, recall)
        print(f"  {output}: precision {precision:.3f}, recall {recall:.3f}, F1 {figures[output]:.3f}")
    every = [one["question"] for one in found]
    stating = [one["question"] for one in found if one["states"]]
    print(f"  question or not: {_share(every):.3f} of all, {_share(stating):.3f} of questions and statements")
    for which, hidden in (("explicit", ()), ("explicit, implicit ones left out", ("implicit",))):
        pairs = [one["correction"] for one in found if one["correction"][0] not in hidden]
        precision, recall = _rates([(one == "explicit", other == "explicit") for one, other in pairs])
        figures.setdefault("correction", _mean(precision, recall))
        print(f"  corrections ({which}): precision {precision:.3f}, recall {recall:.3f}")
    confusion = Counter(one["correction"] for one in found)
    print("  wanted/found: " + ", ".join(f"{one}/{other} {count}" for (one, other), count in sorted(confusion.items())))
    return figures


def _rates(pairs: Sequence[tuple[bool, bool]]) -> tuple[float, float]:
    right = sum(one and other for one, other in pairs)
    return right / max(1, sum(other for _, other in pairs)), right / max(1, sum(one for one, _ in pairs))


def _mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(1e-9, precision + recall)


def _share(pairs: Sequence[tuple[bool, bool]]) -> float:
    return sum(one == other for one, other in pairs) / max(1, len(pairs))


def _macro(pairs: Sequence[tuple[str, str]]) -> float:
    there = sorted({one for one, _ in pairs})
    return sum(_mean(*_rates([(one == act, other == act) for one, other in pairs])) for act in there) / len(there)


def turns(path: Path) -> str:
    found = [
        turn["text"]
        for one in json.loads(path.read_text(encoding="utf-8"))
        for name, session in one["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
        if turn.get("text")
    ]
    flagged = sum(find_correction(said(text)) is not None for text in found)
    return f"LoCoMo: {flagged} of {len(found)} turns taken for corrections ({flagged / len(found):.2%})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.train_classify.sealed", description="Judge sealed messages.")
    parser.add_argument("--open", action="store_true", help="judge the open messages, to try this program")
    parser.add_argument("--sums", default="SHA256SUMS*", metavar="NAME", help="judge only the files in this list")
    parser.add_argument("--turns", metavar="FILE", help="conversations of LoCoMo")
    asked = parser.parse_args()
    with offering(encoder()):
        files = opened() if asked.open else sealed(asked.sums)
        judged = {language: [judge(row) for row in found] for language, found in files}
        told("all", [one for found in judged.values() for one in found])
        figures = {language: told(language, found) for language, found in judged.items()}
        unseen = [one for language in UNSEEN for one in judged.get(language, ())]
        if unseen and "en" in figures:
            reached = told("never learned from", unseen)
            for name, value in reached.items():
                print(f"  {name}: {value - figures['en'][name]:+.3f} beside English")
        if asked.turns:
            print(turns(Path(asked.turns)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
