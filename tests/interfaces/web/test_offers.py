"""Each operation is offered by a page or withheld with its reason."""

from pathlib import Path

from everself.interfaces import web
from everself.interfaces.http.service import CHAT
from everself.interfaces.web.offers import OFFERED, WITHHELD
from everself.operations.registry import LISTED


def test_each_operation_is_offered_once_or_withheld_with_a_reason() -> None:
    offered = [name for names in OFFERED.values() for name in names]
    assert len(offered) == len(set(offered))
    assert not set(offered) & set(WITHHELD)
    assert {*offered, *WITHHELD} == {one.name for one in LISTED}
    assert all(reason.endswith(".") for reason in WITHHELD.values())


def test_a_page_runs_each_operation_that_is_said_to_be_offered() -> None:
    pages = Path(web.__file__).parent / "pages"
    code = "".join(one.read_text("utf-8") for one in pages.glob("*.py"))
    for page, names in OFFERED.items():
        for name in names:
            assert f'"{name}"' in code or name == CHAT, f"{page} is said to offer {name}"
