"""What a model can and cannot do is said in words, whatever it answers."""

import json
from collections.abc import Callable

import pytest

from everself.errors import ModelFailed
from everself.models.chat.model_trial import Skill, Trial, trial_of
from everself.models.chat.protocol import ChatRequest, ReplyEnd, ReplyText, Usage
from everself.testing.chat_model import Answer, FakeModel, call

ALL: set[Skill] = {"answer", "stream", "usage", "tool", "tools", "schema", "memory"}


def _able(request: ChatRequest) -> Answer:
    """A model that can do everything."""
    question = request.turns[-1].text
    if request.tools:
        return [call("weather", city=city) for city in ("Oslo", "Lima") if city in question]
    if request.schema:
        return '{"name": "Anna", "age": 31}'
    return "Your cat is called Miso." if "cat" in question else "Monday, Tuesday and so on."


def _but(change: Callable[[ChatRequest], Answer | None]) -> Callable[[ChatRequest], Answer]:
    def answer(request: ChatRequest) -> Answer:
        found = change(request)
        return _able(request) if found is None else found

    return answer


def _try(answer: Callable[[ChatRequest], Answer]) -> Trial:
    return trial_of(FakeModel(answer, name="acme/wise", paid=True), lambda _: 7)


def _words(trial: Trial, skill: Skill) -> str:
    return next(one.words for one in trial.tried if one.skill == skill)


def _unable(trial: Trial) -> set[Skill]:
    return {one.skill for one in trial.tried if not one.able}


def test_a_model_that_can_do_everything_is_told_so_with_what_it_cost() -> None:
    trial = _try(_able)
    assert {one.skill for one in trial.tried if one.able} == ALL
    assert trial.verdict == "It can do all that Everself asks of a model."
    assert trial.micros == 7 * 5
    assert trial.sent > 0


def test_a_model_that_answers_in_words_cannot_call_tools() -> None:
    trial = _try(_but(lambda request: "It is cold there." if request.tools else None))
    assert _unable(trial) == {"tool", "tools"}
    assert _words(trial, "tool").startswith("It cannot call tools")
    assert "cannot search or write memory by itself" in trial.verdict


def test_a_server_that_refuses_tools_is_quoted() -> None:
    refused = ModelFailed("this template knows no tools", reason="other")
    trial = _try(_but(lambda request: refused if request.tools else None))
    assert _words(trial, "tool") == "It cannot call tools: this template knows no tools"


def test_one_call_at_a_time_is_not_two() -> None:
    trial = _try(_but(lambda request: call("weather", city="Oslo") if request.tools else None))
    assert _unable(trial) == {"tools"}
    assert _words(trial, "tools") == "It calls one tool at a time."


def test_a_call_with_broken_arguments_is_no_call() -> None:
    from everself.models.chat.protocol import ReplyCall, ToolCall

    broken = ReplyCall(ToolCall("1", "weather", '{"city": "Os'))
    trial = _try(_but(lambda request: broken if request.tools else None))
    assert _unable(trial) == {"tool", "tools"}
    assert '{"city": "Os' in _words(trial, "tool")


@pytest.mark.parametrize("said", ["Anna is 31.", '{"name": "Anna"}', "[1]", '{"name": 1, "age": "31"}', ""])
def test_words_or_another_shape_are_not_json_by_schema(said: str) -> None:
    assert _unable(_try(_but(lambda request: said if request.schema else None))) == {"schema"}


def test_the_right_shape_with_the_wrong_content_counts_as_shape_and_is_told() -> None:
    said = json.dumps({"name": "Bob", "age": 4})
    trial = _try(_but(lambda request: said if request.schema else None))
    assert any(one.able for one in trial.tried if one.skill == "schema")
    assert "not what was asked for" in _words(trial, "schema")


def test_a_model_that_does_not_read_its_prompt_is_not_recommended() -> None:
    trial = _try(_but(lambda request: "I cannot know that." if "cat" in request.turns[-1].text else None))
    assert _unable(trial) == {"memory"}
    assert "another model would serve you better" in trial.verdict


def test_an_answer_in_one_piece_without_usage_is_told_as_such() -> None:
    whole = [ReplyText("Monday."), ReplyEnd(Usage(told=False))]
    trial = _try(_but(lambda request: whole if "week" in request.turns[-1].text else None))
    assert _unable(trial) == {"stream", "usage"}


def test_an_unknown_price_stays_unknown() -> None:
    assert trial_of(FakeModel(_able), lambda _: None).micros is None


@pytest.mark.parametrize("reason", ["network", "auth", "rate", "missing"])
def test_what_says_nothing_about_the_skill_ends_the_trial(reason) -> None:
    fault = ModelFailed("no", reason=reason)
    with pytest.raises(ModelFailed):
        _try(_but(lambda request: fault if request.tools else None))


def test_a_model_that_does_not_answer_at_all_fails_with_its_own_words() -> None:
    with pytest.raises(ModelFailed, match="the machine is on fire"):
        trial_of(FakeModel(ModelFailed("the machine is on fire", reason="server")), lambda _: None)
