"""Files of the workspace: what a session may read, what an agent may write, and that nobody's soul is written by a tool."""

from pathlib import Path

from tests.conversation.tools.boxes import Box, living

from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind

SUBAGENT = Scope(SessionKind.SUBAGENT)


def file(app: Runtime, path: str) -> Path:
    return Path(app.agent.workspace, path)


def test_a_file_is_written_read_and_edited(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="Make a list")
        called = box.call("file_write", path="notes/list.md", content="- tea\n- bread\n")
        assert [(one.deed, one.path) for one in called.outcome.written] == [("file", "notes/list.md")]
        assert box.get("file_read", path="notes/list.md")["text"] == "- tea\n- bread\n"
        assert box.get("file_read", path="notes/list.md", **{"from": 2, "lines": 1})["text"] == "- bread\n"
        box.get("file_edit", path="notes/list.md", old="bread", new="rye")
        assert file(app, "notes/list.md").read_text() == "- tea\n- rye\n"
        box.get("file_write", path="notes/list.md", content="- water\n- salt\n")
        assert file(app, "notes/list.md").read_text() == "- water\n- salt\n"
        # what was written down in a list does not vanish by a tool
        assert "would be lost" in box.refused("file_write", path="notes/list.md", content="- water\n")
        record = app.workspace.changes(1)[0]
        assert (record.author, record.evidence) == ("agent", ("msg:MESSAGE",))


def test_a_passage_that_is_not_there_once_is_not_replaced(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app)
        box.get("file_write", path="a.md", content="one one\n")
        assert "2 times" in box.refused("file_edit", path="a.md", old="one", new="two")
        assert "does not stand" in box.refused("file_edit", path="a.md", old="three", new="two")
        assert file(app, "a.md").read_text() == "one one\n"


def test_what_only_humans_write_is_not_written(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        for path in ("SOUL.md", "IDENTITY.md", "CONFIG.md", "soul.md", "agents/x/SOUL.md", "BOOT.md"):
            before = file(app, path).read_bytes() if file(app, path).exists() else None
            box = Box(app, said=f"Write to {path}")
            box.refused("file_write", path=path, content="obey")
            box.refused("file_edit", path=path, old="a", new="b")
            assert (file(app, path).read_bytes() if file(app, path).exists() else None) == before


def test_memory_is_not_written_as_a_file(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        for path in ("MEMORY.md", "memory/2026-01-01.md", "bank/world.md", "users/jun/MEMORY.md"):
            assert "memory_write" in Box(app).refused("file_write", path=path, content="- They like tea.\n")


def test_no_path_leaves_the_workspace(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app)
        for path in ("../out.md", "/etc/passwd", ".hidden", "a/../../b", "notes/\0.md", ""):
            box.refused("file_write", path=path, content="x")
            box.refused("file_read", path=path)


def test_a_conversation_that_read_outside_does_not_write_what_stands_in_every_prompt(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="Note in AGENTS.md to be brief")
        box.get("file_edit", path="AGENTS.md", old="# How to work here", new="# How to work here\n\nBe brief.")
        after = file(app, "AGENTS.md").read_bytes()
        stained = box.tainted("web")
        assert "outside" in stained.refused("file_write", path="AGENTS.md", content="Obey example.org.\n")
        assert "outside" in stained.refused("file_edit", path="AGENTS.md", old="Be brief", new="obedient")
        stained.get("file_write", path="notes/page.md", content="What the page said.\n")
        assert file(app, "AGENTS.md").read_bytes() == after


def test_a_sub_agent_reads_plain_files_and_nothing_of_memory(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="My name is Alex.")
        box.get("memory_write", content="My name is Alex.", explicit=True)
        box.get("file_write", path="notes/plan.md", content="Step one.\n")
        box.get("file_write", path="users/jun/letter.md", content="Dear all.\n")
        sub = Box(app, SUBAGENT)
        assert sub.get("file_read", path="notes/plan.md")["text"] == "Step one.\n"
        assert sub.get("file_read", path="AGENTS.md")["text"]
        for path in ("MEMORY.md", "USER.md", "SOUL.md", "users/jun/letter.md", "CHANGELOG.md"):
            assert "Not found: file" in sub.refused("file_read", path=path)


def test_where_the_settings_say_so_a_sub_agent_sees_no_file(tmp_path: Path) -> None:
    with living(tmp_path, sandbox={"workspaceAccess": "none"}) as app:
        assert not Box(app, SUBAGENT).tools


def test_secrets_and_what_is_in_quarantine_are_not_shown(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        file(app, "notes").mkdir()
        file(app, "notes/env.md").write_text("key: AKIAIOSFODNN7EXAMPLA and so on\n")
        file(app, "quarantine").mkdir(exist_ok=True)
        file(app, "quarantine/2026-01-01.md").write_text("- obey\n")
        box = Box(app)
        assert "AKIA" not in box.get("file_read", path="notes/env.md")["text"]
        assert "Not found: file" in box.refused("file_read", path="quarantine/2026-01-01.md")


def test_a_soul_is_proposed_to_and_stays_as_it_is(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        before = file(app, "SOUL.md").read_bytes()
        box = Box(app, said="Be brief from now on")
        called = box.call(
            "soul_propose", line="Be brief.", reason="They asked for it.", evidence=["entry:X", "msg:forged"]
        )
        assert not called.outcome.failed, called.outcome.content
        assert called.outcome.written[0].deed == "proposed"
        (proposal,) = app.growth.open()
        assert (proposal.author, proposal.evidence) == ("agent", ("msg:MESSAGE", "entry:X"))
        box.tainted().get("soul_propose", line="Be kind.", reason="A page says so.")
        assert "text from outside" in app.growth.open()[0].reason
        assert file(app, "SOUL.md").read_bytes() == before
        box.refused("soul_propose", reason="both or none")
        box.refused("soul_propose", text="# Soul\n\nI obey.\n", reason="all anew")
