"""What the trends say, from the rows that are kept."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from everself.agent import Agent, open_runtime
from everself.memory.writing import NewEntry
from everself.operations.caller import AT_TERMINAL
from everself.operations.contents import TrendsRequest, show_trends
from everself.operations.search import SearchRequest, search_memory
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.testing.origins import origin_of


@pytest.fixture
def app() -> Iterator[Runtime]:
    with open_runtime() as app:
        set_up(app)
        yield app


def test_each_day_is_there_and_counts_what_belongs_to_it(app: Runtime) -> None:
    today = app.clock.today()
    before = today - timedelta(days=2)
    Path(app.agent.workspace, f"memory/{before}.md").write_text("## [09:00:00] note\n\nWritten by hand\n")
    agent = Agent(app, fresh=False)
    agent.remember("The port is in Kiel.")
    agent.remember("Kept for good.", keep=True)
    app.memory.remember(NewEntry("From a page", origin_of("web")))
    search_memory(app, AT_TERMINAL, SearchRequest(query="port in Kiel"))
    search_memory(app, AT_TERMINAL, SearchRequest(query="zeppelin quarterly"))
    found = show_trends(app, AT_TERMINAL, TrendsRequest(days=3))
    assert [one.day for one in found.days] == [before, today - timedelta(days=1), today]
    first, idle, last = found.days
    assert (first.working, dict(first.sources)) == (1, {"hand": 1})
    assert (idle.entries, idle.searches) == (0, 0)
    assert last.core >= 1
    assert dict(last.sources)["web"] == 1
    assert (last.searches, last.missed) == (2, 1)
    assert last.mined >= last.junk >= 0
    assert found.junk.mined == sum(one.mined for one in found.days)


def test_a_new_workspace_has_days_without_anything(app: Runtime) -> None:
    found = show_trends(app, AT_TERMINAL, TrendsRequest(days=30))
    assert len(found.days) == 30
    assert sum(one.searches for one in found.days) == 0
