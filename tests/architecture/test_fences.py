"""The house as it stands breaks no rule that is not allowed with a reason."""

from pathlib import Path

from tests.architecture.allowed import ALLOWED
from tests.architecture.fences import find_violations, not_allowed, unused
from tests.architecture.sources import read_tree

HOUSE = Path(__file__).resolve().parents[2] / "src" / "everself"


def test_the_house_breaks_no_rule() -> None:
    assert len(read_tree(HOUSE)) > 3
    broken = not_allowed(find_violations(HOUSE), ALLOWED)
    assert not broken, "\n" + "\n".join(map(str, broken))


def test_every_allowance_is_still_needed() -> None:
    assert unused(find_violations(HOUSE), ALLOWED) == ()


def test_every_allowance_gives_a_reason_and_stands_once() -> None:
    assert all(len(each.reason.split()) >= 4 for each in ALLOWED)
    places = [(each.rule, each.file, item) for each in ALLOWED for item in each.items]
    assert len(set(places)) == len(places)
