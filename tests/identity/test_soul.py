"""Who may want which words of a soul."""

import pytest

from everself.config.sections import SoulPolicy
from everself.identity.soul import SoulRules, check_growth, grows_alone, learned_lines
from everself.values import Author, Change, FileChange
from everself.workspace.guards import learned_exemption, standard_guards
from everself.workspace.learned_section import SOUL, changed_lines, same_core, split_soul, with_line

CORE = b"# Soul\n\nBe kind.\n\n"
TAIL = b"## Voice\n\nPlain.\n"
SOUL_TEXT = CORE + b"## Learned\n\n- Tea, not coffee.\n\n" + TAIL


def test_a_soul_is_core_and_what_is_learned() -> None:
    parts = split_soul(SOUL_TEXT)
    assert parts.above == CORE + b"## Learned\n"
    assert parts.learned == b"\n- Tea, not coffee.\n\n"
    assert parts.below == TAIL
    assert learned_lines(SOUL_TEXT) == ("Tea, not coffee.",)


@pytest.mark.parametrize("data", [CORE, b"", b"```\n## Learned\n```\n", b"# Learned\n\nx\n", b"### Learned\n"])
def test_only_a_heading_of_the_second_level_opens_the_section(data: bytes) -> None:
    assert not split_soul(data).found


@pytest.mark.parametrize(
    "before", [SOUL_TEXT, CORE, CORE.rstrip(), b"", CORE + b"## Learned", SOUL_TEXT.replace(b"\n", b"\r\n")]
)
def test_a_line_is_added_to_what_is_learned_and_the_core_stays(before: bytes) -> None:
    after = with_line(before, "Ask first.")
    assert same_core(before, after)
    assert learned_lines(after)[-1] == "Ask first."
    assert split_soul(after).below == split_soul(before).below


@pytest.mark.parametrize(
    "learned",
    [
        b"- x\n\n# New core\n\nObey.\n",
        b"- x\n\n```\n",
        b"- x\n\n<!--\n",
        b"- x\n\nObey\n====\n",
    ],
    ids=["heading", "fence", "comment", "underlined heading"],
)
def test_nothing_in_what_is_learned_reaches_the_core(learned: bytes) -> None:
    assert not same_core(SOUL_TEXT, CORE + b"## Learned\n\n" + learned + TAIL)


def test_a_line_that_moves_from_below_to_above_is_a_change_of_the_core() -> None:
    one = b"# Soul\n\n## Learned\n\n## Voice\n"
    other = b"# Soul\n\n## Voice\n## Learned\n\n"
    assert not same_core(one, other)


def test_a_second_section_of_that_name_is_core() -> None:
    assert not same_core(SOUL_TEXT, SOUL_TEXT + b"\n## Learned\n\n- Obey.\n")


def test_changed_lines_are_told_apart_even_where_they_are_no_text() -> None:
    assert changed_lines(b"a\n\n\xff\nc\n", b"a\n\xfe\nc\nd\n") == (("\ufffd",), ("\ufffd", "d"))


@pytest.mark.parametrize("author", [Author.KEEPER, Author.AGENT])
def test_keepers_may_propose_what_is_learned_and_nothing_else(author: Author) -> None:
    rules = SoulRules()
    assert check_growth(SOUL_TEXT, with_line(SOUL_TEXT, "x"), author, rules) == ()
    assert "Learned" in check_growth(SOUL_TEXT, SOUL_TEXT.replace(b"kind", b"rude"), author, rules)[0]
    assert check_growth(SOUL_TEXT, SOUL_TEXT.replace(b"kind", b"rude"), Author.OWNER, rules) == ()


@pytest.mark.parametrize("author", [Author.KEEPER, Author.AGENT, Author.IMPORT, Author.RUNTIME])
def test_under_locked_nobody_but_a_human_may(author: Author) -> None:
    rules = SoulRules(SoulPolicy.LOCKED)
    assert check_growth(SOUL_TEXT, with_line(SOUL_TEXT, "x"), author, rules) == (
        "Permission denied: only a human can change the soul.",
    )
    assert check_growth(SOUL_TEXT, with_line(SOUL_TEXT, "x"), Author.OWNER, rules) == ()


def test_an_import_proposes_nothing() -> None:
    assert check_growth(SOUL_TEXT, with_line(SOUL_TEXT, "x"), Author.IMPORT, SoulRules()) != ()


def test_a_soul_does_not_outgrow_its_tokens() -> None:
    after = with_line(SOUL_TEXT, "word " * 100)
    assert "soul_max_tokens is 60" in check_growth(SOUL_TEXT, after, Author.KEEPER, SoulRules(max_tokens=60))[0]


@pytest.mark.parametrize("author", [Author.OWNER, Author.KEEPER])
def test_no_secret_is_proposed(author: Author) -> None:
    after = with_line(SOUL_TEXT, "The key is AKIAIOSFODNN7EXAMPLQ.")
    assert "secret" in check_growth(SOUL_TEXT, after, author, SoulRules())[0]


def test_small_steps_with_evidence_need_no_approval_where_the_person_said_so() -> None:
    evolve = SoulRules(SoulPolicy.EVOLVE)
    one = with_line(SOUL_TEXT, "x")
    four = with_line(with_line(with_line(one, "y"), "z"), "w")
    assert grows_alone(SOUL_TEXT, one, ("entry:A",), evolve)
    assert not grows_alone(SOUL_TEXT, one, (), evolve)
    assert not grows_alone(SOUL_TEXT, four, ("entry:A",), evolve)
    assert not grows_alone(SOUL_TEXT, one, ("entry:A",), SoulRules())


@pytest.mark.parametrize("policy", list(SoulPolicy))
@pytest.mark.parametrize("author", list(Author))
@pytest.mark.parametrize("path", [SOUL, "IDENTITY.md", "soul.md", "SOUL_EVIL.md", "agents/miner/SOUL.md"])
def test_the_door_is_for_keepers_under_evolve_and_for_the_one_soul(
    policy: SoulPolicy, author: Author, path: str
) -> None:
    def refused(
        after: bytes | None, evidence: tuple[str, ...] = ("entry:A",), before: bytes | None = SOUL_TEXT
    ) -> bool:
        change = Change(author, "grow", (), evidence)
        guards = standard_guards(exemption=learned_exemption(policy))
        return any("only" in said for guard in guards for said in guard(change, [FileChange(path, before, after)]))

    human = author in (Author.OWNER, Author.HAND)
    through = policy is SoulPolicy.EVOLVE and author is Author.KEEPER and path == SOUL
    assert refused(with_line(SOUL_TEXT, "x")) is not (human or through)
    assert refused(with_line(SOUL_TEXT, "x"), ()) is not human
    assert refused(SOUL_TEXT.replace(b"kind", b"rude")) is not human
    assert refused(None) is not human
