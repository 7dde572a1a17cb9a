"""What happens to a message before a model sees it: corrections act, and programs that the host file names are told."""

import asyncio
import shlex
import sys
from pathlib import Path

from tests.conversation.talks import say, talking

from everself.agent import Agent
from everself.conversation.events import MemoryWritten
from everself.models.chat.protocol import UserTurn
from everself.search.scopes import Scope, SessionKind


def test_a_correction_acts_before_the_model_is_asked_and_the_model_is_told(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.") as (app, model):
        wrong = Agent(app, fresh=False).remember("My sister is called Mira")
        session = app.chat.begin()
        events = say(app, "No, my sister is called Mia, not Mira", session)
        (written,) = [one.written for one in events if isinstance(one, MemoryWritten)]
        assert (written.deed, app.memory.catalog.get(wrong.entry).closed) == ("corrected", True)
        last = model.requests[0].turns[-1]
        assert isinstance(last, UserTurn)
        assert "Mia" in " ".join(last.done)
        # what was done is in the words of the prompt too: the old ones are gone
        assert "sister is called Mira" not in model.requests[0].delta


def test_a_line_that_begins_with_a_slash_corrects_and_teaches_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.") as (app, _):
        kept = Agent(app, fresh=False).remember("My sister is called Mira")
        session = app.chat.begin()
        say(app, "/no, my sister is called Mia, not Mira", session)
        say(app, "/forget that my brother is called Jun\nyes", session)
        asyncio.run(app.chat.close(session))
        assert [(one.id, one.closed) for one in app.memory.catalog.all()] == [(kept.entry, False)]


def test_nobody_else_corrects_the_owner(tmp_path: Path) -> None:
    with talking(tmp_path, "All right.") as (app, _):
        kept = Agent(app, fresh=False).remember("My sister is called Mira")
        for scope in (Scope(SessionKind.GUEST, "jun"), Scope(SessionKind.GROUP), Scope(SessionKind.CRON)):
            say(app, "No, my sister is called Mia, not Mira", app.chat.begin(scope, "test"), person="jun")
        say(app, "No, my sister is called Mia, not Mira", person="jun")
        assert not app.memory.catalog.get(kept.entry).closed


def test_a_program_of_the_host_file_is_passed_what_its_pattern_finds(tmp_path: Path) -> None:
    script, heard = tmp_path / "listen.py", tmp_path / "heard"
    script.write_text(f"import pathlib, sys\npathlib.Path({str(heard)!r}).write_text(sys.stdin.read())\n")
    program = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    patterns = [{"pattern": "weather", "route": program}]
    with talking(tmp_path, host={"heartbeat_custom_patterns": patterns}) as (app, _):
        # a new workspace lists every tunable with its default
        assert "heartbeat_custom_patterns: []" in Path(app.agent.workspace, "CONFIG.md").read_text("utf-8")
        say(app, "Good morning")
        assert not heard.exists()
        say(app, "How is the weather?", app.chat.begin(Scope(SessionKind.GUEST, "jun"), "test"), person="jun")
        assert not heard.exists()
        say(app, "How is the weather?")
        assert "How is the weather?" in heard.read_text()
