"""What `make bench-integrations` says of its figures."""

import pytest
from tools.bench_integrations.__main__ import main
from tools.bench_integrations.figures import Figure, as_json, spread


def test_a_figure_is_told_with_what_is_promised_for_it() -> None:
    assert str(Figure("tools/list", 1_042, "tokens", 1_500)) == "tools/list: 1,042 tokens (promised ≤ 1,500) ok"
    assert str(Figure("idle", 81, "MB", 80)).endswith("MISSED")
    assert str(Figure("idle", 81, "MB")) == "idle: 81 MB"
    assert as_json([Figure("idle", 81, "MB")])[0]["value"] == 81


def test_the_late_ones_are_told_beside_the_median() -> None:
    middle, late = spread("call", [at / 1000 for at in range(100)], 90.0)
    assert (middle.name, middle.value) == ("call p50", 50)
    assert (late.name, late.value, late.most) == ("call p95", 95, 90.0)
    assert [one.value for one in spread("call", [0.5])] == [500, 500]


def test_an_unknown_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "clients"])
    assert "unknown part: clients" in capsys.readouterr().err
