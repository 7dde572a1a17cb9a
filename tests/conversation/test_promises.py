"""Saying is doing: a reply that claims to remember, when nothing was written."""

from pathlib import Path

from tests.conversation.talks import notices, say, talking

from everself.conversation.events import MemoryWritten
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import call


def test_what_a_reply_claims_to_remember_is_written(tmp_path: Path) -> None:
    with talking(tmp_path, "Lovely! I’ll remember that.") as (app, _):
        events = say(app, "My sister Ida lives in Oslo.")
        (written,) = [one.written for one in events if isinstance(one, MemoryWritten)]
        assert (written.deed, written.words) == ("remembered", "My sister Ida lives in Oslo.")
        (entry,) = app.memory.catalog.with_words("My sister Ida lives in Oslo.")
        assert (entry.source, entry.reference) == ("owner", written.path)
        assert not notices(events)


def test_what_was_written_by_a_tool_is_not_written_twice(tmp_path: Path) -> None:
    words = "My sister Ida lives in Oslo."
    with talking(tmp_path, [call("memory_write", content=words)], "I'll remember that.") as (app, _):
        events = say(app, words)
        assert len([one for one in events if isinstance(one, MemoryWritten)]) == 1
        assert len(app.memory.catalog.all()) == 1
        assert app.memory.catalog.all()[0].mentions == 1


def test_a_claim_with_nothing_to_write_is_told(tmp_path: Path) -> None:
    with talking(tmp_path, "Noted, I'll remember that.") as (app, _):
        assert any("nothing was written" in one for one in notices(say(app, "Hm?")))
        assert not app.memory.catalog.all()


def test_a_reply_that_claims_nothing_changes_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, "How nice.") as (app, _):
        assert not notices(say(app, "My sister Ida lives in Oslo."))
        assert not app.memory.catalog.all()


def test_in_company_nothing_is_written_and_that_is_told(tmp_path: Path) -> None:
    with talking(tmp_path, "I'll remember that.") as (app, _):
        events = say(app, "My sister Ida lives in Oslo.", app.chat.begin(Scope(SessionKind.GROUP)), person="jun")
        assert any("nothing was written" in one for one in notices(events))
        assert not app.memory.catalog.all()
