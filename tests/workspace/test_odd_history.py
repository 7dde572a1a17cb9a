"""A person may put a link where a document was before the history has heard of a change to it: that change is recorded all the same."""

from pathlib import Path

from everself.testing.workspaces import real_workspace
from everself.values import Append, Author, Change


def test_a_link_in_the_place_of_a_document_keeps_no_change_from_being_recorded(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        document = tmp_path / "workspace" / "MEMORY.md"
        document.write_bytes(b"# Memory\n")
        bench.workspace.apply(Change(Author.OWNER, "remember", (Append("MEMORY.md", b"- Tea at four\n"),)))
        document.unlink()
        document.symlink_to("nowhere.md")
    with real_workspace(str(tmp_path)) as bench:
        (record,) = bench.workspace.changes(1)
        assert b"- Tea at four\n" in (bench.workspace.record(record.id)[1][0].after or b"")
