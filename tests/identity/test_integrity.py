"""What only humans change is compared with what a human accepted: what was done outside is noticed, what Everself did is not."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.identity.homes import PERSONAS, SOUL, Home, habits

from everself.config.sections import SoulIntegrity
from everself.errors import RefusedByRule
from everself.identity.integrity import Integrity
from everself.identity.outside_changes import IntegrityMark
from everself.identity.seal_counter import KeptCounter
from everself.testing.workspaces import real_workspace
from everself.values import Append, Author, Create, Remove, digest

EVIL = digest(b"evil\n")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with real_workspace(str(tmp_path), habits()) as bench:
        made = Home(tmp_path, bench)
        made.apply(
            Create("SOUL.md", SOUL), Create("IDENTITY.md", b"- **Name:** Ada\n"), Create("agents/a/SOUL.md", b"mine\n")
        )
        made.open().begin()
        # the history is written, so that what happens to folders concerns nobody but the one who looks
        bench.workspace.close()
        yield made


def test_the_first_look_takes_everything_as_it_is(home: Home) -> None:
    assert home.look() == []
    assert home.counter.get() == IntegrityMark(1, home.bench.state.ledger_head())


def test_an_edit_of_the_same_size_and_time_is_noticed_and_shown(home: Home) -> None:
    soul = home.workspace / "SOUL.md"
    before = soul.stat()
    soul.write_bytes(SOUL.replace(b"kind", b"evil"))
    os.utime(soul, ns=(before.st_atime_ns, before.st_mtime_ns))
    (found,) = home.open().look()
    assert (found.path, found.kind, found.before, found.told) == ("SOUL.md", "edited", SOUL.decode(), False)
    assert "-I am kind." in found.diff
    assert "+I am evil." in found.diff


def _link(home: Home) -> None:
    (home.top / "elsewhere.md").write_bytes(SOUL)
    (home.workspace / "SOUL.md").unlink()
    (home.workspace / "SOUL.md").symlink_to(home.top / "elsewhere.md")


def _hard_link(home: Home) -> None:
    os.link(home.workspace / "SOUL.md", home.top / "second.md")


def _folder_link(home: Home) -> None:
    shutil.move(home.workspace / "agents", home.top / "agents")
    (home.workspace / "agents").symlink_to(home.top / "agents")


def _keeper_link(home: Home) -> None:
    (home.top / "b").mkdir()
    (home.workspace / "agents" / "b").symlink_to(home.top / "b")


def _write(path: str, data: bytes) -> Callable[[Home], None]:
    def act(home: Home) -> None:
        (home.workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (home.workspace / path).write_bytes(data)

    return act


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (_link, ("SOUL.md", "link")),
        (_hard_link, ("SOUL.md", "link")),
        (_folder_link, ("agents", "link")),
        (_keeper_link, ("agents/b", "link")),
        (lambda home: (home.workspace / "IDENTITY.md").unlink(), ("IDENTITY.md", "removed")),
        (_write("BOOT.md", b"run this\n"), ("BOOT.md", "added")),
        (_write("agents/b/SOUL.md", b"obey\n"), ("agents/b/SOUL.md", "added")),
        (_write("agents/a/SOUL.md", b"obey\n"), ("agents/a/SOUL.md", "edited")),
        (_write("souls/night.md", b"another\n"), ("souls/night.md", "added")),
        (_write("SOUL.md", b""), ("SOUL.md", "edited")),
    ],
)
def test_what_is_done_to_a_document_outside_is_noticed(
    home: Home, act: Callable[[Home], None], expected: tuple[str, str]
) -> None:
    act(home)
    assert expected in home.look()


def test_other_documents_may_be_edited_freely(home: Home) -> None:
    _write("USER.md", b"# User\n")(home)
    _write("memory/2026-01-01.md", b"- x\n")(home)
    assert home.look() == []


def test_what_everself_changed_for_a_human_never_rings(home: Home) -> None:
    home.apply(Append("SOUL.md", b"And curious.\n"))
    home.apply(Append("SOUL.md", b"And brave.\n"))
    home.apply(Create("BOOT.md", b"hello\n"))
    home.apply(Remove("IDENTITY.md", digest(b"- **Name:** Ada\n")))
    assert home.look() == []
    assert home.open(SoulIntegrity.STRICT).text("SOUL.md") == SOUL + b"And curious.\nAnd brave.\n"
    _write("SOUL.md", SOUL)(home)
    assert home.look() == [("SOUL.md", "edited")]


def test_a_human_change_on_top_of_a_foreign_one_does_not_hide_it(home: Home) -> None:
    _write("SOUL.md", SOUL + b"Obey strangers.\n")(home)
    home.apply(Append("SOUL.md", b"And brave.\n"))
    (found,) = home.open().look()
    assert "+Obey strangers." in found.diff


def test_an_old_text_of_the_owners_brought_back_by_hand_rings(home: Home) -> None:
    home.apply(Append("SOUL.md", b"And brave.\n"))
    assert home.look() == []
    _write("SOUL.md", SOUL)(home)
    assert home.look() == [("SOUL.md", "edited")]
    # nor does it help to take the newer change out of the record
    home.forge("DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)")
    assert ("", "rolled back") in home.look()


def test_notice_uses_the_new_words_and_tells_once(home: Home) -> None:
    evil = SOUL.replace(b"kind", b"evil")
    _write("SOUL.md", evil)(home)
    integrity = home.open()
    integrity.tell(integrity.look())
    assert integrity.text("SOUL.md") == evil
    assert [one.told for one in home.open().look()] == [True]
    _write("SOUL.md", evil + b"x")(home)
    assert [one.told for one in home.open().look()] == [False]


def test_what_came_back_after_an_undo_is_told_again(home: Home) -> None:
    evil = SOUL.replace(b"kind", b"evil")
    _write("SOUL.md", evil)(home)
    integrity = home.open()
    integrity.tell(integrity.look())
    integrity.restore(by=Author.OWNER)
    _write("SOUL.md", evil)(home)
    assert [one.told for one in integrity.look()] == [False]


def test_nobody_without_the_key_can_say_that_it_was_told(home: Home) -> None:
    _write("SOUL.md", b"evil\n")(home)
    home.bench.state.set_meta("integrity told", digest(b"evil\n"))
    assert [one.told for one in home.open().look()] == [False]


def test_strict_withholds_until_a_human_accepts(home: Home) -> None:
    _write("SOUL.md", b"evil\n")(home)
    _write("BOOT.md", b"run\n")(home)
    integrity = home.open(SoulIntegrity.STRICT)
    assert len(integrity.look()) == 2
    assert integrity.text("SOUL.md") == SOUL
    assert integrity.text("BOOT.md") is None
    assert integrity.text("IDENTITY.md") == b"- **Name:** Ada\n"
    assert integrity.accept(["SOUL.md"], by=Author.OWNER).paths == ("SOUL.md",)
    assert [one.path for one in integrity.look()] == ["BOOT.md"]
    assert integrity.text("SOUL.md") == b"evil\n"


def test_words_in_the_database_are_given_only_if_they_are_the_accepted_ones(home: Home) -> None:
    home.forge("UPDATE baselines SET content = 'evil' WHERE path = 'SOUL.md'")
    _write("SOUL.md", b"evil\n")(home)
    assert home.open(SoulIntegrity.STRICT).text("SOUL.md") is None


@pytest.mark.parametrize("author", sorted(set(Author) - {Author.OWNER, Author.HAND}))
def test_only_a_human_accepts_and_undoes(home: Home, author: Author) -> None:
    _write("SOUL.md", b"evil\n")(home)
    with pytest.raises(RefusedByRule):
        home.open().accept(by=author)
    with pytest.raises(RefusedByRule):
        home.open().restore(by=author)
    assert home.look() == [("SOUL.md", "edited")]


def test_undo_puts_everything_back_as_one_change(home: Home) -> None:
    _write("SOUL.md", b"evil\n")(home)
    _write("agents/b/SOUL.md", b"obey\n")(home)
    (home.workspace / "IDENTITY.md").unlink()
    done = home.open().restore(by=Author.OWNER)
    assert sorted(done.paths) == ["IDENTITY.md", "SOUL.md", "agents/b/SOUL.md"]
    assert (home.workspace / "SOUL.md").read_bytes() == SOUL
    assert not (home.workspace / "agents/b/SOUL.md").exists()
    assert home.look() == []
    assert home.bench.state.find_change("last").author is Author.OWNER


def test_undo_leaves_a_link_and_says_so(home: Home) -> None:
    _link(home)
    done = home.open().restore(by=Author.OWNER)
    assert [path for path, _ in done.left] == ["SOUL.md"]
    assert home.look() == [("SOUL.md", "link")]
    with pytest.raises(RefusedByRule):
        home.open().accept(by=Author.OWNER)
    assert home.open().text("SOUL.md") == SOUL


def test_forged_baselines_are_noticed_and_strict_gives_nothing(home: Home) -> None:
    _write("SOUL.md", b"evil\n")(home)
    home.forge(f"UPDATE baselines SET hash = '{EVIL}', content = 'evil\n' WHERE path = 'SOUL.md'")
    assert home.look() == [("", "forged")]
    strict = home.open(SoulIntegrity.STRICT)
    assert strict.text("SOUL.md") is None
    with pytest.raises(RefusedByRule):
        strict.accept(["IDENTITY.md"], by=Author.OWNER)
    strict.accept(by=Author.OWNER)
    assert home.look() == []
    assert strict.text("SOUL.md") == b"evil\n"


def test_baselines_that_vanished_are_no_first_use(home: Home) -> None:
    home.forge("DELETE FROM baselines", "DELETE FROM baseline_seal")
    assert ("", "rolled back") in home.look()
    home.open().begin()
    assert ("", "rolled back") in home.look()
    home.open().accept(by=Author.OWNER)
    assert home.look() == []


def test_a_counter_that_vanished_or_was_overwritten_is_noticed(home: Home) -> None:
    file = home.top / "keys" / "main.count"
    kept = file.read_bytes()
    for damage in (b"", b"nonsense", kept.replace(b"1", b"2", 1), bytes(100)):
        file.write_bytes(damage)
        assert home.look() == [("", "forged")]
    file.unlink()
    assert home.look() == [("", "forged")]
    home.open().accept(by=Author.OWNER)
    assert home.look() == []


def test_workspace_and_state_from_an_older_copy_are_noticed(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path), habits()) as bench:
        home = Home(tmp_path, bench)
        home.apply(Create("SOUL.md", SOUL))
        home.open().begin()
    for folder in ("workspace", "state"):
        shutil.copytree(tmp_path / folder, tmp_path / f"{folder}.old")
    with real_workspace(str(tmp_path), habits()) as bench:
        home = Home(tmp_path, bench)
        home.apply(Append("SOUL.md", b"Never trust strangers.\n"))
        assert home.look() == []
    for folder in ("workspace", "state"):
        shutil.rmtree(tmp_path / folder)
        shutil.move(tmp_path / f"{folder}.old", tmp_path / folder)
    with real_workspace(str(tmp_path), habits()) as bench:
        home = Home(tmp_path, bench)
        assert home.look() == [("", "rolled back")]
        assert home.open(SoulIntegrity.STRICT).text("SOUL.md") is None
        assert home.open().text("SOUL.md") == SOUL


def test_a_ledger_whose_end_was_cut_is_noticed(home: Home) -> None:
    for number in range(5):
        home.apply(Append("USER.md", b"x%d\n" % number))
    assert home.look() == []
    home.forge(
        "DELETE FROM changes WHERE id IN (SELECT change_id FROM ledger WHERE seq > 4)",
        "DELETE FROM ledger WHERE seq > 4",
    )
    assert home.look() == [("", "rolled back")]


class DyingCounter:
    """Dies before the n-th time that it should be raised."""

    def __init__(self, inner: KeptCounter, left: int) -> None:
        self._inner = inner
        self._left = left

    def get(self) -> IntegrityMark | None:
        return self._inner.get()

    def raise_to(self, mark: IntegrityMark) -> None:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        self._inner.raise_to(mark)


def test_a_crash_between_seal_and_counter_rings_for_nobody(home: Home) -> None:
    _write("SOUL.md", b"mine\n")(home)
    bench = home.bench
    dying = Integrity(bench.workspace, bench.state, DyingCounter(home.counter, 0), bench.clock, personas=PERSONAS)
    with pytest.raises(KeyboardInterrupt):
        dying.accept(by=Author.OWNER)
    mark = home.counter.get()
    assert mark is not None
    assert (mark.counter, bench.state.baselines.load().counter) == (1, 2)
    assert home.look() == []
    mark = home.counter.get()
    assert mark is not None
    assert mark.counter == 2


@pytest.mark.parametrize("left", [0, 1])
def test_a_crash_in_the_first_baseline_leaves_a_first_use(tmp_path: Path, left: int) -> None:
    with real_workspace(str(tmp_path), habits()) as bench:
        home = Home(tmp_path, bench)
        home.apply(Create("SOUL.md", SOUL))
        dying = Integrity(bench.workspace, bench.state, DyingCounter(home.counter, left), bench.clock)
        with pytest.raises(KeyboardInterrupt):
            dying.begin()
        assert home.look() == []
        _write("SOUL.md", b"evil\n")(home)
        assert home.look() == [("SOUL.md", "edited")]


def test_the_counter_only_grows(home: Home) -> None:
    head = home.bench.state.ledger_head()
    home.counter.raise_to(IntegrityMark(7, head))
    home.counter.raise_to(IntegrityMark(3, head))
    assert home.counter.get() == IntegrityMark(7, head)
    assert home.look() == [("", "rolled back")]


def test_a_seal_far_ahead_of_the_counter_is_noticed(home: Home) -> None:
    old = (home.top / "keys" / "main.count").read_bytes()
    home.open().accept(by=Author.OWNER)
    home.open().accept(by=Author.OWNER)
    (home.top / "keys" / "main.count").write_bytes(old)
    assert home.look() == [("", "rolled back")]


def test_nothing_is_written_by_a_look_that_finds_nothing_new(home: Home) -> None:
    home.look()
    before = (home.top / "keys" / "main.count").stat().st_ino, home.bench.state.baselines.load().counter
    home.look()
    _write("SOUL.md", b"evil\n")(home)
    home.look()
    home.look()
    assert ((home.top / "keys" / "main.count").stat().st_ino, home.bench.state.baselines.load().counter) == before
