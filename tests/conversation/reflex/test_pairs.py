"""The reflex on questions and memories that were written without sight of it; see tests/corpora/pairs/README.md.

Thresholds were chosen on these very questions, in folds: what is asked of them here leaves some room. The sealed third is judged by the
same functions in a closing run. Whether a sentence is a question is not judged here: many of these have no mark, and that is the matter of
the head for speech acts; `ask_all` without `taken_for_questions` measures both together.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.conversation.reflex.talking import agent, converse

from everself.agent import Agent
from everself.classify import encoder
from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.classify.sentences import language_of
from everself.conversation.reflex import _plan
from everself.operations.setup import set_up

OPEN = Path(__file__).resolve().parents[2] / "corpora" / "pairs" / "open"
LANGUAGES = ("en", "zh", "ko", "ja")
TOLD = ("You told me", "你告诉过我", "이렇게 말씀하셨어요", "こう話してくれました")
NEAREST = ("The nearest I have", "我这里最接近的是", "가장 가까운 기록은", "いちばん近いのはこれです")
CITATION = re.compile(r"([\w./-]+\.md)#L(\d+)(?:-L(\d+))?")
RIGHT, INVENTED = 0.72, 0.05


@dataclass(frozen=True, slots=True)
class Answered:
    """`right`: the memory that answers is cited, without reserve or as the nearest. `told`: something is, without reserve."""

    answerable: bool
    right: bool
    told: bool


def questions(folder: Path, language: str) -> Iterator[tuple[list[str], list[dict[str, object]]]]:
    """Each set of memories with what is asked about it."""
    sets = _rows(folder / f"answers-sets-{language}.jsonl")
    asked = _rows(folder / f"answers-{language}.jsonl")
    for one in sets:
        memories = one["memories"]
        assert isinstance(memories, list)
        yield memories, [row for row in asked if row["set"] == one["set"]]


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ask_all(home: str, memories: list[str], asked: list[dict[str, object]]) -> list[Answered]:
    with agent(home) as app:
        set_up(app)
        for memory in memories:
            Agent(app).remember(memory)
        app.index.sync()
        app.index.embed()
        assert app.embedder is not None
        with encoder.offering(app.embedder.embed):
            replies = asyncio.run(converse(app, [str(row["question"]) for row in asked]))
    found = []
    for row, said in zip(asked, replies, strict=True):
        at = row["answer"]
        hit = isinstance(at, int) and _plain(memories[at]) in _plain(_cited(home, said.reply))
        shown = any(one in said.reply for one in (*TOLD, *NEAREST))
        found.append(Answered(isinstance(at, int), hit and shown, any(one in said.reply for one in TOLD)))
    return found


def _cited(home: str, reply: str) -> str:
    lines: list[str] = []
    for path, first, last in CITATION.findall(reply):
        every = Path(home, "e", "workspace", path).read_text(encoding="utf-8").splitlines()
        lines += every[int(first) - 1 : int(last or first)]
    return "\n".join(lines)


def _plain(words: str) -> str:
    return "".join(char for char in words.casefold() if char.isalnum())


def line(name: str, found: list[Answered]) -> tuple[float, float]:
    known = [one for one in found if one.answerable]
    unknown = [one for one in found if not one.answerable]
    right = sum(one.right for one in known) / len(known)
    invented = sum(one.told for one in unknown) / len(unknown)
    told = sum(one.right and one.told for one in known) / len(known)
    print(
        f"reflex {name}: right citation {right:.3f} of {len(known)} ({told:.3f} without reserve), "
        f"unanswerable told without reserve {invented:.3f} of {len(unknown)}"
    )
    return right, invented


@pytest.fixture
def taken_for_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan, "read", asked_whole)


def asked_whole(text: str) -> Reading:
    return Reading((Sentence(text, SentenceKind.QUESTION, language_of(text)),))


@pytest.mark.slow
@pytest.mark.usefixtures("taken_for_questions")
def test_the_open_questions_are_answered_with_the_right_citation(tmp_path: Path) -> None:
    found: list[Answered] = []
    for language in LANGUAGES:
        own: list[Answered] = []
        for number, (memories, asked) in enumerate(questions(OPEN, language)):
            own += ask_all(str(tmp_path / f"{language}{number}"), memories, asked)
        line(language, own)
        found += own
    right, invented = line("open, pooled", found)
    assert right >= RIGHT
    assert invented <= INVENTED
