"""Questions are made of notes without copying them, the same for the same notes, and results are compared with chance in mind."""

import pytest

from everself.search.evaluation import (
    Evaluation,
    EvaluationQuestion,
    Sample,
    change_beyond_chance,
    evaluate,
    make_questions,
    sample_notes,
)
from everself.values import Hit

NOTE = "The heron at the old mill pond caught four silver roach before breakfast on Sunday"


def sample(text: str, path: str = "memory/a.md", line: int = 1) -> Sample:
    return Sample(path, line, line, text)


def by_length(word: str) -> int:
    """Long words are rare."""
    return max(1, 12 - len(word))


def test_a_question_has_rare_words_of_its_note_in_another_order_and_not_all_of_them() -> None:
    (question,) = make_questions(iter([sample(NOTE)]), by_length, 10)
    words = question.text.split()
    of_note = NOTE.lower().split()
    assert set(words) <= set(of_note)
    assert 2 <= len(words) < len(of_note) / 2
    assert question.text not in NOTE.lower()
    assert not {"the", "at", "on"} & set(words)


@pytest.mark.parametrize(
    "text",
    [
        "我昨天在杭州的西湖边喝了一杯龙井绿茶然后坐船去看雷峰塔",
        "어제 서울 종로에서 오랜 친구와 따뜻한 김치찌개를 함께 먹었다",
    ],
)
def test_notes_without_spaces_or_in_hangul_are_asked_about_too(text: str) -> None:
    (question,) = make_questions(iter([sample(text)]), by_length, 10)
    assert all(word in text for word in question.text.split())
    assert question.text.replace(" ", "") not in text


def test_the_same_notes_give_the_same_questions_and_another_seed_gives_others() -> None:
    notes = [sample(f"{NOTE} number {number} of {number * 7}") for number in range(5)]
    assert make_questions(iter(notes), by_length, 5) == make_questions(iter(notes), by_length, 5)
    assert make_questions(iter(notes), by_length, 5) != make_questions(iter(notes), by_length, 5, seed=2)


def test_short_and_repeated_notes_are_passed_over_and_no_more_are_read_than_needed() -> None:
    read: list[str] = []

    def notes():
        for text in (
            "Tea.",
            NOTE,
            NOTE.upper(),
            f"{NOTE} again elsewhere",
            "never read at all, since enough was asked",
        ):
            read.append(text)
            yield sample(text)

    assert len(make_questions(notes(), by_length, 2)) == 2
    assert len(read) == 5
    assert make_questions(iter([sample(NOTE)]), lambda _word: 0, 5) == ()


def test_places_are_counted_by_lines_or_by_the_same_words_elsewhere() -> None:
    about = sample("the very words", "memory/a.md", 5)
    hits = [
        Hit("memory/a.md", 1, 4, 0.9, "before it"),
        Hit("memory/b.md", 5, 5, 0.8, "other"),
        Hit("memory/a.md", 4, 6, 0.7, "around it"),
        Hit("memory/c.md", 1, 1, 0.6, "- The very  words, said again"),
    ]
    questions = [EvaluationQuestion("x", about), EvaluationQuestion("y", about), EvaluationQuestion("z", about)]
    answers = {"x": hits, "y": hits[3:], "z": hits[:2]}
    found = evaluate(questions, lambda words: answers[words])
    assert found.ranks == (3, 1, 0)
    assert (found.recall_at(1), found.recall_at(5)) == (1 / 3, 2 / 3)
    assert found.mrr == pytest.approx((1 / 3 + 1) / 3)


def test_nothing_asked_is_no_division_by_nothing() -> None:
    found = evaluate([], lambda _words: [])
    assert (found.count, found.mrr, found.recall_at(10)) == (0, 0.0, 0.0)
    assert change_beyond_chance(found, found) == 0.0


def test_a_small_loss_on_the_same_questions_is_seen_which_among_others_is_chance() -> None:
    before = Evaluation("same", (1,) * 80 + (2, 0) * 10)
    after = Evaluation("same", (1,) * 72 + (2,) * 8 + (2, 0) * 10)
    assert change_beyond_chance(before, after) == pytest.approx(-0.04)
    assert change_beyond_chance(before, Evaluation("other", after.ranks)) == 0.0
    assert change_beyond_chance(before, Evaluation("other", (0,) * 100)) == pytest.approx(-before.mrr)
    assert change_beyond_chance(before, before) == 0.0


class _View:
    """As much of an index as sampling asks for."""

    def __init__(self, documents: dict[str, list[str]], first: int = 0) -> None:
        from everself.search.index_file.protocol import IndexedDocument

        self.texts_of: dict[int, tuple[str, int, str]] = {}
        self.documents = {}
        for number, (path, texts) in enumerate(documents.items(), 1):
            self.documents[number] = IndexedDocument(number, path, "", first, len(texts))
            for at, text in enumerate(texts):
                self.texts_of[first + at] = path, at + 1, text
            first += len(texts)

    def chunks(self, numbers):
        from everself.search.index_file.protocol import IndexedChunk

        return [IndexedChunk(one, 0, 0, 0, 0, self.texts_of[one][1], self.texts_of[one][1]) for one in numbers]

    def texts(self, numbers):
        return [self.texts_of[one][2] for one in numbers]


def test_which_notes_are_taken_depends_on_paths_and_not_on_numbers_in_the_index() -> None:
    documents = {f"memory/{name}.md": [f"{name} {at}" for at in range(4)] for name in "abc"}
    there = _View(documents)
    elsewhere = _View(dict(reversed(documents.items())), first=700)
    taken = list(sample_notes(there, there))  # type: ignore[arg-type]
    assert taken == list(sample_notes(elsewhere, elsewhere))  # type: ignore[arg-type]
    assert len(set(taken)) == 12
    # every document has its turn before one has its second
    assert {one.path for one in taken[:3]} == set(documents)
