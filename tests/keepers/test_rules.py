"""Every rule has a test that exists, and the tests are no ornament: break a rule on purpose, and its test fails."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from inspect import signature
from pathlib import Path

import pytest
from tests.keepers import test_compactor, test_conflicts, test_miner, test_runner
from tests.keepers.minds import Mind
from tests.keepers.rules import Rule, load_rules
from tests.memory import test_confidence
from tests.memory.promotion import test_judging

from everself.keepers import _checks as checks
from everself.keepers import conflicts, junk, miner
from everself.keepers._checks import Checks
from everself.memory import provenance as trust
from everself.memory.archive import faded_lines as retiring
from everself.memory.promotion import scoring as judging
from everself.values import Entry

TESTS = Path(__file__).parents[1]
RULES = load_rules()
Patch = pytest.MonkeyPatch

# what each part of the two designs has at least: a section that nobody wrote down would otherwise be missed in silence
SECTIONS = {
    **{f"seed 4 §5.{number}": least for number, least in ((1, 11), (2, 10), (3, 11), (4, 7), (5, 8))},
    **{f"seed 4 §{number}": least for number, least in ((6, 4), (7, 5), (8, 3), (9, 4))},
    "seed 1, T": 4,
    "seed 1, decay": 3,
    "seed 1, promotion": 4,
    "seed 1, memory": 9,
    "seed 1, cron": 1,
    "product.md §6": 12,
    "field.md §3": 21,
}


def names_in(path: Path) -> set[str]:
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {one.name for one in found if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_section_of_the_designs_is_in_the_table() -> None:
    for section, least in SECTIONS.items():
        assert sum(one.source.startswith(section) for one in RULES) >= least, section
    assert len({one.source for one in RULES}) == len(RULES)


@pytest.mark.slow
def test_every_test_of_the_table_exists() -> None:
    wanted = sorted({node for rule in RULES for node in rule.tests})
    known = {path: names_in(TESTS / path) for path in {node.partition("::")[0] for node in wanted}}
    missing = [node for node in wanted if node.partition("::")[2] not in known[node.partition("::")[0]]]
    assert missing == []


def test_a_rule_is_held_by_a_test_or_says_what_is_owed() -> None:
    assert [one.source for one in RULES if bool(one.tests) == bool(one.owed)] == []


def test_the_table_is_read_as_it_is_written() -> None:
    assert RULES[0] == Rule(
        "seed 4 §5.1 what 1",
        "decisions are kept, as decisions",
        ("keepers/test_miner.py::test_what_was_stated_becomes_entries_on_its_day_with_one_tag_each",),
    )


@dataclass(frozen=True, slots=True)
class Break:
    """What is put in the place of a part of ours, and the test that then has to fail; `given` are its own parameters."""

    source: str
    test: Callable[..., object]
    parts: tuple[tuple[object, str, object], ...]
    given: dict[str, object] = field(default_factory=dict)

    @property
    def node(self) -> str:
        return f"{'/'.join(self.test.__module__.split('.')[1:])}.py::{self.test.__name__}"


def _nothing(*_: object) -> bool:
    return False


def _always(*_: object) -> bool:
    return True


def _backwards(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    older, newer = IN_ORDER(one, other)
    return newer, older


IN_ORDER = conflicts._in_order


BREAKS = (
    Break(
        "seed 4 §5.4 resolution 1, product.md §6.2",
        test_conflicts.test_what_was_said_first_never_closes_what_was_said_later,
        ((conflicts, "_is_own", _always), (conflicts, "_in_order", _backwards)),
    ),
    Break(
        "seed 4 §5.4 resolution 2, product.md §6.2",
        test_conflicts.test_with_a_model_the_owners_later_statement_closes_what_it_replaces_and_an_undo_takes_it_back,
        ((conflicts, "_is_own", _nothing),),
    ),
    Break(
        "seed 4 §5.4 resolution 3",
        test_conflicts.test_five_a_day_are_asked_and_the_rest_on_other_days,
        ((conflicts, "MOST_ASKED", 6),),
    ),
    Break(
        "seed 4 §5.1 rule 1",
        test_miner.test_what_says_the_same_is_merged_and_what_says_something_else_is_not,
        ((miner, "_is_same", lambda *_: True),),
    ),
    Break(
        "seed 4 §5.1 rule 3",
        test_miner.test_flagged_messages_come_first,
        ((miner, "sorted", lambda found, **_: list(found)),),
    ),
    Break(
        "seed 4 §5.1 rule 4",
        test_miner.test_what_was_put_right_after_it_was_said_does_not_come_back,
        ((miner, "_is_corrected", _nothing),),
    ),
    Break(
        "seed 4 §5.5 task 2 remove",
        test_compactor.test_faded_guesses_leave_the_core_and_what_the_owner_said_stays,
        ((retiring, "FADED", 0.0),),
    ),
    Break(
        "seed 4 §5.5 task 2 remove",
        test_compactor.test_a_guess_that_is_young_or_mentioned_stays,
        ((retiring, "FADED", 1.0), (retiring, "UNMENTIONED", timedelta(0))),
    ),
    Break(
        "seed 4 §8 base",
        test_confidence.test_each_source_has_its_base,
        ((trust, "_BASES", {}),),
        {"source": "owner", "base": 0.95},
    ),
    Break(
        "seed 1, promotion 1 score",
        test_judging.test_an_explicit_wish_ranks_above_whatever_else_is_said,
        ((judging, "_WISH", 0.2),),
    ),
    Break(
        "product.md §6.2 evidence",
        test_runner.test_nothing_without_evidence_and_nothing_where_only_humans_write,
        ((Checks, "judge", Checks._judge),),
    ),
    Break(
        "product.md §6.6 junk",
        test_miner.test_above_the_junk_ceiling_only_flagged_messages_are_mined_and_no_model_is_asked,
        ((junk, "CEILING", 1.0),),
    ),
    Break(
        "field.md §3: nightly junk",
        test_runner.test_a_keeper_that_wants_to_close_everything_is_stopped_and_reads_on_next_time,
        ((checks, "MOST_CLOSED", 1.0),),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("one", BREAKS, ids=lambda one: f"{one.source}: {one.test.__name__}")
def test_a_rule_that_is_broken_fails_its_test(one: Break, mind: Mind, tmp_path: Path, monkeypatch: Patch) -> None:
    (rule,) = [rule for rule in RULES if rule.source == one.source]
    assert one.node in rule.tests
    offered = {"mind": mind, "folder": tmp_path / "workspace", **one.given}
    for where, name, value in one.parts:
        monkeypatch.setattr(where, name, value, raising=name != "sorted")
    with pytest.raises((AssertionError, ValueError)):
        one.test(**{name: offered[name] for name in signature(one.test).parameters})
