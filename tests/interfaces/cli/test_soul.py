"""`everself soul` as a person types it."""

from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.errors import RefusedByRule
from everself.values import Author

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

LINE = "Ask before you book."


@pytest.fixture
def soul(workspace: Path, everself) -> Path:
    # the fixture is a copy of a home, and the count that guards it stayed behind
    assert everself("soul", "verify", "--accept").code == 0
    return workspace / "SOUL.md"


def by_a_keeper(line: str = LINE) -> str:
    with open_runtime() as app:
        return app.growth.add_line(line, "asked twice", ["entry:7K3QX9M2ABCD"], Author.KEEPER).proposal.id


def test_a_line_is_proposed_seen_and_approved(everself, soul: Path) -> None:
    before = soul.read_bytes()
    said = everself("soul", "propose", LINE, "--reason", "asked twice")
    assert said.code == 0
    identity = said.out.split("soul approve ")[1].strip()
    assert soul.read_bytes() == before
    assert f"waits for you: {identity}  owner  asked twice" in everself("soul", "show").out
    assert f"+- {LINE}" in everself("soul", "show", identity).out
    assert everself("soul", "approve", identity).code == 0
    assert soul.read_bytes() == before + f"\n- {LINE}\n".encode()
    assert f"+- {LINE}" in everself("soul", "diff").out
    assert everself("soul", "verify").code == 0


def test_a_whole_soul_comes_from_standard_input(everself, soul: Path) -> None:
    assert everself("soul", "propose", "--whole", "-", typed="# Aria\n").code == 0
    assert everself("soul", "approve", "last", "--json").json["data"]["change"]
    assert soul.read_bytes() == b"# Aria\n"


def test_at_a_terminal_a_person_is_asked_first(everself, soul: Path) -> None:
    before = soul.read_bytes()
    by_a_keeper()
    said = everself("soul", "approve", "last", typed="n\n", at_terminal=True)
    assert (said.code, soul.read_bytes()) == (130, before)
    assert f"+- {LINE}" in said.out
    assert everself("soul", "approve", "last", typed="y\n", at_terminal=True).code == 0
    grown = soul.read_bytes()
    assert grown != before
    assert everself("soul", "rollback", "last", typed="n\n", at_terminal=True).code == 130
    assert soul.read_bytes() == grown


def test_a_proposal_is_shown_as_it_would_be_carried_over(everself, soul: Path) -> None:
    identity = by_a_keeper()
    soul.write_bytes(soul.read_bytes().replace(b"# Soul\n", b"# Soul of Aria\n"))
    assert "Aria" not in everself("soul", "show", identity).out.partition("@@")[2]
    assert everself("soul", "approve", identity).code == 0
    assert soul.read_bytes().startswith(b"# Soul of Aria\n")


def test_a_refused_proposal_stays_refused(everself, soul: Path) -> None:
    identity = by_a_keeper()
    assert everself("soul", "refuse", identity, "--why", "one bad day").out == f"Refused: {identity}.\n"
    assert everself("soul", "approve", identity).code == 3
    assert everself("soul", "approve", "last").code == 5
    assert "one bad day" in soul.with_name("CHANGELOG.md").read_text()


def test_back_to_a_version_and_back_again(everself, soul: Path) -> None:
    before = soul.read_bytes()
    by_a_keeper()
    everself("soul", "approve", "last")
    grown = soul.read_bytes()
    name = everself("soul", "history", "--json").json["data"][1]["name"]
    said = everself("soul", "rollback", name)
    assert (said.code, soul.read_bytes()) == (0, before)
    assert everself("soul", "rollback", name).out == "It is so already; nothing was changed.\n"
    assert everself("undo", said.out.split()[-1], "--yes").code == 0
    assert soul.read_bytes() == grown
    assert [line.split()[0] for line in everself("soul", "history").out.splitlines()][:1] == ["current"]


def test_one_line_is_taken_back(everself, soul: Path) -> None:
    before = soul.read_bytes()
    by_a_keeper()
    everself("soul", "approve", "last")
    assert everself("soul", "rollback", "--line", "before you book").code == 0
    assert soul.read_bytes().rstrip() == before.rstrip()
    assert everself("soul", "rollback", "--line", "before you book").code == 5


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["rollback"], 2),
        (["rollback", "last", "--line", "x"], 2),
        (["rollback", "last"], 5),
        (["rollback", "../SOUL.md"], 5),
        (["show", "nothing"], 5),
        (["diff", "nothing"], 5),
        (["propose", ""], 2),
        (["propose", "AKIAIOSFODNN7EXAMPLQ"], 3),
        (["verify", "SOUL.md"], 2),
        (["verify", "--accept", "--undo"], 2),
    ],
)
def test_what_goes_wrong_has_its_code(everself, soul: Path, words: list[str], code: int) -> None:
    before = soul.read_bytes()
    assert everself("soul", *words).code == code
    assert soul.read_bytes() == before


def test_soul_tests_hold_back_and_offer_the_way_back(everself, soul: Path) -> None:
    soul.with_name("SOUL_TESTS.md").write_text("- must not mention Bob\n- judge: is it kind?\n")
    by_a_keeper("Call them Bob.")
    assert everself("soul", "test").code == 0
    said = everself("soul", "approve", "last")
    assert said.code == 3
    assert "--force" in said.err
    assert everself("soul", "approve", "last", "--force").code == 0
    said = everself("soul", "test")
    assert said.code == 6
    assert "failed  must not mention Bob" in said.out
    assert "waiting judge: is it kind?" in said.out
    assert "everself soul rollback" in said.err
    assert [one["verdict"] for one in everself("soul", "test", "--json").json["data"]["results"]] == [
        "failed",
        "waiting",
    ]


def test_what_was_changed_outside_is_shown_accepted_or_put_back(everself, soul: Path) -> None:
    assert everself("soul", "verify").code == 0
    before = soul.read_bytes()
    soul.write_bytes(before + b"- Obey.\n")
    said = everself("soul", "verify")
    assert said.code == 6
    assert "+- Obey." in said.out
    assert everself("soul", "verify", "--undo").code == 0
    assert soul.read_bytes() == before
    soul.write_bytes(before + b"- Mine.\n")
    assert everself("soul", "verify", "--accept", "SOUL.md").code == 0
    assert everself("soul", "verify", "--json").json["data"]["changed"] == []


def test_under_strict_nothing_grows_on_words_that_nobody_accepted(everself, soul: Path) -> None:
    everself("config", "set", "soul.integrity", "strict")
    assert everself("soul", "verify").code == 0
    by_a_keeper()
    soul.write_bytes(soul.read_bytes().replace(b"# Soul", b"# Obey"))
    said = everself("soul", "approve", "last")
    assert (said.code, "everself soul verify" in said.err) == (3, True)
    assert everself("soul", "verify", "--undo").code == 0
    assert everself("soul", "approve", "last").code == 0


def test_under_evolve_a_keeper_needs_no_approval(everself, soul: Path) -> None:
    everself("config", "set", "soul.policy", "evolve")
    by_a_keeper()
    assert LINE.encode() in soul.read_bytes()
    assert everself("soul", "verify").code == 0
    assert everself("undo", "last", "--yes").code == 0
    assert LINE.encode() not in soul.read_bytes()


def test_under_locked_a_keeper_may_not_even_ask(everself, soul: Path) -> None:
    before = soul.read_bytes()
    everself("config", "set", "soul.policy", "locked")
    with pytest.raises(RefusedByRule):
        by_a_keeper()
    assert everself("soul", "show", "--json").json["data"]["waiting"] == []
    assert soul.read_bytes() == before


@pytest.mark.usefixtures("soul")
def test_the_digest_tells_what_grew_what_waits_and_on_what_evidence(everself) -> None:
    quiet = everself("soul", "digest", "--days", "1")
    assert quiet.code == 0
    by_a_keeper()
    said = everself("soul", "digest")
    assert f"  + {LINE}" in said.out
    assert "because of entry:7K3QX9M2ABCD" in said.out
    assert "waits for you: everself soul approve" in said.out
    assert everself("soul", "approve", "last").code == 0
    found = everself("soul", "digest", "--days", "30", "--json").json["data"]
    assert found["grown"][0]["added"] == [f"- {LINE}"]
    assert not found["waiting"]
    assert everself("soul", "digest", "--days", "0").code == 2
