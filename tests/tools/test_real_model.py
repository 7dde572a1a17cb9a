"""What make test-model makes of what it saw."""

import pytest
from tools.real_model.__main__ import ABLE, UNABLE, judge


def _data(able: set[str]) -> dict[str, object]:
    return {"tried": [{"skill": skill, "able": skill in able} for skill in (*ABLE, *UNABLE)]}


def test_a_model_that_can_do_what_it_can_passes() -> None:
    assert judge(_data(set(ABLE))) == []


@pytest.mark.parametrize("skill", ABLE)
def test_what_was_not_seen_fails(skill: str) -> None:
    assert judge(_data(set(ABLE) - {skill})) == [f"not seen: {skill}"]


def test_tools_that_this_model_cannot_have_called_fail() -> None:
    assert judge(_data({*ABLE, "tool"})) == ["wrongly seen: tool"]


def test_a_report_without_skills_fails() -> None:
    assert len(judge({"tried": []})) == len(ABLE)
