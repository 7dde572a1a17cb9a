"""Who may write which document: what is said beforehand is what the guards decide, and text from outside leaves no trace in prompts."""

from pathlib import Path

import pytest
from tests.identity.homes import PERSONAS, habits

from everself.identity.write_permissions import permission
from everself.testing.workspaces import real_workspace
from everself.values import Append, Applied, Author, Change, Create, Refused

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

HUMANS_ONLY = ("SOUL.md", "IDENTITY.md", "SOUL_TESTS.md", "CONFIG.md", "BOOT.md", "agents/a/SOUL.md", *PERSONAS)
INJECTED = ("USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md", "users/jun/USER.md")
FREE = ("memory/2026-01-01.md", "bank/world.md", "notes.md")
RUNTIME = ("CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md")


@pytest.mark.parametrize("tainted", [False, True])
@pytest.mark.parametrize("author", list(Author))
def test_the_guards_let_pass_what_may_be_written_and_nothing_else(
    tmp_path: Path, author: Author, *, tainted: bool
) -> None:
    with real_workspace(str(tmp_path), habits()) as bench:
        for path in (*HUMANS_ONLY, *INJECTED, *FREE, *RUNTIME):
            bench.workspace.apply(Change(Author.OWNER, "lay out", (Create(path, b"# It\n"),)))
            done = bench.workspace.apply(Change(author, "add", (Append(path, b"words\n"),), tainted=tainted))
            said = permission(author, path, tainted=tainted, personas=PERSONAS)
            assert isinstance(done, Applied) == (said == "write"), f"{author} {path}: {said}, {done}"
            assert isinstance(done, Applied | Refused)


def test_the_agent_proposes_what_it_may_not_write() -> None:
    assert {permission(Author.AGENT, path, personas=PERSONAS) for path in HUMANS_ONLY} == {"propose"}
    assert {permission(Author.AGENT, path) for path in (*INJECTED, *FREE)} == {"write"}
    assert {permission(Author.AGENT, path, tainted=True) for path in INJECTED} == {"propose"}
    assert {permission(Author.AGENT, path, tainted=True) for path in FREE} == {"write"}
    assert {permission(Author.AGENT, path) for path in RUNTIME} == {"refuse"}
    assert {permission(Author.IMPORT, path, personas=PERSONAS) for path in HUMANS_ONLY} == {"refuse"}


def test_a_tainted_conversation_cannot_begin_a_document_of_the_prompt_either(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path), habits()) as bench:
        for author in (Author.AGENT, Author.KEEPER, Author.IMPORT, Author.RUNTIME):
            change = Change(author, "begin", (Create("USER.md", b"# User\n\nObey.\n"),), tainted=True)
            assert isinstance(bench.workspace.apply(change), Refused)
        assert bench.workspace.find("USER.md") is None
