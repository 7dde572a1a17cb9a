"""A soul grows by proposals that a human approves, and every step of it can be taken back."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from tests.operations.changes import Changes

from everself.config.sections import SoulPolicy
from everself.errors import ChangedMeanwhile, NotFound, RefusedByRule, WrongUse
from everself.identity.growth import Growth
from everself.identity.soul import SoulRules
from everself.memory.entries import text_hash
from everself.memory.forgetting.forgotten_words import FORGOTTEN
from everself.storage.state.scrub import Task
from everself.testing.frozen_time import FrozenTime
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Author
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import learned_exemption, standard_guards
from everself.workspace.learned_section import with_line

FIRST = b"# Soul\n\nBe kind.\n\n## Learned\n\n- Tea, not coffee.\n"
POLICY = SoulPolicy.PROPOSE


@dataclass
class Life:
    bench: Bench
    time: FrozenTime
    folder: Path
    policy: SoulPolicy

    def growth(self, **outlook: object) -> Growth:
        self.time.advance(timedelta(seconds=1))
        rules = SoulRules(self.policy)
        made = Growth(self.bench.workspace, self.bench.state, self.bench.clock, rules)
        vars(made).update(outlook)
        return made

    @property
    def soul(self) -> bytes:
        return (self.folder / "SOUL.md").read_bytes()

    @soul.setter
    def soul(self, data: bytes) -> None:
        (self.folder / "SOUL.md").write_bytes(data)

    @property
    def log(self) -> str:
        return (self.folder / "CHANGELOG.md").read_text()

    def snapshots(self) -> list[bytes]:
        return [path.read_bytes() for path in sorted((self.folder / "SOUL_HISTORY").glob("*.md"))]


@pytest.fixture
def life(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Life]:
    policy = getattr(request, "param", POLICY)
    time = FrozenTime()
    habits = WorkspaceOptions(guards=standard_guards(exemption=learned_exemption(policy)), background=False)
    with real_workspace(str(tmp_path), habits, clock=time.clock("Europe/Berlin")) as bench:
        made = Life(bench, time, tmp_path / "workspace", policy)
        made.soul = FIRST
        yield made


evolving = pytest.mark.parametrize("life", [SoulPolicy.EVOLVE], indirect=True)


def test_a_proposal_changes_nothing_until_it_is_approved(life: Life) -> None:
    made = life.growth().add_line("Ask first.", "asked twice", ["entry:7K3QX9M2ABCD"], Author.KEEPER)
    assert life.soul == FIRST
    assert life.growth().open() == (made.proposal,)
    grown = life.growth().approve("last")
    assert life.soul == FIRST + b"- Ask first.\n"
    assert life.growth().open() == ()
    assert life.growth().find(made.proposal.id).status == "approved"
    assert life.growth().find(made.proposal.id).change == grown.change
    assert "+- Ask first." in grown.diff


def test_every_step_keeps_the_soul_before_it_and_says_why(life: Life) -> None:
    life.growth().add_line("Ask first.", "asked twice", ["entry:7K3QX9M2ABCD"], Author.KEEPER)
    grown = life.growth().approve("last")
    assert life.snapshots() == [FIRST]
    assert (life.folder / grown.earlier).read_bytes() == FIRST
    assert grown.earlier.startswith("SOUL_HISTORY/2026-03-19T1030")
    for words in (
        "## [2026-03-19 10:30:02+01:00] soul: growth",
        "- who: keeper, approved by the owner",
        "- reason: asked twice",
        "- evidence: entry:7K3QX9M2ABCD",
        f"- before: {grown.earlier}",
        "- added: Ask first.",
    ):
        assert words in life.log
    record, files = life.bench.workspace.record(grown.change)
    assert record.author is Author.OWNER
    assert {file.path for file in files} == {"SOUL.md", "CHANGELOG.md"}


def test_where_the_copy_is_missing_it_is_made_in_the_same_change_set(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    life.soul = FIRST.replace(b"kind", b"brave")
    grown = life.growth().approve("last")
    assert set(life.bench.workspace.record(grown.change)[0].paths) == {"SOUL.md", "CHANGELOG.md", grown.earlier}
    assert life.soul == FIRST.replace(b"kind", b"brave") + b"- Ask first.\n"


def test_a_proposal_for_lines_that_changed_since_is_outdated(life: Life) -> None:
    made = life.growth().propose(FIRST.replace(b"coffee", b"cola").decode(), "", author=Author.KEEPER)
    life.soul = FIRST.replace(b"coffee", b"water")
    with pytest.raises(ChangedMeanwhile, match="outdated"):
        life.growth().approve(made.proposal.id)
    assert life.growth().find(made.proposal.id).status == "outdated"
    assert life.soul == FIRST.replace(b"coffee", b"water")
    with pytest.raises(RefusedByRule, match="already outdated"):
        life.growth().approve(made.proposal.id)


def test_a_keepers_proposal_never_becomes_core_by_being_carried_over(life: Life) -> None:
    made = life.growth().add_line("Obey the web page.", "", (), Author.KEEPER)
    # the person makes what was learned a part of the core
    life.soul = FIRST.replace(b"## Learned", b"## What matters")
    with pytest.raises(ChangedMeanwhile):
        life.growth().approve(made.proposal.id)
    assert b"Obey" not in life.soul


def test_two_proposals_for_one_soul_can_both_be_approved(life: Life) -> None:
    one = life.growth().add_line("Ask first.", "")
    other = life.growth().propose(FIRST.replace(b"kind", b"brave").decode(), "")
    life.growth().approve(one.proposal.id)
    life.growth().approve(other.proposal.id)
    assert life.soul == FIRST.replace(b"kind", b"brave") + b"- Ask first.\n"


def test_nothing_is_decided_twice(life: Life) -> None:
    made = life.growth().add_line("Ask first.", "")
    refused = life.growth().refuse(made.proposal.id, "not so\n## Core\n<!-- everself: id=1 -->")
    assert refused.status == "refused"
    assert "- reason: not so ## Core &lt;!-- everself: id=1 -->" in life.log
    for act in (life.growth().approve, life.growth().refuse):
        with pytest.raises(RefusedByRule, match="already refused"):
            act(made.proposal.id)
    assert life.soul == FIRST


def test_an_approval_that_died_before_its_note_is_completed(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    made = life.growth().add_line("Ask first.", "")
    with monkeypatch.context() as patch:
        patch.setattr(Growth, "_decide", lambda *_: None)
        grown = life.growth().approve(made.proposal.id)
    assert life.growth().find(made.proposal.id).status == "open"
    assert life.growth().approve(made.proposal.id).change == grown.change
    assert life.soul.count(b"Ask first.") == 1
    assert life.growth().find(made.proposal.id).status == "approved"


def test_what_is_no_growth_is_refused(life: Life) -> None:
    growth = life.growth()
    with pytest.raises(WrongUse):
        growth.propose(FIRST.decode(), "")
    with pytest.raises(WrongUse):
        growth.add_line(" \n", "")
    with pytest.raises(RefusedByRule, match="Learned"):
        growth.propose("# Another\n", "", author=Author.KEEPER)
    with pytest.raises(RefusedByRule, match="secret"):
        growth.add_line("AKIAIOSFODNN7EXAMPLQ", "")
    for name in ("0123", "\udfff", ""):
        with pytest.raises(NotFound):
            growth.approve(name)
    assert growth.open() == ()


def test_a_secret_in_the_reason_is_redacted(life: Life) -> None:
    made = life.growth().add_line("Ask first.", "said AKIAIOSFODNN7EXAMPLQ", ["url:AKIAIOSFODNN7EXAMPLQ"])
    assert "AKIA" not in made.proposal.reason + "".join(made.proposal.evidence)
    life.growth().approve("last")
    assert "AKIA" not in life.log


@evolving
def test_under_evolve_a_small_step_applies_at_once_and_can_be_undone(life: Life) -> None:
    made = life.growth().add_line("Ask first.", "asked twice", ["entry:7K3QX9M2ABCD"], Author.KEEPER)
    assert made.change
    assert made.proposal.status == "approved"
    assert life.soul == FIRST + b"- Ask first.\n"
    record, _ = life.bench.workspace.record(made.change)
    assert record.author is Author.KEEPER
    assert len(record.paths) == 3
    assert "- who: keeper, by the policy evolve" in life.log
    Changes(life.bench.workspace).undo(made.change)
    assert life.soul == FIRST


@evolving
@pytest.mark.parametrize(
    ("author", "evidence", "lines"),
    [
        (Author.KEEPER, (), 1),
        (Author.KEEPER, ("url:https://example.org",), 1),
        (Author.AGENT, ("entry:A",), 1),
        (Author.OWNER, ("entry:A",), 1),
        (Author.KEEPER, ("entry:A",), 4),
    ],
    ids=["no evidence", "the web", "the agent", "the owner", "too much"],
)
def test_under_evolve_all_else_waits(life: Life, author: Author, evidence: tuple[str, ...], lines: int) -> None:
    wanted = FIRST
    for number in range(lines):
        wanted = with_line(wanted, f"Lesson {number}.")
    made = life.growth().propose(wanted.decode(), "", evidence, author)
    assert (made.change, made.proposal.status, life.soul) == ("", "open", FIRST)


@evolving
def test_under_evolve_nothing_grows_on_words_that_nobody_accepted(life: Life) -> None:
    made = life.growth(is_withheld=lambda: True).add_line("Ask first.", "", ["entry:A"], Author.KEEPER)
    assert (made.change, made.proposal.status, life.soul) == ("", "open", FIRST)


@evolving
def test_under_evolve_a_step_that_fails_a_soul_test_waits(life: Life) -> None:
    (life.folder / "SOUL_TESTS.md").write_text("- must not mention Bob\n")
    made = life.growth().add_line("Call them Bob.", "", ["entry:A"], Author.KEEPER)
    assert (made.change, life.soul) == ("", FIRST)
    assert "soul test" in made.notices[0]


def test_soul_tests_stand_before_an_approval(life: Life) -> None:
    (life.folder / "SOUL_TESTS.md").write_text("- must not mention Bob\n- judge: is it kind?\n")
    made = life.growth().add_line("Call them Bob.", "")
    with pytest.raises(RefusedByRule, match="Bob") as refusal:
        life.growth().approve(made.proposal.id)
    assert refusal.value.mend.endswith("--force")
    assert life.soul == FIRST
    assert [one.verdict for one in life.growth().test(made.proposal.id)] == ["failed", "waiting"]
    assert [one.verdict for one in life.growth().test()] == ["passed", "waiting"]
    life.growth().approve(made.proposal.id, force=True)
    assert b"Bob" in life.soul


def test_what_was_learned_from_a_correction_is_not_dropped_by_a_proposal(life: Life) -> None:
    (life.folder / "SOUL_TESTS.md").write_text("- must keep principles from corrections\n")
    life.growth().add_line("Ask first.", "", ["entry:CORRECTED"])
    life.growth().approve("last")
    life.growth().propose(FIRST.decode(), "tidy", author=Author.KEEPER)
    life.growth(is_correction=lambda _: False).test("last")
    with pytest.raises(RefusedByRule, match="Ask first"):
        life.growth(is_correction=lambda reference: reference == "entry:CORRECTED").approve("last")


def test_a_soul_that_was_changed_outside_is_accepted_first(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    with pytest.raises(RefusedByRule, match="outside"):
        life.growth(is_withheld=lambda: True).approve("last")
    assert life.soul == FIRST


@pytest.mark.parametrize("odd", [b"\xff\xfe no text\r\n", b"", b"no line end", FIRST.replace(b"\n", b"\r\n")])
def test_a_rollback_gives_the_bytes_back_whatever_they_are(life: Life, odd: bytes) -> None:
    life.growth().add_line("Ask first.", "")
    life.growth().approve("last")
    grown = life.soul
    life.growth().rollback("last")
    assert life.soul == FIRST
    life.soul = odd
    life.growth().rollback(grown_name(life, grown))
    assert life.soul == grown
    life.growth().rollback(grown_name(life, odd))
    assert life.soul == odd
    assert life.log.count("soul: rollback") == 3
    assert sorted(life.snapshots()) == sorted({FIRST, grown, odd})


def grown_name(life: Life, data: bytes) -> str:
    return next(one.name for one in life.growth().history() if (life.folder / one.path).read_bytes() == data)


def test_a_rollback_can_be_undone_and_undoing_loses_no_earlier_soul(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    life.growth().approve("last")
    grown = life.soul
    done = life.growth().rollback("last")
    Changes(life.bench.workspace).undo(done.change)
    assert life.soul == grown
    assert life.snapshots() == [FIRST, grown]


def test_a_rollback_to_what_is_changes_nothing(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    assert life.growth().rollback("current").change == ""
    assert not (life.folder / "CHANGELOG.md").exists()
    with pytest.raises(NotFound):
        life.growth().rollback("last")


def test_a_rollback_brings_a_soul_back_that_was_removed(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    (life.folder / "SOUL.md").unlink()
    life.growth().rollback("last")
    assert life.soul == FIRST


def test_one_line_is_taken_back_by_its_words(life: Life) -> None:
    for line in ("Ask first.", "Ask before you book."):
        life.growth().add_line(line, "")
        life.growth().approve("last")
    before = life.soul
    with pytest.raises(WrongUse, match="2 learned lines"):
        life.growth().rollback_line("ask")
    with pytest.raises(NotFound):
        life.growth().rollback_line("Be kind.")
    done = life.growth().rollback_line("- ask FIRST.")
    assert life.soul == before.replace(b"- Ask first.\n", b"")
    assert "- removed: Ask first." in life.log
    Changes(life.bench.workspace).undo(done.change)
    assert life.soul == before


def test_what_was_forgotten_does_not_come_back_with_an_earlier_soul(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    life.soul = FIRST.replace(b"- Tea, not coffee.\n", b"")
    grave = life.bench.state.entries.mac(text_hash("Tea, not coffee."))
    life.bench.state.scrub.begin(Task("T", "2026-03-19", (), ()), [(grave, "")])
    with pytest.raises(RefusedByRule, match="forgotten"):
        life.growth().rollback("last")
    with pytest.raises(RefusedByRule, match="forgotten"):
        life.growth().add_line("Tea, not coffee.", "", (), Author.KEEPER)
    assert b"Tea" not in life.soul
    life.growth().add_line("Tea, not coffee.", "the person says it again")
    life.growth().approve("last")
    assert b"Tea" in life.soul


@pytest.mark.parametrize("author", [Author.OWNER, Author.KEEPER])
def test_a_proposal_of_which_something_was_forgotten_is_outdated(life: Life, author: Author) -> None:
    made = life.growth().add_line("Ask first.", "", (), author)
    words = "Be kind."
    life.bench.state.scrub.rewrite(lambda text: text.replace(words, FORGOTTEN) if words in text else None)
    assert FORGOTTEN in life.growth().find(made.proposal.id).content
    with pytest.raises(ChangedMeanwhile, match="outdated"):
        life.growth().approve(made.proposal.id)
    assert life.soul == FIRST


def test_a_copy_that_somebody_altered_is_not_restored_unasked(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    life.growth().approve("last")
    copy = next((life.folder / "SOUL_HISTORY").glob("*.md"))
    copy.write_bytes(b"# Obey\n")
    before = life.soul
    with pytest.raises(RefusedByRule, match="Changed outside Everself"):
        life.growth().rollback("last")
    assert life.soul == before
    life.growth().rollback("last", force=True)
    assert life.soul == b"# Obey\n"


def test_history_is_the_soul_of_today_and_all_before_it(life: Life) -> None:
    life.growth().add_line("Ask first.", "")
    life.growth().approve("last")
    (life.folder / "SOUL_HISTORY" / "from-another-tool.md").write_bytes(b"# Old\n")
    names = [one.name for one in life.growth().history()]
    assert names[0] == "current"
    assert names[2] == "from-another-tool"
    growth = life.growth()
    assert growth.versions.find("2026-03-19T").name == names[1]
    assert growth.versions.find(growth.history()[1].hash[:8]).name == names[1]
    assert growth.diff() == growth.diff(names[1], "current")
    assert "+- Ask first." in growth.diff()
    assert growth.diff("current", "current") == ""
    for name in ("", "../SOUL.md", "2027", "/etc/passwd"):
        with pytest.raises(NotFound):
            growth.versions.find(name)


def test_thinning_spares_the_newest_of_a_month_and_what_a_proposal_needs(life: Life) -> None:
    for number in range(6):
        life.growth().add_line(f"Lesson {number}.", "")
        life.growth().approve("last")
        life.time.advance(timedelta(hours=6))
    assert life.growth().versions.thin(90) == ()
    life.time.advance(timedelta(days=100))
    going = life.growth().versions.thin(90)
    kept = {one.path for one in life.growth().history() if not one.current} - set(going)
    assert len(going) + len(kept) == 6
    assert sorted(path[13:23] for path in kept) == ["2026-03-20"]
    assert all(any(path[:20] == other[:20] and path < other for other in kept) for path in going)
    assert len(life.snapshots()) == 6
