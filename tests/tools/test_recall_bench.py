"""The recall benchmark from end to end, on a few made-up sentences."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tools.recall_data import write_data
from tools.bench_recall.__main__ import main
from tools.bench_recall.report import SYSTEMS, Row, make_rows, render
from tools.bench_recall.running import Answer, Outcome
from tools.bench_recall.sets import Question, load_sets

from everself.testing.embedder import FakeEmbedder


@pytest.fixture
def fake_model(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    fake = FakeEmbedder()
    monkeypatch.setattr("everself.models.embedding.open_embedder", lambda *_: fake)
    return fake


def run(*arguments: str | Path) -> int:
    # in this process, where the model is the fake one
    return main([*(str(one) for one in arguments), "--jobs", "1"])


def test_a_run_writes_rows_and_questions_and_prints_what_is_promised(
    tmp_path: Path, fake_model: FakeEmbedder, capsys: pytest.CaptureFixture[str]
) -> None:
    data, told = write_data(tmp_path / "data"), tmp_path / "figures.json"
    assert run("--data", data, "--json", told, "--sets", "locomo") == 0
    assert fake_model.calls
    found: dict[str, list[dict[str, Any]]] = json.loads(told.read_text())
    assert set(found) == {"rows", "questions"}
    assert all(set(row) == {"set", "system", "metric", "value", "lo", "hi", "n"} for row in found["rows"])
    assert all(0 <= row["lo"] <= row["value"] <= row["hi"] <= 1 for row in found["rows"])
    assert {row["system"] for row in found["rows"]} == set(SYSTEMS)
    values = {(row["set"], row["system"], row["metric"]): (row["value"], row["n"]) for row in found["rows"]}
    assert values["locomo", "everself", "found@500"] == (1.0, 2)
    assert values["locomo/multi-hop", "everself", "session_all@5"] == (1.0, 1)
    assert len(found["questions"]) == 2 * len(SYSTEMS)
    first = found["questions"][0]
    assert first["question"] == "Which greyhound did Bo adopt?"
    assert (first["set"], first["system"], first["category"]) == ("locomo", "everself", "single-hop")
    assert (first["recall@10"], first["found@1500"]) == (1.0, 1.0)
    out = capsys.readouterr().out
    assert "left out: 1 adversarial questions, 2 questions without evidence, 2 evidence ids without a turn" in out
    assert "≥ 0.740 ok, aim 0.85" in out
    assert "above all baselines" in out
    assert "as users get them" in out
    assert "what a score means" in out
    assert "no set below BM25" in out


@pytest.mark.slow
def test_two_at_a_time_by_the_model_that_comes_with_it_find_the_same_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_data(tmp_path / "data")
    for jobs in ("1", "2"):
        assert main(["--data", str(data), "--json", str(tmp_path / jobs), "--sets", "cjk", "--jobs", jobs]) == 0
    assert "local/" in capsys.readouterr().out
    assert (tmp_path / "1").read_text() == (tmp_path / "2").read_text()


@pytest.mark.slow
def test_all_sets_are_measured_in_one_run(tmp_path: Path, fake_model: FakeEmbedder) -> None:
    told = tmp_path / "figures.json"
    assert run("--data", write_data(tmp_path / "data"), "--json", told) == 0
    assert fake_model.calls
    found: dict[str, list[dict[str, Any]]] = json.loads(told.read_text())
    values = {
        (row["set"], row["metric"]): (row["value"], row["n"]) for row in found["rows"] if row["system"] == "everself"
    }
    assert values["locomo", "recall@10"] == (1.0, 2)
    assert values["longmemeval", "hit@1"] == (1.0, 2)
    assert values["cjk/zh", "recall@10"] == (1.0, 2)
    assert values["cjk/ja", "mrr"] == (1.0, 1)
    assert values["prefeval", "recall@10"] == (1.0, 2)
    assert {name for name, _ in values} >= {"beam", "memdaily"}
    assert len(found["questions"]) == 52 * len(SYSTEMS)


def test_sets_and_the_number_of_questions_can_be_chosen(
    tmp_path: Path, fake_model: FakeEmbedder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--data", write_data(tmp_path), "--sets", "longmemeval", "--questions", "1") == 0
    assert fake_model.calls
    out = capsys.readouterr().out
    assert "longmemeval: 1 questions" in out
    assert "locomo:" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--data", "{}/nowhere"), "There is no data folder"),
        (("--data", "{}"), "conversations.json cannot be read: No such file or directory."),
    ],
)
def test_missing_data_is_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    assert run(*(one.format(tmp_path) for one in arguments)) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""


@pytest.mark.parametrize("arguments", [(), ("--data", "x", "--sets", "mars"), ("--data", "x", "--jobs", "0")])
def test_wrong_arguments_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2


def test_without_vectors_there_are_no_figures(
    tmp_path: Path, fake_model: FakeEmbedder, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_model.fail("auth")
    assert run("--data", write_data(tmp_path), "--sets", "cjk") == 2
    assert "got no vector" in capsys.readouterr().err


def test_a_figure_below_its_promise_or_a_baseline_is_called_missed(tmp_path: Path) -> None:
    datasets = load_sets(write_data(tmp_path), ("cjk",))
    answers = [
        Answer(dataset.name, system, question, {"hit@1": float(system == better), "recall@10": 1.0})
        for dataset, better in zip(datasets, ("everself", "fts5"), strict=True)
        for question in dataset.stores[0].questions
        for system in SYSTEMS
    ]
    lines = list(render(datasets, make_rows(answers), Outcome(answers)))
    promised = [line.partition("≥")[2].strip() for line in lines if "≥" in line]
    assert promised == ["0.970 ok", "0.940 MISSED"]
    (behind,) = (line for line in lines if "whole sets" in line)
    assert "3 of 4 figures MISSED: cjk/ja hit@1 0.000 (fts5 1.000)" in behind


def test_rows_are_means_over_all_and_over_each_category() -> None:
    answers = [
        Answer("locomo", "everself", Question(str(at), category, "?", (0,)), {"mrr": value})
        for at, (category, value) in enumerate([("open", 1.0), ("open", 0.0), ("temporal", 1.0)])
    ]
    rows = {row.set: row for row in make_rows(answers)}
    assert {name: (round(row.value, 3), row.n) for name, row in rows.items()} == {
        "locomo": (0.667, 3),
        "locomo/open": (0.5, 2),
        "locomo/temporal": (1.0, 1),
    }
    assert rows["locomo/temporal"] == Row("locomo/temporal", "everself", "mrr", 1.0, 1.0, 1.0, 1)
