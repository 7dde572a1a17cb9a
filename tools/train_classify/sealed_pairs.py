"""Judge the reflex and the heads for two texts on tests/corpora/pairs. Prints scores only, no text.

usage: python -m tools.train_classify.sealed_pairs [--part PART] [--as-questions]

Every part was trained on: the formerly sealed one is `seen` since the closing run of 2026-11-16. For figures on unseen
text see `tools.train_classify.sealed_grounded`. --as-questions ignores whether a question is recognised as one.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest import mock

from tools.train_classify.examples import CORPORA

from everself.agent import Agent, open_runtime
from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.pairs import say_same
from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.conversation.events import Text
from everself.conversation.reflex import _plan
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.text.sentences import language_of

LANGUAGES: Final = ("en", "zh", "ko", "ja")
TOLD: Final = ("You told me", "你告诉过我", "이렇게 말씀하셨어요", "こう話してくれました")
NEAREST: Final = ("The nearest I have", "我这里最接近的是", "가장 가까운 기록은", "いちばん近いのはこれです")
CITATION: Final = re.compile(r"([\w./-]+\.md)#L(\d+)(?:-L(\d+))?")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """`right`: the answering memory is cited, with certainty or as the nearest. `told`: some memory is cited with
    certainty; `shown`: with certainty or as the nearest.
    """

    answerable: bool
    right: bool
    told: bool
    shown: bool


@dataclass(frozen=True, slots=True)
class Figures:
    right: float
    told: float
    wrong: float
    invented: float
    pointed: float


def rows(part: str, name: str) -> list[Row]:
    text = (CORPORA / "pairs" / part / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def questions(part: str, language: str) -> Iterator[tuple[list[str], list[Row]]]:
    """Each set of memories with its questions."""
    asked = rows(part, f"answers-{language}")
    for one in rows(part, f"answers-sets-{language}"):
        yield one["memories"], [row for row in asked if row["set"] == one["set"]]


def ask_all(home: str, memories: Sequence[str], asked: Sequence[Row]) -> list[Answered]:
    """Ask each question to a new agent without a model that has these memories."""
    with open_runtime(environ={"HOME": home, "EVERSELF_HOME": f"{home}/e", "EVERSELF_KEYS": f"{home}/k"}) as app:
        set_up(app)
        for memory in memories:
            Agent(app, fresh=False).remember(memory)
        app.index.sync()
        app.index.embed()
        assert app.embedder is not None
        with encoder.offering(app.embedder.embed):
            replies = asyncio.run(_converse(app, [str(row["question"]) for row in asked]))
    found = []
    for row, said in zip(asked, replies, strict=True):
        answers = row["answers"] if "answers" in row else [row["answer"]] if row["answer"] is not None else []
        cited = _plain(_cited(home, said))
        hit = any(_plain(memories[at]) in cited for at in answers)
        shown = any(one in said for one in (*TOLD, *NEAREST))
        found.append(Answered(bool(answers), hit and shown, any(one in said for one in TOLD), shown))
    return found


async def _converse(app: Runtime, messages: Sequence[str]) -> list[str]:
    session = app.chat.begin()
    said = []
    for message in messages:
        pieces = [event.text async for event in app.chat.converse(session, message) if isinstance(event, Text)]
        said.append("".join(pieces))
    return said


def _cited(home: str, reply: str) -> str:
    lines: list[str] = []
    for path, first, last in CITATION.findall(reply):
        every = Path(home, "e", "workspace", path).read_text(encoding="utf-8").splitlines()
        lines += every[int(first) - 1 : int(last or first)]
    return "\n".join(lines)


def _plain(words: str) -> str:
    return "".join(char for char in words.casefold() if char.isalnum())


def figures(found: Sequence[Answered]) -> Figures:
    known = [one for one in found if one.answerable]
    unknown = [one for one in found if not one.answerable]
    every, none = max(1, len(known)), max(1, len(unknown))
    return Figures(
        sum(one.right for one in known) / every,
        sum(one.right and one.told for one in known) / every,
        sum(one.told and not one.right for one in known) / every,
        sum(one.told for one in unknown) / none,
        sum(one.shown for one in unknown) / none,
    )


def asked_whole(text: str) -> Reading:
    """A reading that treats the whole text as a question."""
    return Reading((Sentence(text, SentenceKind.QUESTION, language_of(text)),))


def judge_reflex(part: str, say: Callable[[str], None], *, as_questions: bool) -> Figures:
    found: list[Answered] = []
    with ExitStack() as stack:
        if as_questions:
            stack.enter_context(mock.patch.object(_plan, "read", asked_whole))
        for language in LANGUAGES:
            own: list[Answered] = []
            for memories, asked in questions(part, language):
                with tempfile.TemporaryDirectory() as home:
                    own += ask_all(home, memories, asked)
            say(f"reflex {language}: {line(own)}")
            found += own
    say(f"reflex, all: {line(found)}")
    return figures(found)


def line(found: Sequence[Answered]) -> str:
    one, known = figures(found), sum(one.answerable for one in found)
    return (
        f"right citation {one.right:.3f} of {known} ({one.told:.3f} without reserve, another one without reserve {one.wrong:.3f}), "
        f"unanswerable told without reserve {one.invented:.3f} of {len(found) - known}, shown something as the nearest {one.pointed:.3f}"
    )


def judge_pairs(part: str, judge: Callable[[str, str], object], label: str) -> tuple[float, float]:
    """Precision and recall of a label."""
    found = [row for language in LANGUAGES for row in rows(part, f"same-{language}")]
    said = [(bool(judge(row["a"], row["b"])), row["label"] == label) for row in found]
    right = sum(one and wanted for one, wanted in said)
    return right / max(1, sum(one for one, _ in said)), right / max(1, sum(wanted for _, wanted in said))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.train_classify.sealed_pairs")
    parser.add_argument("--part", choices=("open", "more", "seen", "plain"), default="open", help="what is judged")
    parser.add_argument("--as-questions", action="store_true", help="take every question for one")
    options = parser.parse_args()
    part = options.part
    judge_reflex(part, print, as_questions=options.as_questions)
    from tools.train_classify.training import encoder as local

    embed = local()
    with encoder.offering(lambda texts: embed(list(texts))):
        for name, judge in (("same", say_same), ("contradicts", contradicts)):
            precision, recall = judge_pairs(part, judge, name)
            print(f"{name}: precision {precision:.3f}, recall {recall:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
