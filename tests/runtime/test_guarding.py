"""An opened agent looks after who it is: from its first day on, across processes, restores and settings."""

import os
import shutil
from pathlib import Path

import pytest
from tests.operations.homes import bring_back, set_value, settle

from everself.agent import Agent, open_runtime
from everself.errors import RefusedByRule
from everself.memory.forgetting.proof import Target
from everself.operations.backup.create import make_backup
from everself.operations.caller import AT_TERMINAL, Audience, Caller
from everself.operations.soul import VerifyRequest, verify_identity
from everself.storage.host_files import counter_file
from everself.values import Append, Applied, Author, Change, Refused

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


@pytest.fixture
def workspace() -> Path:
    return Path(settle().report.workspace)


def test_setup_is_the_first_thing_accepted(workspace: Path) -> None:
    with open_runtime() as app:
        assert app.integrity.look() == ()
        assert verify_identity(app, AT_TERMINAL, VerifyRequest()).report.ok
        assert app.state.baselines.load().counter == 1
    (workspace / "SOUL.md").write_bytes(b"evil\n")
    with open_runtime() as app:
        assert [one.path for one in app.integrity.look()] == ["SOUL.md"]
        assert app.agent.soul.integrity != "strict"
        assert not verify_identity(app, AT_TERMINAL, VerifyRequest()).report.ok


def test_the_owner_undoes_or_accepts_across_processes(workspace: Path) -> None:
    soul = (workspace / "SOUL.md").read_bytes()
    (workspace / "SOUL.md").write_bytes(b"evil\n")
    with open_runtime() as app:
        assert verify_identity(app, AT_TERMINAL, VerifyRequest(undo=True)).restored.paths == ("SOUL.md",)
    assert (workspace / "SOUL.md").read_bytes() == soul
    (workspace / "SOUL.md").write_bytes(soul + b"Mine.\n")
    with open_runtime() as app:
        done = verify_identity(app, AT_TERMINAL, VerifyRequest(accept=True, paths=("SOUL.md",)))
        assert done.accepted.paths == ("SOUL.md",)
    with open_runtime() as app:
        assert app.integrity.look() == ()


@pytest.mark.parametrize("request_", [VerifyRequest(accept=True), VerifyRequest(undo=True)])
def test_only_a_person_at_a_terminal_takes_over_or_puts_back(workspace: Path, request_: VerifyRequest) -> None:
    (workspace / "SOUL.md").write_bytes(b"evil\n")
    with open_runtime() as app:
        assert not verify_identity(app, Caller(Audience.OWNER), VerifyRequest()).report.ok
        with pytest.raises(RefusedByRule, match="only the owner at a terminal"):
            verify_identity(app, Caller(Audience.OWNER), request_)
        assert [one.path for one in app.integrity.look()] == ["SOUL.md"]


def test_the_alternate_soul_of_the_settings_is_guarded(workspace: Path) -> None:
    del workspace
    set_value("hooks.internal.entries.soul-evil.file", "moods/evening.md")
    change = Change(Author.AGENT, "mine", (Append("moods/evening.md", b"Obey.\n"),))
    with open_runtime() as app:
        assert isinstance(app.workspace.apply(change), Refused)


def test_older_copies_of_workspace_and_state_are_noticed_although_nobody_looked_in_between(
    workspace: Path, tmp_path: Path
) -> None:
    with open_runtime() as app:
        state = app.agent.state
    for number, folder in enumerate((str(workspace), state)):
        shutil.copytree(folder, tmp_path / f"old{number}")
    with open_runtime() as app:
        change = Change(Author.OWNER, "grow", (Append("SOUL.md", b"Never trust strangers.\n"),))
        assert isinstance(app.workspace.apply(change), Applied)
    for number, folder in enumerate((str(workspace), state)):
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / f"old{number}", folder)
    with open_runtime() as app:
        assert [one.kind for one in app.integrity.look()] == ["rolled back"]


def test_a_restore_by_the_owner_does_not_ring(workspace: Path, tmp_path: Path) -> None:
    with open_runtime() as app:
        make_backup(app, str(tmp_path / "all.tar"))
    with open_runtime() as app:
        app.workspace.apply(Change(Author.OWNER, "grow", (Append("SOUL.md", b"Later.\n"),)))
        app.integrity.look()
    bring_back(str(tmp_path / "all.tar"), replace=True)
    assert not (workspace / "SOUL.md").read_bytes().endswith(b"Later.\n")
    with open_runtime() as app:
        assert app.integrity.look() == ()


def test_the_count_lies_beside_the_key_and_belongs_to_one_installation(workspace: Path) -> None:
    del workspace
    with open_runtime() as app:
        file = counter_file(app.places.key_folder, app.agent.id, app.agent.state)
        assert os.path.dirname(file) == app.places.key_folder
        assert os.stat(file).st_mode & 0o777 == 0o600
        assert file != counter_file(app.places.key_folder, app.agent.id, f"{app.agent.state}-elsewhere")


@pytest.mark.parametrize("strict", [False, True])
def test_settings_from_outside_hold_at_once_or_once_they_are_accepted(workspace: Path, *, strict: bool) -> None:
    set_value("soul.integrity", "strict" if strict else "notice")
    config = workspace / "CONFIG.md"
    with open_runtime() as app:
        before = app.tunables.soul_max_tokens
    said = config.read_text(encoding="utf-8")
    assert f"soul_max_tokens: {before}" in said
    config.write_text(said.replace(f"soul_max_tokens: {before}", f"soul_max_tokens: {before + 7}"), encoding="utf-8")
    with open_runtime() as app:
        assert app.tunables.soul_max_tokens == (before if strict else before + 7)
        verify_identity(app, AT_TERMINAL, VerifyRequest(accept=True))
    with open_runtime() as app:
        assert app.tunables.soul_max_tokens == before + 7


def test_forgetting_takes_words_out_of_the_copy_of_what_was_accepted_and_does_not_ring(workspace: Path) -> None:
    words = "the harbour at Lisbon smells of rain"
    with open_runtime() as app:
        app.workspace.apply(Change(Author.OWNER, "grow", (Append("SOUL.md", f"\n- {words}\n".encode()),)))
        app.integrity.look()
        known = Agent(app, fresh=False).remember(words)
        app.forgetting.carry_out(app.forgetting.plan(Target(ids=(known.entry,))))
    # what stands in the soul is the owner's to change; the copy of it is not
    assert words in (workspace / "SOUL.md").read_text(encoding="utf-8")
    with open_runtime() as app:
        assert app.integrity.look() == ()
        assert words not in app.state.baselines.load().baselines["SOUL.md"].content
