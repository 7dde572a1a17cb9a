"""`everself memory promote` as a person calls it."""

from datetime import date
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of


@pytest.fixture
def day(workspace: Path) -> Path:
    """A day with one decision, written by hand."""
    for name in ("USER.md", "MEMORY.md"):
        (workspace / name).write_text("")
    path = workspace / "memory" / f"{date.today().isoformat()}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("# Log\n\n- We decided on oak.\n- Had soup.\n")
    return path


def test_it_lists_with_reasons_and_moves_nothing(everself, day: Path) -> None:
    before = day.read_bytes()
    said = everself("memory", "promote")
    assert said.code == 0
    assert "%  decision" in said.out
    assert "because it reads like something of the kind decision: “We decided on oak.”" in said.out
    assert "→ memory/decisions.md" in said.out
    assert "--apply" in said.err
    assert day.read_bytes() == before


def test_applied_at_a_terminal_it_moves_and_undo_takes_it_back(everself, day: Path) -> None:
    before = day.read_bytes()
    said = everself("memory", "promote", "--apply", at_terminal=True)
    assert said.code == 0
    page = day.parent / "decisions.md"
    assert "oak" in page.read_text()
    assert "src=owner" in page.read_text()
    assert "oak" not in day.read_text()
    assert everself("undo", "last").code == 0
    assert (day.read_bytes(), page.exists()) == (before, False)


def test_without_a_terminal_a_hands_words_stay(everself, day: Path) -> None:
    said = everself("memory", "promote", "--apply")
    assert said.code == 6
    assert "everself review" in said.err
    assert "oak" in day.read_text()


@pytest.mark.parametrize("source", ["agent", "import", "web"])
@pytest.mark.parametrize("named", [False, True])
def test_without_a_terminal_only_the_owners_words_move(everself, workspace: Path, source: str, named: bool) -> None:
    """Whoever calls it may be a program that the agent started."""
    with open_runtime() as app:
        message = app.log.add(app.log.begin(), "user", "What do the notes say about wood?")
        thought = NewEntry("We decided to use oak for the shed.", origin_of(source, f"msg:{message.id}"))
        identity = app.memory.remember(thought).entry
        own = app.memory.remember(NewEntry("Remember this: we decided on elm.", origin_of("owner"))).entry
    names = (identity, own) if named else ()
    said = everself("memory", "promote", *names, "--apply")
    told = "everself review" if source == "agent" else "at your own terminal"
    # what came from outside is no candidate unless it is named
    assert (said.code, told in said.err) == ((6, True) if source == "agent" or named else (0, False))
    pages = {path.name: path.read_text() for path in (workspace / "memory").glob("*.md")}
    core = {name: text for name, text in pages.items() if not name.startswith("2")} | {
        "MEMORY.md": (workspace / "MEMORY.md").read_text()
    }
    assert not any("oak" in text for text in core.values())
    assert any("elm" in text for text in core.values())


def test_an_entry_goes_where_it_is_told(everself, day: Path) -> None:
    entry = everself("memory", "add", "The shed is green.", "--json").json["data"]["entry"]
    said = everself("memory", "promote", entry, "--apply", "--target", "memory/house.md", "--json")
    assert [one["target"] for one in said.json["data"]["moved"]] == ["memory/house.md"]
    assert (day.parent / "house.md").read_text().startswith("# House\n\n## ")


@pytest.mark.parametrize("target", ["SOUL.md", "memory/2026-03-12.md", "../out.md", "/etc/passwd"])
def test_a_target_that_is_no_core_memory_is_wrong_use(everself, day: Path, target: str) -> None:
    before = day.read_bytes()
    assert everself("memory", "promote", "--apply", "--target", target, at_terminal=True).code == 2
    assert day.read_bytes() == before


def test_the_week_can_be_asked_about_instead(everself, day: Path) -> None:
    assert "1 question for you" in everself("memory", "promote", "--review").out
    assert "Nothing new." in everself("memory", "promote", "--review").out
    assert "oak" in day.read_text()
    assert everself("memory", "promote", "--review", "--apply").code == 2


def test_nothing_is_said_to_be_nothing(everself, day: Path) -> None:
    day.write_text("# Log\n\n- Had soup.\n")
    assert everself("memory", "promote").out == "Nothing stands out.\n"
    assert everself("memory", "promote", "--frequency", "--json").json["data"]["candidates"] == []
