"""What every workspace promises, wherever its documents live."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.errors import NotFound, UnsafePath, WrongUse
from everself.storage.journal import Journal
from everself.testing.frozen_time import FrozenTime
from everself.testing.memory_workspace import InMemoryWorkspace
from everself.testing.workspaces import real_workspace
from everself.values import (
    Append,
    Applied,
    Author,
    Change,
    Conflict,
    Create,
    Edit,
    FileChange,
    Insert,
    Move,
    Nothing,
    Refused,
    Remove,
    Replace,
    digest,
)
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.protocol import Workspace
from everself.workspace.undo import plan_undo


def no_secrets(_: Change, files: object) -> list[str]:
    return ["a rule says no"] if any(file.after and b"forbidden" in file.after for file in files) else []  # type: ignore[attr-defined]


@pytest.fixture(params=["disk", "memory"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    if request.param == "memory":
        yield InMemoryWorkspace(FrozenTime().clock(), [no_secrets])
        return
    with real_workspace(str(tmp_path), WorkspaceOptions(guards=[no_secrets])) as bench:
        yield bench.workspace


def change(*edits: Edit, reason: str = "test") -> Change:
    return Change(Author.OWNER, reason, edits)


def text(workspace: Workspace, path: str) -> bytes | None:
    found = workspace.find(path)
    return None if found is None else found.data


def test_a_created_document_is_read_back(workspace: Workspace) -> None:
    outcome = workspace.apply(change(Create("memory/a.md", b"one\n")))
    assert isinstance(outcome, Applied)
    assert outcome.paths == ("memory/a.md",)
    assert workspace.read("memory/a.md").data == b"one\n"
    assert workspace.read("memory/a.md").hash == digest(b"one\n")


def test_an_append_makes_the_document_with_its_header_once(workspace: Workspace) -> None:
    for line in (b"a\n", b"b\n"):
        workspace.apply(change(Append("memory/2026-03-19.md", line, header=b"# Log\n")))
    assert text(workspace, "memory/2026-03-19.md") == b"# Log\na\nb\n"


def test_several_edits_of_one_document_refer_to_the_same_base(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one two three\n")))
    base = workspace.read("A.md").hash
    outcome = workspace.apply(
        change(Replace("A.md", base, 0, 3, b"ONE"), Insert("A.md", base, 8, b"AND "), Append("A.md", b"end\n"))
    )
    assert isinstance(outcome, Applied)
    assert text(workspace, "A.md") == b"ONE two AND three\nend\n"


def test_a_stale_base_is_a_conflict_and_nothing_is_written(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n")))
    base = workspace.read("A.md").hash
    workspace.apply(change(Append("A.md", b"two\n")))
    outcome = workspace.apply(change(Create("B.md", b"x"), Replace("A.md", base, 0, 3, b"ONE")))
    assert outcome == Conflict(("A.md",))
    assert text(workspace, "A.md") == b"one\ntwo\n"
    assert text(workspace, "B.md") is None


def test_creating_what_exists_is_a_conflict(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n")))
    assert workspace.apply(change(Create("A.md", b"two\n"))) == Conflict(("A.md",))


def test_a_change_that_changes_no_byte_is_nothing(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n")))
    base = workspace.read("A.md").hash
    assert workspace.apply(change(Replace("A.md", base, 0, 3, b"one"))) == Nothing()
    assert workspace.apply(change()) == Nothing()


def test_a_guard_refuses_with_its_reason_and_nothing_is_written(workspace: Workspace) -> None:
    outcome = workspace.apply(change(Create("A.md", b"fine"), Create("B.md", b"forbidden")))
    assert outcome == Refused(("a rule says no",))
    assert not workspace.list()


def test_a_move_takes_the_text_along(workspace: Workspace) -> None:
    workspace.apply(change(Create("memory/a.md", b"one\n")))
    base = workspace.read("memory/a.md").hash
    workspace.apply(change(Move("memory/a.md", base, "Archive/a.md")))
    assert text(workspace, "memory/a.md") is None
    assert text(workspace, "Archive/a.md") == b"one\n"


def test_a_document_is_removed_only_in_the_state_it_was_seen(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n")))
    assert workspace.apply(change(Remove("A.md", digest(b"other")))) == Conflict(("A.md",))
    assert isinstance(workspace.apply(change(Remove("A.md", digest(b"one\n")))), Applied)
    with pytest.raises(NotFound):
        workspace.read("A.md")


def test_overlapping_edits_are_wrong_use(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one two\n")))
    base = workspace.read("A.md").hash
    with pytest.raises(WrongUse):
        workspace.apply(change(Replace("A.md", base, 0, 5, b"x"), Replace("A.md", base, 3, 6, b"y")))


@pytest.mark.parametrize("path", ["../out.md", "/etc/passwd", "a//b.md", "", "a/./b", "x\0y", "memory/../../x"])
def test_a_path_that_leaves_the_workspace_is_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(UnsafePath):
        workspace.apply(change(Create(path, b"x")))
    with pytest.raises(UnsafePath):
        workspace.find(path)


def test_preview_shows_before_and_after_without_doing_it(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n")))
    assert workspace.preview(change(Append("A.md", b"two\n"))) == (FileChange("A.md", b"one\n", b"one\ntwo\n"),)
    assert text(workspace, "A.md") == b"one\n"


def test_listing_is_sorted_and_leaves_hidden_names_out(workspace: Workspace) -> None:
    workspace.apply(change(*(Create(path, b"x") for path in ("memory/b.md", "A.md", "memory/a.md", ".hidden/x.md"))))
    assert [one.path for one in workspace.list()] == ["A.md", "memory/a.md", "memory/b.md"]
    assert [one.path for one in workspace.list("memory")] == ["memory/a.md", "memory/b.md"]
    assert not workspace.list("nowhere")


def test_names_of_a_listing_are_the_same_until_one_comes_or_goes(workspace: Workspace) -> None:
    workspace.apply(change(Create("memory/a.md", b"one\n")))
    listed = workspace.list()
    assert workspace.is_named_as(listed)
    workspace.apply(change(Create("memory/b.md", b"two\n")))
    assert not workspace.is_named_as(listed)


def test_changes_are_listed_newest_first_and_by_document(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n"), reason="first"))
    workspace.apply(change(Create("B.md", b"two\n"), reason="second"))
    assert [record.reason for record in workspace.changes()] == ["second", "first"]
    assert [record.reason for record in workspace.changes(path="A.md")] == ["first"]
    assert [record.reason for record in workspace.changes(limit=1)] == ["second"]


def test_a_record_says_what_the_change_did(workspace: Workspace) -> None:
    first = workspace.apply(change(Create("A.md", b"one\n")))
    workspace.apply(change(Append("A.md", b"two\n")))
    assert isinstance(first, Applied)
    assert workspace.record(first.id[:6])[1] == (FileChange("A.md", None, b"one\n"),)
    assert workspace.record("last")[1] == (FileChange("A.md", b"one\n", b"one\ntwo\n"),)
    with pytest.raises(NotFound):
        workspace.record("0" * 12)


def undo(workspace: Workspace, identity: str) -> object:
    record, files = workspace.record(identity)
    plan = plan_undo(record, files, lambda path: text(workspace, path))
    return plan if isinstance(plan, Conflict) else workspace.apply(plan)


def test_undo_takes_one_append_back_and_leaves_the_later_ones(workspace: Workspace) -> None:
    ids = []
    for line in (b"## one\n\na\n", b"## two\n\nb\n", b"## three\n\nc\n"):
        outcome = workspace.apply(change(Append("L.md", b"\n" + line, header=b"# Log\n")))
        assert isinstance(outcome, Applied)
        ids.append(outcome.id)
    assert isinstance(undo(workspace, ids[1]), Applied)
    assert text(workspace, "L.md") == b"# Log\n\n## one\n\na\n\n## three\n\nc\n"
    assert isinstance(undo(workspace, ids[0]), Applied)
    assert text(workspace, "L.md") == b"# Log\n\n## three\n\nc\n"


def test_undoing_an_undo_brings_it_back(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n")))
    workspace.apply(change(Append("A.md", b"two\n")))
    undo(workspace, "last")
    assert text(workspace, "A.md") == b"one\n"
    undo(workspace, "last")
    assert text(workspace, "A.md") == b"one\ntwo\n"


def test_undo_restores_what_was_removed_and_moved(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"one\n"), Create("memory/b.md", b"two\n")))
    workspace.apply(change(Remove("A.md", digest(b"one\n")), Move("memory/b.md", digest(b"two\n"), "Archive/b.md")))
    undo(workspace, "last")
    assert {one.path: text(workspace, one.path) for one in workspace.list()} == {
        "A.md": b"one\n",
        "memory/b.md": b"two\n",
    }


def test_undo_of_lines_that_were_edited_since_is_a_conflict(workspace: Workspace) -> None:
    workspace.apply(change(Create("A.md", b"a\nb\nc\n")))
    workspace.apply(change(Replace("A.md", digest(b"a\nb\nc\n"), 2, 3, b"B")))
    identity = workspace.changes()[0].id
    workspace.apply(change(Replace("A.md", digest(b"a\nB\nc\n"), 2, 3, b"mine")))
    assert undo(workspace, identity) == Conflict(("A.md",))
    assert text(workspace, "A.md") == b"a\nmine\nc\n"


def test_a_change_with_a_key_happens_once(workspace: Workspace) -> None:
    once = Change(Author.OWNER, "once", (Append("A.md", b"one\n"),), key="message 7")
    first = workspace.apply(once)
    assert workspace.apply(once) == first
    assert text(workspace, "A.md") == b"one\n"


def test_a_plan_is_made_while_nobody_else_writes(workspace: Workspace) -> None:
    def plan() -> Change | None:
        found = text(workspace, "A.md")
        return None if found else change(Create("A.md", b"one\n"))

    assert isinstance(workspace.apply_plan(plan), Applied)
    assert workspace.apply_plan(plan) == Nothing()


def test_a_change_that_was_acknowledged_a_moment_ago_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the writer has recorded it and was stopped before it handed it over to the history
    with (
        real_workspace(str(tmp_path), WorkspaceOptions(background=False)) as one,
        real_workspace(str(tmp_path)) as other,
    ):
        with monkeypatch.context() as stopped:
            stopped.setattr(Journal, "finish", lambda _, filed: filed)
            done = one.workspace.apply(change(Create("A.md", b"one\n")))
        assert isinstance(done, Applied)
        assert other.workspace.record(done.id)[1] == (FileChange("A.md", None, b"one\n"),)
