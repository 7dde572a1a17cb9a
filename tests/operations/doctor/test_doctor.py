"""What doctor says about a workspace and its settings, and that looking changes nothing."""

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.operations.doctor.doctoring import STATE, codes, found, settle_in, snapshot, write

from everself.agent import open_runtime
from everself.operations.doctor import DoctorReport, case, contents, examine, leftovers, repairs, settings
from everself.storage.history import commits
from everself.values import Append, Author, Change
from everself.workspace import assembly, state_factory

# a whole agent a test
pytestmark = pytest.mark.slow


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def workspace(home: Path) -> Path:
    return settle_in(home)


@pytest.fixture(autouse=True)
def _nothing_changes(home: Path) -> Iterator[None]:
    """Every test that looks compares the whole home before and after its last look."""
    yield
    before = snapshot(home)
    examine()
    assert snapshot(home) == before


def test_a_fresh_workspace_is_fine(workspace: Path) -> None:
    report = examine()
    assert report == DoctorReport("main", str(workspace), ())


def test_names_kept_twice_to_start_quickly_agree() -> None:
    assert case.STATE_FILE == state_factory.STATE_FILE
    assert (leftovers.WRITE_LOCK, leftovers.HISTORY_LOCK) == (assembly.WRITE_LOCK, assembly.HISTORY_LOCK)
    assert leftovers.HISTORY == commits.FOLDER


def test_without_anything_setup_is_the_answer() -> None:
    finding = found(examine(), "workspace-missing")
    assert (finding.severity, finding.mend) == ("error", "everself setup")


def test_findings_come_worst_first_and_each_says_what_mends_it(workspace: Path) -> None:
    (workspace / "SOUL.md").unlink()
    (workspace / "SOUL.md").symlink_to("elsewhere")
    (workspace / "soul.md").write_text("mine")
    (workspace / "USER.md").write_bytes(b"one\r\n")
    report = examine()
    assert [finding.severity for finding in report.findings] == sorted(
        (finding.severity for finding in report.findings), key=["error", "warning", "note"].index
    )
    assert {"error", "warning", "note"} == {finding.severity for finding in report.findings}
    assert all(finding.mend and finding.message.endswith((".", ")")) for finding in report.findings)


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (lambda path: path.symlink_to("/etc/hostname"), "file-link", "symbolic link"),
        (os.mkfifo, "file-odd", "pipe"),
        (lambda path: path.mkdir(mode=0o700), "file-folder", "folder"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(os.path.relpath(path)), "file-odd", "socket"),
    ],
    ids=["link", "fifo", "folder", "socket"],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", ["SOUL.md", "MEMORY.md", "memory/2026-03-19.md"])
def test_what_is_no_plain_file_is_named(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, name: str, make: object, code: str, words: str
) -> None:
    path = workspace / name
    path.unlink(missing_ok=True)
    # the address of a socket may be no longer than a hundred bytes
    monkeypatch.chdir(path.parent)
    assert callable(make)
    make(path)
    finding = found(examine(), code)
    assert finding.path == name
    assert finding.severity == ("warning" if "/" in name else "error")
    assert words in finding.message
    assert str(path) in finding.mend


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"one\ntwo \xff\n", "text-utf8", "byte 8, line 2"),
        (b"one\ntwo\0\0\n", "text-nul", "2 NUL bytes, the first at byte 7, line 2"),
        ("caf\u00e9".encode("utf-16"), "text-utf16", "UTF-16"),
        (b"\xef\xbb\xbfone\n", "text-bom", "byte order mark"),
        (b"one\r\ntwo\r\n", "text-windows", "Windows line ends"),
        (b"one\r\ntwo\n", "text-line-ends", "mixes line ends"),
        (b"one\n\n```python\nx = 1\n", "markdown-open", "opens in line 3"),
        (b"x" * 1_000_001 + b"\n", "line-long", "Line 1 of USER.md has 1.0 MB"),
        (b"- tea <!-- everself: nonsense -->\n", "comment-odd", "in line 1 of USER.md cannot be read"),
        (b"tea <!-- everself: id=7K3QX9M2ABCD --> and milk\n", "comment-odd", "ends no entry"),
    ],
)
def test_what_is_wrong_in_a_document_is_said_with_its_line(workspace: Path, data: bytes, code: str, words: str) -> None:
    (workspace / "USER.md").write_bytes(data)
    finding = found(examine(), code)
    assert words in finding.message
    assert finding.path == "USER.md"


def test_a_balanced_fence_and_a_comment_shown_as_code_are_fine(workspace: Path) -> None:
    text = "```\n<!-- everself: nonsense -->\n```\n\n- tea <!-- everself: id=7K3QX9M2ABCD -->\n"
    (workspace / "USER.md").write_text(text)
    assert codes(examine()) == set()


def test_a_conflicted_copy_of_a_document_is_told_once(workspace: Path) -> None:
    items = "".join(f"- tea {number} <!-- everself: id=7K3QX9M2ABC{number} -->\n" for number in range(3))
    for name in ("memory/notes.md", "memory/notes (Alex's conflicted copy 2026-03-01).md"):
        write(workspace / name, f"# Notes\n\n{items}")
    report = examine()
    finding = found(report, "document-copy")
    assert finding.path == "memory/notes (Alex's conflicted copy 2026-03-01).md"
    assert "3 entry ids" in finding.message
    assert "entry-twice" not in codes(report)


def test_an_id_that_two_entries_share_is_found_across_files(workspace: Path) -> None:
    for name in ("MEMORY.md", "memory/2026-03-19.md"):
        write(workspace / name, "# Notes\n\n- tea <!-- everself: id=7K3QX9M2ABCD -->\n")
    message = found(examine(), "entry-twice").message
    assert "MEMORY.md line 3" in message
    assert "memory/2026-03-19.md line 3" in message


def test_second_hard_links_and_oversized_files_are_named(workspace: Path) -> None:
    os.link(workspace / "TOOLS.md", workspace.parent / "elsewhere.md")
    with (workspace / "memory/big.md").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    (workspace / "memory/big.md").chmod(0o600)
    report = examine()
    assert found(report, "file-hard-link").path == "TOOLS.md"
    assert "17.8 MB" in found(report, "file-large").message


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("memory/SOUL.md", "file-twice", "SOUL.md are both there"),
        ("memory/MEMORY.md", "file-twice", "MEMORY.md are both there"),
        ("memory.md", "file-twice", "only MEMORY.md is read"),
        ("soul.md", "file-twice", "only SOUL.md is read"),
        ("2026-03-19.md", "file-misplaced", "outside of memory/"),
        ("memory/2026-02-30.md", "date-impossible", "does not exist"),
        ("memory/2126-03-19.md", "date-far", "looks wrong"),
        ("memory/trailing .md ", "name-unsafe", "dot or a space"),
    ],
)
def test_misplaced_files_are_named_with_where_they_belong(workspace: Path, name: str, code: str, words: str) -> None:
    path = workspace / name
    if name.endswith(" "):
        path.mkdir(mode=0o700)
    else:
        write(path, "text\n")
    finding = found(examine(), code)
    assert words in finding.message
    assert finding.path == name


def test_a_file_under_another_spelling_is_to_be_renamed(workspace: Path) -> None:
    (workspace / "SOUL.md").rename(workspace / "soul.md")
    finding = found(examine(), "file-misspelt")
    assert finding.mend == f"mv -n {workspace}/soul.md {workspace}/SOUL.md"


def test_memory_in_lower_case_alone_is_fine(workspace: Path) -> None:
    (workspace / "MEMORY.md").rename(workspace / "memory.md")
    assert codes(examine()) == set()


def test_the_same_day_in_two_places_is_noted(workspace: Path) -> None:
    (workspace / "memory/daily").mkdir(mode=0o700)
    for name in ("memory/2026-03-19.md", "memory/daily/2026-03-19.md"):
        write(workspace / name, "text\n")
    assert "2 daily logs" in found(examine(), "date-twice").message


def test_files_that_never_were_are_missing_and_files_a_person_removed_are_not(workspace: Path, home: Path) -> None:
    (workspace / "TOOLS.md").unlink()
    assert codes(examine()) == set()
    (home / STATE / "state.db").unlink()
    report = examine()
    assert "TOOLS.md" in found(report, "files-missing").message
    assert found(report, "database-missing").severity == "error"


def test_workspaces_within_workspaces_are_found_from_both_sides(workspace: Path, home: Path) -> None:
    inner = workspace / "old"
    inner.mkdir(mode=0o700)
    for name in ("SOUL.md", "MEMORY.md"):
        write(inner / name, "text\n")
    assert found(examine(), "workspace-nested").path == "old"
    (home / ".everself/everself.json5").write_text(f'{{agents: {{defaults: {{workspace: "{inner}"}}}}}}')
    assert found(examine(), "workspace-nested").path == str(workspace)


def test_an_identity_without_labels_is_noticed(workspace: Path) -> None:
    (workspace / "IDENTITY.md").write_text("I am somebody.\n")
    assert "Assistant" in found(examine(), "identity-unlabelled").message


def test_documents_that_outgrow_the_prompt_are_named_with_what_is_left_out(workspace: Path) -> None:
    (workspace / "SOUL.md").write_text("I keep my word. " * 400)
    (workspace / "USER.md").write_text("They like tea very much. " * 300)
    (workspace / "MEMORY.md").write_text("- we chose blue\n" * 300)
    (workspace / "AGENTS.md").write_text("Write it down. " * 1_400)
    report = examine()
    assert "soul_max_tokens (800)" in found(report, "soul-large").message
    assert {finding.path for finding in report.findings if finding.code == "over-budget"} == {"USER.md", "MEMORY.md"}
    assert "the last 1,000 are left out" in found(report, "over-limit").message


def test_comments_of_entries_take_no_room_in_a_prompt_and_are_not_counted(workspace: Path) -> None:
    entry = "- we chose blue <!-- everself: id=7K3QX9M2ABCD tag=knowledge conf=0.95 src=owner seen=2026-03-19 n=1 -->\n"
    (workspace / "MEMORY.md").write_text(entry * 40)
    assert all(finding.code != "over-budget" for finding in examine().findings)


def test_a_soul_beyond_the_whole_context_is_an_error(workspace: Path) -> None:
    (workspace / "SOUL.md").write_text("I keep my word. " * 5_000)
    report = examine()
    assert found(report, "soul-too-large").severity == "error"
    assert "are left out" in found(report, "over-total").message


def test_near_a_limit_tokens_are_counted_exactly(workspace: Path) -> None:
    (workspace / "SOUL.md").write_text(" word" * 801)
    assert "has 801 tokens" in found(examine(), "soul-large").message
    (workspace / "SOUL.md").write_text(" word" * 800)
    assert "soul-large" not in codes(examine())


def test_settings_of_both_files_are_checked(workspace: Path, home: Path) -> None:
    (workspace / "CONFIG.md").write_text("```yaml\nsoul_max_tokens: lots\n```\n")
    (home / ".everself/everself.json5").write_text('{agents: {defaults: {modle: "x"}}}')
    report = examine()
    assert found(report, "tunable-wrong").path == "CONFIG.md"
    assert "agents.defaults.model" in found(report, "config-wrong").message


def test_a_host_file_that_cannot_be_read_hides_no_workspace(workspace: Path, home: Path) -> None:
    (home / ".everself/everself.json5").write_bytes(b"{agents: [\xff")
    (workspace / "USER.md").write_bytes(b"\0")
    assert {"config-wrong", "text-nul"} <= codes(examine())


def test_a_host_file_that_names_an_unknown_place_is_not_answered_with_setup(home: Path) -> None:
    (home / ".everself").mkdir(mode=0o700)
    (home / ".everself/everself.json5").write_text('{agents: {defaults: {workspace: "/somewhere", modle: 1}}}')
    assert codes(examine()) == {"config-wrong"}


@pytest.mark.parametrize("environ", [{}, {"HOME": "relative"}, {"HOME": "/", "EVERSELF_PROFILE": "../x"}])
def test_an_environment_that_makes_no_sense_is_said(environ: dict[str, str]) -> None:
    report = examine(environ=environ)
    assert [finding.code for finding in report.findings] == ["environment-wrong"]
    assert report.workspace == ""


@pytest.mark.usefixtures("workspace")
def test_an_agent_nobody_knows_is_said() -> None:
    assert "nobody" in found(examine("nobody"), "agent-unknown").message


def test_secrets_are_reported_by_kind_and_line_and_never_shown(workspace: Path) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"
    (workspace / "MEMORY.md").write_text(f"# Memory\n\n- the token is {token}\n")
    report = examine()
    finding = found(report, "secret-in-document")
    assert (finding.path, finding.severity) == ("MEMORY.md", "warning")
    assert "Line 3" in finding.message
    assert "github" in finding.message
    assert token not in repr(report)


def test_what_was_not_looked_at_is_said(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 4):
        write(workspace / f"memory/2026-01-0{number}.md", "x" * 2_000)
    monkeypatch.setattr(case, "SCAN_BYTES", 4_500)
    assert found(examine(), "documents-unsearched").message.endswith("1 document.")
    monkeypatch.setattr(case, "READ_FILES", 16)
    assert " 5 were not read" in found(examine(), "documents-left").message


def test_thousands_of_findings_alike_become_a_few_and_a_count(workspace: Path) -> None:
    for number in range(1, 29):
        write(workspace / f"memory/2026-01-{number:02}.md", b"\0")
    report = examine()
    hits = [finding for finding in report.findings if finding.code == "text-nul"]
    assert len(hits) == 11
    assert "18 more" in hits[-1].message


def test_a_time_zone_that_nobody_set_is_noted_where_the_machine_has_none(
    workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".everself/everself.json5").write_text("{}")
    monkeypatch.setattr(settings, "host_zone", lambda: ZoneInfo("UTC"))
    assert "userTimezone" in found(examine(), "zone-unset").mend
    monkeypatch.setattr(settings, "host_zone", lambda: ZoneInfo("Asia/Seoul"))
    assert codes(examine()) == set()
    (workspace / "USER.md").write_text("- **Time zone:** somewhere nice\n")
    assert "somewhere nice" in found(examine(), "zone-unknown").message
    for known in ("Asia/Seoul", "Berlin"):
        (workspace / "USER.md").write_text(f"- **Time zone:** {known}\n")
        assert codes(examine()) == set()


def test_a_repository_of_the_persons_own_with_a_remote_is_noted(workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / ".git/config").write_text('[remote "origin"]\n\turl = somewhere\n')
    assert found(examine(), "own-git").severity == "note"


def test_names_cannot_send_codes_to_the_terminal(workspace: Path) -> None:
    (workspace / "memory/\x1b[31mred.md").write_text("text\n")
    (workspace / "memory" / os.fsdecode(b"half\xff.md")).write_text("text\n")
    report = examine()
    for finding in report.findings:
        assert finding.message.isprintable()
        assert finding.mend.isprintable()
    assert len([finding for finding in report.findings if finding.code == "name-unsafe"]) == 2


@pytest.mark.usefixtures("workspace")
def test_a_change_that_was_made_leaves_nothing_to_say() -> None:
    with open_runtime() as app:
        app.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", b"- likes tea\n"),)))
    assert codes(examine()) == set()


def test_the_page_lists_every_code_and_no_other() -> None:
    page = (Path(__file__).parents[3] / "docs/doctor.md").read_text("utf-8")
    sources = "\n".join(path.read_text("utf-8") for path in Path(case.__file__).parent.glob("*.py"))
    listed = set(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE))
    said = set(re.findall(r'(?:bad|warning|note|failed)\(\s*"([a-z0-9-]+)"', sources))
    said |= set(re.findall(r'Finding\(\s*[^",]+, "([a-z0-9-]+)"', sources)) | set(contents._HARMLESS)
    said |= set(re.findall(r'Finding\("error" if severe else "warning", "([a-z-]+)"', sources))
    assert said == listed
    mended = set(re.findall(r"^\| `([a-z0-9-]+)` \|.*\*fix\* \|$", page, re.MULTILINE))
    assert mended == {code for group, _ in repairs._REPAIRS for code in group} - {"secrets-readable"}
