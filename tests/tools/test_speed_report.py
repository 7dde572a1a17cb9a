"""What the speed benchmark says of its figures."""

from pathlib import Path

import pytest
from tools.bench_speed.__main__ import main
from tools.bench_speed.report import PROMISED, Figure, as_json, growth, line, verdicts


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Figure("search p50", 100_000, 14.9, "ms"), "search p50 at 100,000: 14.9 ms (promised ≤ 15) ok"),
        (Figure("search p50", 100_000, 15.1, "ms"), "search p50 at 100,000: 15.1 ms (promised ≤ 15) MISSED"),
        (Figure("search p50", 10_000, 900.0, "ms"), "search p50 at 10,000: 900 ms"),
        (
            Figure("index rate of the model's own", 0, 0.79, "×"),
            "index rate of the model's own: 0.79 × (promised ≥ 0.8) MISSED",
        ),
        (Figure("cold command by keywords", 0, 0.4, "s"), "cold command by keywords: 0.40 s (promised ≤ 0.5) ok"),
    ],
)
def test_a_figure_stands_beside_its_promise(figure: Figure, verdict: str) -> None:
    assert line(figure) == verdict


def test_a_promise_that_was_not_measured_is_named() -> None:
    told = list(verdicts([Figure("memory", 100_000, 300.0, "MB")]))
    assert len(told) == len(PROMISED)
    assert "memory at 100,000: 300 MB (promised ≤ 600) ok" in told
    assert "search p50 at 1,000,000: not measured" in told


def test_growth_is_told_from_size_to_size() -> None:
    figures = [
        Figure("search p50", size, value, "ms") for size, value in ((1_000, 5.0), (100_000, 12.0), (10_000, 6.0))
    ]
    assert list(growth(figures, ("search p50", "memory"))) == [
        "search p50: 1,000 → 10,000 × 1.2; 10,000 → 100,000 × 2.0"
    ]


def test_the_figures_as_json_say_what_was_promised() -> None:
    told = as_json([Figure("memory", 100_000, 700.0, "MB"), Figure("hits a search", 1_000, 3.0, "")])
    assert told[0] == {
        "name": "memory",
        "size": 100_000,
        "value": 700.0,
        "unit": "MB",
        "promised": 600.0,
        "kept": False,
    }
    assert (told[1]["promised"], told[1]["kept"]) == (None, None)


@pytest.mark.parametrize("wrong", [["--sizes", "10"], ["--sizes", "many"], ["--only", "everything"]])
def test_what_cannot_be_measured_is_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.slow
def test_a_small_run_tells_every_part_of_a_search(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "figures.json"
    assert main(["--sizes", "1000", "--only", "search,raw", "--profile", "--json", str(target)]) == 0
    told = capfd.readouterr().out
    for name in ("search p50 at 1,000", "FTS5 p50", "numpy float32 scan p50", "part: nearest", "index.db", "memory"):
        assert name in told
    assert target.stat().st_size > 1_000
