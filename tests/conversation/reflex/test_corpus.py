"""The reflex on statements and questions that were written without sight of its rules; see `judge`.

The first corpus is what the promise is about. `more` is of other people, with an unanswerable question that sounds like an answered one for
nearly every statement; `third` asks mostly in other words than those of the statements. Rules and weights were chosen with these three in
sight, which flatters them. `last` was looked at by nobody, and is to stay so: it says numbers and no sentence. Only the first is judged
every time; a run with EVERSELF_HELD_OUT=1 takes all of them.
"""

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.conversation.reflex.talking import Said, agent, talk

CORPUS = Path(__file__).resolve().parents[2] / "corpora" / "reflex"
# the share of right answers at least, and the share of unanswerable questions that are answered at most: without vectors, and with them
PROMISED = (0.80, 0.0)
LAST = "last"
REACHED = {
    "": {False: (0.80, 0.03), True: PROMISED},
    "more": {True: PROMISED},
    # nearly half of these near misses share every word but one with what was told
    "third": {True: (0.75, 0.05)},
    LAST: {True: (0.80, 0.10)},
}
# each takes its while, so the others are run in closing runs
ALWAYS = [""]
# read before the tests get an environment of their own
HELD_OUT = bool(os.environ.get("EVERSELF_HELD_OUT"))
SHOW_MISSED = bool(os.environ.get("EVERSELF_SHOW_MISSED"))
REFUSALS = ("I don't know that yet.", "这个我还不知道。", "그건 아직 몰라요.", "それはまだわかりません。")
NEAREST = ("I don't know that for certain.", "这个我不太清楚。", "확실히는 몰라요.", "はっきりとはわかりません。")
CITATION = re.compile(r"([\w./-]+\.md)#L(\d+)(?:-L(\d+))?")


@dataclass(frozen=True, slots=True)
class Figures:
    """`told`: answered, and what is cited holds the answer and stands where the statement was kept. `near`: likewise, but shown as the
    nearest thing to an answer that is not known for certain. `wrong`: answered with something else that was said. `invented`: answered
    though nobody ever said it. `pointed`: unanswerable, and the reply says so and shows the nearest thing. `lost`: statements of which
    nothing was kept."""

    questions: int
    told: int
    near: int
    wrong: int
    unanswerable: int
    invented: int
    pointed: int
    lost: int
    # not told by a failure: nobody looks at the last corpus
    missed: tuple[str, ...] = field(default=(), repr=False)

    @property
    def right(self) -> int:
        return self.told + self.near

    def line(self, language: str) -> str:
        return (
            f"reflex {language}: {self.right}/{self.questions} answered with the right citation, {self.near} of them as the nearest thing, "
            f"{self.wrong} wrong, {self.questions - self.right - self.wrong} not known, {self.invented} invented, "
            f"{self.unanswerable - self.invented}/{self.unanswerable} refused, {self.pointed} of them with the nearest thing, "
            f"{self.lost} statements lost"
        )


def load(language: str, corpus: str) -> list[dict[str, object]]:
    lines = (CORPUS / corpus / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def cited(home: str, reply: str) -> str:
    """The lines of memory that a reply cites, as they stand in the files."""
    found = []
    for path, first, last in CITATION.findall(reply):
        lines = Path(home, "e", "workspace", path).read_text(encoding="utf-8").splitlines()
        found += [line.partition("<!--")[0] for line in lines[int(first) - 1 : int(last or first)]]
    return "\n".join(found)


def plain(words: str) -> str:
    return "".join(char for char in words.lower() if char.isalnum())


def judge(home: str, rows: list[dict[str, object]], answers: list[Said]) -> Figures:
    statements = {str(row["id"]): str(row["text"]) for row in rows if row["kind"] == "statement"}
    asked = [row for row in rows if row["kind"] != "statement"]
    told = near = wrong = invented = pointed = 0
    missed = []
    for row, said in zip(asked, answers, strict=True):
        reply = said.reply.strip()
        hedged = any(one in reply for one in NEAREST)
        refused = hedged or reply.endswith(REFUSALS)
        if row["kind"] == "unanswerable":
            invented += not refused
            pointed += hedged
            ok = refused
        else:
            words = row["answer"]
            assert isinstance(words, list)
            lines = plain(cited(home, said.reply))
            source = statements[str(row["about"])]
            ok = any(plain(word) in lines for word in words) and bool(lines) and _stems_from(lines, source)
            told += ok and not hedged
            near += ok and hedged
            wrong += not ok and not refused
        if not ok:
            missed.append(f"{row['id']} {said.text} → {reply}")
    with agent(home) as app:
        kept = [_parts(entry.text) for entry in app.memory.catalog.all()]
    lost = sum(
        not any(parts and all(one in plain(text) for one in parts) for parts in kept) for text in statements.values()
    )
    questions = sum(row["kind"] == "question" for row in asked)
    unanswerable = len(asked) - questions
    return Figures(questions, told, near, wrong, unanswerable, invented, pointed, lost, tuple(missed))


def _parts(kept: str) -> list[str]:
    """What is kept of a statement, without what was left out of it as a secret."""
    return [part for part in map(plain, re.split(r"\[redacted: [^\]]*\]", kept)) if part]


def _stems_from(lines: str, statement: str) -> bool:
    """Whether the cited lines are that statement, or the part of it that was wished to be remembered."""
    whole = plain(statement)
    return whole in lines or lines in whole


@pytest.mark.slow
@pytest.mark.parametrize("corpus", [*REACHED] if HELD_OUT else ALWAYS)
@pytest.mark.parametrize("language", ["en", "zh", "ko", "ja"])
def test_what_was_told_is_answered_with_its_citation_and_nothing_else_is(
    language: str, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # one home for both: without vectors first
    for meaning, (right_at_least, invented_at_most) in REACHED[corpus].items():
        if not meaning and language != "en" and not HELD_OUT:
            continue
        figures = run(language, corpus, str(tmp_path), meaning=meaning)
        with capsys.disabled():
            print(f"\n{figures.line(f'{corpus} {language}')} ({'with' if meaning else 'without'} vectors)")
            if SHOW_MISSED and corpus != LAST:
                print("\n".join(figures.missed))
        assert figures.lost == 0
        assert figures.invented / figures.unanswerable <= invented_at_most
        assert figures.right / figures.questions >= right_at_least


def run(language: str, corpus: str, home: str, *, meaning: bool) -> Figures:
    rows = load(language, corpus)
    if not Path(home, "e").exists():
        talk(home, [str(row["text"]) for row in rows if row["kind"] == "statement"])
    answers = talk(home, [str(row["text"]) for row in rows if row["kind"] != "statement"], meaning=meaning)
    return judge(home, rows, answers)
