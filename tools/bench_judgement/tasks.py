"""The four tasks. Each yields cases: the text to judge, whether it should be found, and the answers of Everself and of the baseline.

The data folder is read and never copied; the open parts of Everself's own corpora are added.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tools.bench_judgement import baselines

OURS = Path(__file__).resolve().parents[2] / "tests" / "corpora"


class BadData(Exception):
    """The folder does not contain the expected data."""


@dataclass(frozen=True, slots=True)
class Case:
    """`part`: a language, or a family of attacks or of harmless texts."""

    part: str
    wanted: bool
    found: bool
    plain: bool
    # parts with the same group are also counted together
    group: str = ""


def corrections(data: Path) -> Iterator[Case]:
    """Corrections of a voice assistant's commands (mostly rephrasings: for orientation only), and our own in four languages."""
    from everself.classify.corrections import find_correction

    for row in read(data / "correction" / "turns.jsonl"):
        text = str(row["text"])
        yield Case(
            "commands (en)",
            bool(row["is_correction"]),
            find_correction(text) is not None,
            baselines.is_correction(text),
        )
    for row in _ours("triage"):
        text = str(row["text"])
        wanted = row["label"] == "correction"
        yield Case(str(row["lang"]), wanted, find_correction(text) is not None, baselines.is_correction(text))


def conflicts(data: Path) -> Iterator[Case]:
    from everself.classify.contradiction import contradicts

    def case(part: str, wanted: bool, older: str, newer: str) -> Case:
        return Case(part, wanted, bool(contradicts(older, newer)), baselines.is_conflict(older, newer))

    for row in read(data / "conflict" / "pairs.jsonl"):
        yield case(f"sentences ({row['lang']})", row["label"] == "contradiction", row["a"], row["b"])
    for row in read(data / "conflict" / "updates.jsonl"):
        yield case("turns (en)", True, row["old"], row["new"])
    for row in read(data / "conflict" / "same_topic_negatives.jsonl"):
        yield case("turns (en)", False, row["a"], row["b"])
    for row in _ours("conflicts"):
        yield case(str(row["lang"]), row["label"] == "contradiction", row["older"], row["newer"])


# texts collected by others, without those of this repository
COLLECTED: Final = "texts of the folder"


def attacks(data: Path) -> Iterator[Case]:
    from everself.classify.injection import label

    def case(part: str, wanted: bool, text: str, group: str = "") -> Case:
        return Case(part, wanted, label(text).suspicious, baselines.is_attack(text), group)

    for row in read(data / "injection" / "texts.jsonl"):
        yield case(_family(str(row["source"])), bool(row["label"]), str(row["text"]), COLLECTED)
    for text in _turns(data / "locomo" / "conversations.json"):
        yield case("LoCoMo turns", False, text)
    for row in _ours("injection", "owner.jsonl"):
        yield case(f"the owner's orders ({row['lang']})", False, str(row["text"]))
    for row in _ours("injection", "updates.jsonl"):
        if row["kind"] == "malicious":
            yield case(f"malicious updates ({row['lang']})", True, str(row["text"]))


def newer_first(data: Path) -> Iterator[Case]:
    """Whether search ranks the newer of two statements above the older one."""
    from tools.bench_judgement.ranking import rank_updates

    yield from rank_updates(list(read(data / "conflict" / "updates.jsonl")))


TASKS: dict[str, Callable[[Path], Iterator[Case]]] = {
    "corrections": corrections,
    "conflicts": conflicts,
    "attacks": attacks,
    "newer-first": newer_first,
}


def read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror}.") from error
    return (json.loads(line) for line in text.split("\n") if line.strip())


def _ours(corpus: str, pattern: str = "*.jsonl") -> Iterator[dict[str, Any]]:
    for path in sorted((OURS / corpus).glob(pattern)):
        yield from (row for row in read(path) if not row["held"])


def _family(source: str) -> str:
    for begin, name in (
        ("notinject", "NotInject"),
        ("bipia_ctx", "BIPIA documents"),
        ("garak_latent_ctx", "garak documents"),
    ):
        if source.startswith(begin):
            return name
    for begin in ("bipia_text", "bipia_code", "garak_latent", "agentdojo_env_benign"):
        if source.startswith(begin):
            return begin
    return "agentdojo" if source.startswith("agentdojo") else source


def _turns(path: Path) -> list[str]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror}.") from error
    found: list[str] = []

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if "speaker" in node and "text" in node:
                found.append(str(node["text"]))
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(told)
    return found
