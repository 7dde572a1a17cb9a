"""How sure an entry is: the numbers of the product's page, worked out when read."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.memory.provenance import CORRECTION, Dynamics, base_confidence, confidence, is_human
from everself.values import Entry

DAY = date(2026, 3, 19)
SOURCES = ("owner", "hand", "correction", "agent", "tool", "web", "import", "person:jun")


def entry(source: str, mentions: int = 1) -> Entry:
    return Entry(
        "7K3QX9M2ABCD", "MEMORY.md", "x", source=source, base=base_confidence(source), mentions=mentions, seen=DAY
    )


@pytest.mark.parametrize(
    ("source", "base"),
    [("owner", 0.95), ("hand", 0.95), ("correction", 1.0)]
    + [(source, 0.6) for source in ("agent", "tool", "web", "import", "person:jun", "nonsense")],
)
def test_each_source_has_its_base(source: str, base: float) -> None:
    assert base_confidence(source) == base
    assert confidence(entry(source), DAY) == base


@pytest.mark.parametrize(
    ("source", "mentions", "days", "sure"),
    [
        ("owner", 1, 29, 0.95),
        ("owner", 1, 30, 0.9),
        ("owner", 1, 59, 0.9),
        ("owner", 1, 60, 0.85),
        ("owner", 2, 0, 0.99),
        ("owner", 3, 30, 0.99),
        ("owner", 3, 60, 0.95),
        ("owner", 1, 449, 0.25),
        ("owner", 1, 450, 0.2),
        ("owner", 1, 7300, 0.2),
        ("person:jun", 3, 0, 0.7),
        ("agent", 1, 30, 0.55),
        ("web", 1, 239, 0.25),
        ("web", 1, 240, 0.2),
        ("correction", 1, 7300, 1.0),
        ("correction", 9, 0, 1.0),
    ],
)
def test_it_grows_by_mentions_and_fades_by_months(source: str, mentions: int, days: int, sure: float) -> None:
    assert confidence(entry(source, mentions), DAY + timedelta(days=days)) == sure


def test_what_was_last_said_tomorrow_by_another_clock_does_not_grow() -> None:
    assert confidence(entry("owner"), DAY - timedelta(days=400)) == 0.95


def test_the_settings_move_it() -> None:
    slow = Dynamics(boost=0.01, loss=0.1, days=7, floor=0.5)
    assert confidence(entry("owner", 2), DAY + timedelta(days=14), slow) == 0.76
    assert confidence(entry("owner", 2), DAY + timedelta(days=700), slow) == 0.5


@given(st.sampled_from(SOURCES), st.integers(1, 10_000), st.integers(-400, 40_000))
def test_it_is_the_formula_in_hundredths(source: str, mentions: int, days: int) -> None:
    base = {"owner": 95, "hand": 95, "correction": 100}.get(source, 60)
    months = max(days, 0) // 30
    if source == CORRECTION:
        wanted = min(100, max(20, base + 5 * (mentions - 1)))
    else:
        wanted = min(99, max(20, base + 5 * (mentions - 1) - 5 * months))
    assert confidence(entry(source, mentions), DAY + timedelta(days=days)) == wanted / 100


def test_somebody_is_not_something() -> None:
    assert [source for source in SOURCES if is_human(source)] == ["owner", "hand", "correction", "person:jun"]
