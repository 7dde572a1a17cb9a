"""Bringing the index up to date drops vectors of what was closed longer ago than the settings grant, and says how many."""

from datetime import timedelta
from pathlib import Path

from everself.agent import open_runtime
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import NoRequest
from everself.operations.index import IndexRequest, StatusRequest, memory_status, rebuild_index, update_index
from everself.operations.setup import set_up
from everself.testing.embedder import FakeEmbedder


def test_the_days_of_grace_are_those_of_the_settings_and_a_rebuild_drops_the_same() -> None:
    for days, expected in (("7", 0), ("2", 1)):
        with open_runtime() as app:
            set_up(app)
            config = Path(app.agent.workspace, "CONFIG.md")
            lines = config.read_text("utf-8").splitlines()
            kept = [line for line in lines if not line.startswith("corrected_embedding_grace_days")]
            at = next(number for number, line in enumerate(lines) if line not in kept)
            config.write_text("\n".join([*kept[:at], f"corrected_embedding_grace_days: {days}", *kept[at:]]), "utf-8")
        with open_runtime() as app:
            app.__dict__["embedder"] = FakeEmbedder()
            day = (app.clock.today() - timedelta(days=4)).isoformat()
            line = f"- ~~Bob drinks coffee~~ <!-- everself: id=0123456789AC src=owner until={day} -->\n"
            Path(app.agent.workspace, "memory").mkdir(exist_ok=True)
            Path(app.agent.workspace, "memory", "drinks.md").write_text(f"# Drinks\n\n{line}", "utf-8")
            update_index(app, AT_TERMINAL, IndexRequest())
            found = memory_status(app, AT_TERMINAL, StatusRequest(deep=True)).index
            assert (found.pieces - app.index.view().embedded, found.remarks) == (expected, ())
            rebuilt = rebuild_index(app, AT_TERMINAL, NoRequest())
            assert (rebuilt.pending, app.index.view().embedded) == (0, found.pieces - expected)


def test_what_was_dropped_is_counted() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = FakeEmbedder()
        log = Path(app.agent.workspace, "memory", "drinks.md")
        log.parent.mkdir(exist_ok=True)
        day = (app.clock.today() - timedelta(days=3)).isoformat()
        log.write_text(f"- Bob drinks coffee <!-- everself: id=0123456789AC src=owner until={day} -->\n", "utf-8")
        assert update_index(app, AT_TERMINAL, IndexRequest()).dropped == 0
        app.index._grace = timedelta(days=1)
        assert update_index(app, AT_TERMINAL, IndexRequest()).dropped == 1
