"""Each operation is offered by a page or withheld with its reason."""

from everself.interfaces.web.offers import OFFERED, WITHHELD
from everself.operations.registry import LISTED


def test_each_operation_is_offered_once_or_withheld_with_a_reason() -> None:
    offered = [name for names in OFFERED.values() for name in names]
    assert len(offered) == len(set(offered))
    assert not set(offered) & set(WITHHELD)
    assert {*offered, *WITHHELD} == {one.name for one in LISTED}
    assert all(reason.endswith(".") for reason in WITHHELD.values())
