"""The package as it stands breaks no rule that is not allowed with a reason."""

from pathlib import Path

from tests.architecture.allowed import ALLOWED
from tests.architecture.fences import find_violations, not_allowed, unused
from tests.architecture.sources import read_tree

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "everself"


def test_the_house_breaks_no_rule_and_needs_every_allowance() -> None:
    assert len(read_tree(PACKAGE)) > 3
    found = find_violations(PACKAGE)
    broken = not_allowed(found, ALLOWED)
    assert not broken, "\n" + "\n".join(map(str, broken))
    assert unused(found, ALLOWED) == ()


def test_every_allowance_gives_a_reason_and_stands_once() -> None:
    assert all(len(each.reason.split()) >= 4 for each in ALLOWED)
    places = [(each.rule, each.file, item) for each in ALLOWED for item in each.items]
    assert len(set(places)) == len(places)
