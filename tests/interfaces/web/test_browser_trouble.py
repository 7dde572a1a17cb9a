"""Bad input and bad moments in a real browser: a sentence and what helps, never a blank page or a trace."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.web.chromium import Sheet, Site, a_site
from tests.interfaces.web.workspaces import fill_days

from everself.interfaces.web.routes import TABS

pytestmark = pytest.mark.slow

LONG = "a" * 10_000


@pytest.fixture
def short(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with a_site(tmp_path_factory.mktemp("t"), browser, lambda root: fill_days(root, 10, 3)) as site:
        yield site


def tell(sheet: Sheet, path: str) -> str:
    """What a page says; it is a page of ours that says something, and no trace."""
    page = sheet.page
    answer = page.goto(sheet.site.url(path) if not path.startswith("/") else sheet.site.gateway.url + path)
    words: str = page.inner_text("main")
    assert page.locator("h1").count() == 1, (path[:60], words[:300])
    assert len(words) > 20, path[:60]
    assert answer.status != 500, (path[:60], words[:300])
    assert "Traceback" not in words
    assert "This is a mistake in Everself" not in words, (path[:60], words[:300])
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path[:60]
    return words


def look_at_all(sheet: Sheet, look: Callable[[str, str], None]) -> None:
    for name, _ in TABS:
        look(name, tell(sheet, name))


def test_an_entry_of_two_megabytes_is_cut_until_it_is_asked_for(strange: Site) -> None:
    with strange.open(width=390) as sheet:
        page = sheet.page
        assert "huge huge" in tell(sheet, "memory?since=2026-05-02&until=2026-05-02&standing=all")
        page.locator("a.entry-text", has_text="huge huge").first.click()
        page.wait_for_url("**/memory/entry/**")
        assert len(page.content()) < 100_000
        page.get_by_role("link", name="Show all").click()
        page.wait_for_url("**part=1**")
        assert len(page.inner_text(".entry-whole")) > 30_000
        assert "Part 1 of 50" in page.inner_text("main")
        page.get_by_role("link", name="The next part").click()
        page.wait_for_url("**part=2**")
        # what is longer than a page is edited in its file
        assert page.locator("summary", has_text="Edit").count() == 0
        assert len(page.content()) < 200_000
        sheet.told.check()


def test_names_of_ten_thousand_characters(short: Site) -> None:
    sung = short.workspace / "memory" / "topics"
    sung.mkdir(exist_ok=True)
    (sung / "songs.md").write_text(f"# {LONG}\n\n## {LONG}\n\n- A song <!-- everself: id=AAAAAAAAAAAA who={LONG} -->\n")
    with short.open(width=320) as sheet:
        for path in (
            f"/web/{LONG}/memory",
            f"memory?person={LONG}",
            f"memory?project={LONG}&path={LONG}",
            f"memory?q={LONG}",
            f"memory/entry/{LONG}",
            f"memory/lines?at={LONG}",
            f"memory/forget?words={LONG}",
            f"people/person?name={LONG}",
            f"settings/value?key={LONG}",
            f"health/job?name={LONG}",
            f"soul/version/{LONG}",
            f"chat?session={LONG}",
            f"context?message={LONG}&session={LONG}",
            f"context?kind={LONG}",
            f"review?after={LONG}",
        ):
            tell(sheet, path)
        look_at_all(sheet, lambda _, __: None)
        tell(sheet, "memory/contents")
        page = sheet.go("settings")
        page.locator("summary", has_text="Add an agent").click()
        page.evaluate("one => one.removeAttribute('maxlength')", page.query_selector("#a-name"))
        page.fill("#a-name", LONG)
        page.locator("form[action$='agents/add'] button").click()
        page.wait_for_selector("[data-problem]")
        assert len(page.inner_text("main")) < 5_000
        sheet.told.check()


def test_an_agent_without_a_workspace_says_what_helps(short: Site) -> None:
    short.gateway.everself("agents", "add", "aria")
    listed = short.gateway.everself("agents", "list")
    shutil.rmtree(next(one["workspace"] for one in listed if one["id"] == "aria"))
    with short.open() as sheet:
        for name, _ in TABS:
            words = tell(sheet, f"/web/aria/{name}")
            assert "everself setup" in words or name in ("settings",), (name, words[:300])
        # the others are as they were
        assert "entries" in tell(sheet, "people")
        sheet.told.check()


def test_the_index_goes_away_under_an_open_page(short: Site) -> None:
    with short.open() as sheet:
        assert "hit" in tell(sheet, "memory?q=garden")
        for found in (short.home / ".everself" / "agents").rglob("index.db*"):
            found.unlink()
        assert "hit" in tell(sheet, "memory?q=garden")
        look_at_all(sheet, lambda _, __: None)
        for found in (short.home / ".everself" / "agents").rglob("index.db"):
            found.write_bytes(b"no index at all" * 1000)
        assert "garden" in tell(sheet, "memory?q=garden")
        assert "chunks" in tell(sheet, "health/index")
        sheet.told.check()


def test_a_workspace_that_is_being_restored(short: Site, tmp_path: Path) -> None:
    """In the middle of the renames the folder is not there; after them it is another one, and so is the state."""
    short.gateway.everself("backup", str(tmp_path / "agent.tar.gz"))
    later = short.gateway.everself("memory", "add", "The lamp is red since the backup.")["entry"]
    with short.open() as sheet:
        assert "The lamp is red" in tell(sheet, f"memory/entry/{later}")
        aside = short.workspace.with_name("aside")
        short.workspace.rename(aside)
        told = {}
        look_at_all(sheet, lambda name, words: told.update({name: words}))
        assert "everself" in told["memory"]
        aside.rename(short.workspace)
        assert "The lamp is red" in tell(sheet, f"memory/entry/{later}")
        # whoever restores is told that somebody has it open, and nothing happens
        refused = short.gateway.command("restore", str(tmp_path / "agent.tar.gz"), "--replace")
        assert refused.returncode
        assert "Stop whatever runs this agent" in refused.stderr
        assert "The lamp is red" in tell(sheet, f"memory/entry/{later}")
        short.gateway.everself("gateway", "stop")
        short.gateway.everself("restore", str(tmp_path / "agent.tar.gz"), "--replace")
        assert short.gateway.everself("web", "--no-open")["started"]
        try:
            _look_at_what_was_restored(short, sheet, later)
        finally:
            short.gateway.everself("gateway", "stop")


def _look_at_what_was_restored(short: Site, sheet: Sheet, later: str) -> None:
    assert "The lamp is red" not in tell(sheet, "memory")
    tell(sheet, f"memory/entry/{later}")
    # what is written from now on is written to what was restored
    page = sheet.go("memory")
    page.locator("summary", has_text="Add something").click()
    page.fill("#add-text", "The lamp is green since the restore.")
    page.get_by_role("button", name="Remember").click()
    page.wait_for_selector("text=Remembered.")
    made = page.url.partition("entry/")[2].partition("?")[0]
    assert short.gateway.everself("memory", "show", made)["entry"]["text"] == "The lamp is green since the restore."
    page.get_by_role("button", name="Undo").click()
    # its page is gone with it
    page.wait_for_url("**/memory?done=undone**")
    assert "Undone." in page.inner_text("main")
    assert "The lamp is green" not in str(short.gateway.everself("memory", "list", "--limit", "50"))
    sheet.told.check()
