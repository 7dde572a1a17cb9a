"""Every keeper that asks a model stops at the spend limit: one request beyond nothing, and the rules do the rest."""

from pathlib import Path

import pytest
from tests.keepers.minds import with_stubs
from tests.trust.rows.r02_keepers import _copy, _run, living, prepare

from everself.config.sections import SpendLimits
from everself.memory.writing import NewEntry
from everself.models.spend_meter import SpendMeter
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel
from everself.testing.origins import origin_of

pytestmark = pytest.mark.slow

ASKING = ("memory-miner", "conflict-detector", "soul-keeper", "memory-compactor")
# half a dollar a day, and each request costs more
LIMITS = SpendLimits(background_per_day=0.5)
COST = 600_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("spending") / "home"
    prepare(str(home), "propose")
    with living(str(home)) as app:
        # about the same, and no rule sees more in it
        for where in ("garden", "hall"):
            app.memory.remember(
                NewEntry(f"The garden party takes place in the big {where} of the house.", origin_of("owner"))
            )
        for wish in ("Please always answer in German.", "Never use emojis when you write to me."):
            app.memory.remember(NewEntry(wish, origin_of("owner")))
    return home


def asked(app: Runtime, *names: str) -> tuple[FakeModel, list[str]]:
    """Run keepers with a model that costs and never says anything usable, so that each would ask it again; and what they noted."""
    model = FakeModel("I would rather talk about otters.", paid=True)
    spend_meter = SpendMeter(app.state.spend, LIMITS, app.clock, lambda *_: COST)
    app.keepers._sources = with_stubs(
        app.keepers._sources, model=lambda: model, allow=spend_meter.allow, charge=spend_meter.charge
    )
    notes: list[str] = []
    for name in names:
        report = _run(app, name)
        assert report.changed, name
        notes += report.notes
    return model, notes


@pytest.mark.parametrize("name", ASKING)
def test_a_keeper_asks_no_more_once_its_day_is_spent_and_goes_by_rules(home: Path, name: str) -> None:
    with living(str(_copy(home, name))) as app:
        model, notes = asked(app, name)
        assert len(model.requests) == 1
        assert app.spend_meter.background().micros == COST
    assert any("background work is paused until tomorrow" in note for note in notes)


def test_one_day_is_for_all_of_them_together(home: Path) -> None:
    with living(str(_copy(home, "all"))) as app:
        model, notes = asked(app, *ASKING)
        assert len(model.requests) == 1
    assert sum("background work is paused until tomorrow" in note for note in notes) >= len(ASKING)


def test_with_money_each_would_have_asked_again(home: Path) -> None:
    for name in ASKING:
        with living(str(_copy(home, "rich"))) as app:
            model = FakeModel("I would rather talk about otters.")
            app.keepers._sources = with_stubs(app.keepers._sources, model=lambda model=model: model)
            _run(app, name)
            assert len(model.requests) >= 2, name
