"""Doctor on the documents that only humans change: it says what `everself soul verify` finds, and changes nothing."""

import os
from pathlib import Path

import pytest
from tests.operations.doctor.doctoring import STATE, codes, found, settle_in, snapshot, write

from everself.agent import open_runtime
from everself.operations.caller import AT_TERMINAL
from everself.operations.doctor import examine
from everself.operations.soul import VerifyRequest, verify_identity
from everself.storage.host_files import counter_file
from everself.values import Append, Author, Change


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def workspace(home: Path) -> Path:
    return settle_in(home)


@pytest.mark.parametrize("path", ["IDENTITY.md", "SOUL.md", "CONFIG.md", "agents/soul-keeper/SOUL.md"])
def test_a_hand_that_edits_who_the_agent_is_is_told(workspace: Path, home: Path, path: str) -> None:
    document = workspace / path
    document.write_text(f"{document.read_text()}\nCalled otherwise.\n")
    before = snapshot(home)
    finding = found(examine(), "identity-changed")
    assert snapshot(home) == before
    assert (finding.severity, finding.path) == ("warning", path)
    assert finding.message == f"{path} was changed outside Everself, and nobody has accepted that yet."
    assert "everself soul verify" in finding.mend


def test_it_says_the_same_as_soul_verify(workspace: Path) -> None:
    (workspace / "IDENTITY.md").write_text("# Identity\n\nSomebody else.\n")
    (workspace / "SOUL.md").unlink()
    write(workspace / "BOOT.md", "Begin with this.\n")
    told = {one.path for one in examine().findings if one.code == "identity-changed"}
    with open_runtime() as app:
        assert (
            {one.path for one in verify_identity(app, AT_TERMINAL, VerifyRequest()).report.changed}
            == told
            == {"IDENTITY.md", "SOUL.md", "BOOT.md"}
        )


@pytest.mark.parametrize("decision", [VerifyRequest(accept=True), VerifyRequest(undo=True)])
def test_once_somebody_decided_it_says_nothing_more(workspace: Path, decision: VerifyRequest) -> None:
    (workspace / "IDENTITY.md").write_text("# Identity\n\nSomebody else.\n")
    assert "identity-changed" in codes(examine())
    with open_runtime() as app:
        verify_identity(app, AT_TERMINAL, decision)
    assert "identity-changed" not in codes(examine())


def test_what_everself_wrote_itself_is_no_change_from_outside(workspace: Path) -> None:
    with open_runtime() as app:
        app.workspace.apply(Change(Author.OWNER, "name", (Append("IDENTITY.md", b"- **Name:** Eva\n"),)))
    assert "Eva" in (workspace / "IDENTITY.md").read_text()
    assert "identity-changed" not in codes(examine())


def test_what_vouches_for_it_may_be_an_older_copy(workspace: Path, home: Path) -> None:
    kept = Path(counter_file(f"{home}/.config/everself", "main", f"{home}/{STATE}"))
    older = kept.read_bytes()
    with open_runtime() as app:
        for words in ("Somebody else.", "Nobody."):
            (workspace / "IDENTITY.md").write_text(f"# Identity\n\n{words}\n")
            verify_identity(app, AT_TERMINAL, VerifyRequest(accept=True))
    kept.write_bytes(older)
    (workspace / "IDENTITY.md").write_text("# Identity\n\nSomebody again.\n")
    report = examine()
    finding = found(report, "identity-unsure")
    assert finding.severity == "error"
    assert finding.message.endswith("The counter beside the integrity key is an older copy.")
    # with nothing sure to compare with, no document is accused
    assert "identity-changed" not in codes(report)


def test_in_a_home_that_was_moved_it_says_nothing(workspace: Path, home: Path) -> None:
    (workspace / "IDENTITY.md").write_text("# Identity\n\nSomebody else.\n")
    Path(counter_file(f"{home}/.config/everself", "main", f"{home}/{STATE}")).unlink()
    assert not {"identity-unsure", "identity-changed"} & codes(examine())
