"""The official packages of OpenAI and Anthropic against `everself gateway run`, over a real socket, with a scripted model behind it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import openai
import pytest
from pydantic import BaseModel
from tests.interfaces.http.running import LONG, Running, running_gateway

pytestmark = pytest.mark.slow

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT_TOOL: Any = {"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}
RESPONSE_TOOL: Any = {"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": False}
MESSAGE_TOOL: Any = {"name": "weather", "input_schema": PARAMETERS}
ASK = "Do I need a coat in this weather?"


class Named(BaseModel):
    name: str


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running_gateway(tmp_path_factory.mktemp("gateway")) as found:
        yield found


@pytest.fixture(scope="module")
def token(gateway: Running) -> str:
    return gateway.token("clients")


@pytest.fixture
def chat(gateway: Running, token: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key=token, base_url=f"{gateway.url}/v1", timeout=LONG, max_retries=0) as client:
        yield client


@pytest.fixture
def claude(gateway: Running, token: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key=token, base_url=gateway.url, timeout=LONG, max_retries=0) as client:
        yield client


def say(text: str) -> Any:
    return [{"role": "user", "content": text}]


def test_plain(chat: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    completion = chat.chat.completions.create(model="main", messages=say("Good morning"))
    assert completion.choices[0].message.content == "Hello from the script."
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage is not None
    assert completion.usage.prompt_tokens_details is not None
    assert completion.usage.prompt_tokens_details.cached_tokens == 100
    response = chat.responses.create(model="main", input="Good morning")
    assert (response.output_text, response.status) == ("Hello from the script.", "completed")
    after = chat.responses.create(model="main", input="And?", previous_response_id=response.id)
    assert after.output_text == "Hello from the script."
    message = claude.messages.create(model="main", max_tokens=50, messages=say("Good morning"))
    assert isinstance(message.content[0], anthropic.types.TextBlock)
    assert message.content[0].text == "Hello from the script."
    assert (message.stop_reason, message.usage.cache_read_input_tokens) == ("end_turn", 100)
    assert claude.messages.count_tokens(model="main", messages=say("Good morning")).input_tokens > 0
    assert [one.id for one in claude.models.list().data] == ["main"] == [one.id for one in chat.models.list().data]


def test_streaming(chat: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    with chat.chat.completions.stream(model="main", messages=say("Good morning")) as chunks:
        chunks.until_done()
        assert chunks.get_final_completion().choices[0].message.content == "Hello from the script."
    with chat.responses.stream(model="main", input="Good morning") as events:
        assert events.get_final_response().output_text == "Hello from the script."
    with claude.messages.stream(model="main", max_tokens=50, messages=say("Good morning")) as told:
        assert "".join(told.text_stream) == "Hello from the script."
        assert told.get_final_message().usage.output_tokens == 30


def test_own_tools_run_beside_the_clients_in_one_step_of_a_completion(chat: openai.OpenAI, gateway: Running) -> None:
    talk = say(ASK)
    first = chat.chat.completions.create(model="main", messages=talk, tools=[CHAT_TOOL])
    assert first.choices[0].finish_reason == "tool_calls"
    message = first.choices[0].message
    assert [(one.id, one.type) for one in message.tool_calls or []] == [("call_theirs", "function")]
    talk += [message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": "call_theirs", "content": "Rain."}]
    with chat.chat.completions.stream(model="main", messages=talk, tools=[CHAT_TOOL]) as chunks:
        whole = chunks.get_final_completion().choices[0].message.content or ""
    assert whole.endswith("Rain.")
    # our own call and theirs stand together in what the model was sent
    sent = gateway.model.asked[-1].body["messages"]
    [asking] = [one for one in sent if one.get("tool_calls")]
    assert [one["function"]["name"] for one in asking["tool_calls"]] == ["memory_search", "weather"]
    assert [one["tool_call_id"] for one in sent if one["role"] == "tool"] == ["call_own", "call_theirs"]


def test_own_tools_run_beside_the_clients_in_one_step_of_a_message(claude: anthropic.Anthropic) -> None:
    with claude.messages.stream(model="main", max_tokens=50, messages=say(ASK), tools=[MESSAGE_TOOL]) as told:
        first = told.get_final_message()
    assert [block.type for block in first.content] == ["text", "tool_use"]
    assert first.stop_reason == "tool_use"
    talk: Any = [
        *say(ASK),
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_theirs", "content": "Rain."}]},
    ]
    second = claude.messages.create(model="main", max_tokens=50, messages=talk, tools=[MESSAGE_TOOL])
    assert isinstance(second.content[0], anthropic.types.TextBlock)
    assert second.content[0].text.endswith("Rain.")


def test_own_tools_run_beside_the_clients_in_one_step_of_a_response(chat: openai.OpenAI) -> None:
    first = chat.responses.create(model="main", input=ASK, tools=[RESPONSE_TOOL])
    assert [one.type for one in first.output] == ["message", "function_call"]
    given: Any = [{"type": "function_call_output", "call_id": "call_theirs", "output": "Rain."}]
    second = chat.responses.create(model="main", input=given, previous_response_id=first.id, tools=[RESPONSE_TOOL])
    assert second.output_text.endswith("Rain.")


def test_json_of_a_shape(chat: openai.OpenAI, claude: anthropic.Anthropic, gateway: Running) -> None:
    parsed = chat.chat.completions.parse(model="main", messages=say("My heron as JSON"), response_format=Named)
    assert parsed.choices[0].message.parsed == Named(name="Otto")
    sent = gateway.model.asked[-1].body
    assert sent["response_format"]["json_schema"]["schema"]["properties"].keys() == {"name"}
    assert sent["tools"]
    response = chat.responses.parse(model="main", input="My heron as JSON", text_format=Named)
    assert response.output_parsed == Named(name="Otto")
    message = claude.messages.parse(model="main", max_tokens=50, messages=say("My heron as JSON"), output_format=Named)
    assert message.parsed_output == Named(name="Otto")


@pytest.mark.parametrize("wire", ["completions", "responses", "messages", "whole"])
def test_whoever_hangs_up_half_way_stops_the_model(
    chat: openai.OpenAI, claude: anthropic.Anthropic, gateway: Running, wire: str
) -> None:
    gateway.model.left.clear()
    text = f"Tell me slowly about {wire}"
    if wire == "completions":
        chunks = chat.chat.completions.create(model="main", messages=say(text), stream=True)
        assert next(iter(chunks)).choices
        chunks.close()
    elif wire == "responses":
        events = chat.responses.create(model="main", input=text, stream=True)
        assert next(iter(events)).type == "response.created"
        events.close()
    elif wire == "messages":
        told = claude.messages.create(model="main", max_tokens=50, messages=say(text), stream=True)
        assert next(iter(told)).type == "message_start"
        told.close()
    else:
        with pytest.raises(openai.APITimeoutError):
            chat.with_options(timeout=1.0).chat.completions.create(model="main", messages=say(text))
    assert gateway.model.left.wait(LONG)
    # what was said is kept
    assert gateway.everself("sessions", "search", f"slowly about {wire}")


def test_errors_of_each_kind(chat: openai.OpenAI, claude: anthropic.Anthropic, gateway: Running) -> None:
    with pytest.raises(openai.BadRequestError) as bad:
        chat.chat.completions.create(model="main", messages=say("Hi"), n=2)
    assert bad.value.param == "n"
    with pytest.raises(anthropic.BadRequestError, match="tool_choice"):
        claude.messages.create(model="main", max_tokens=5, messages=say("Hi"), tool_choice={"type": "any"})
    stranger = openai.OpenAI(api_key="evs_wrong", base_url=f"{gateway.url}/v1", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        stranger.responses.create(model="main", input="Hi")
    with pytest.raises(anthropic.AuthenticationError):
        claude.with_options(api_key="sk-ant-wrong").messages.create(model="main", max_tokens=5, messages=say("Hi"))
    with pytest.raises(openai.NotFoundError):
        chat.responses.create(model="gpt-5", input="Hi")
    with pytest.raises(anthropic.NotFoundError):
        claude.messages.create(model="claude", max_tokens=5, messages=say("Hi"))
    for failing in (
        lambda: chat.chat.completions.create(model="main", messages=say("Please fail")),
        lambda: chat.responses.create(model="main", input="Please fail", stream=True),
        lambda: claude.messages.create(model="main", max_tokens=5, messages=say("Please fail")),
    ):
        with pytest.raises((openai.InternalServerError, anthropic.InternalServerError)) as failed:
            failing()
        assert failed.value.status_code == 502
        assert "openai refused the request" in str(failed.value)
    stranger.close()


def test_a_request_with_one_id_is_said_once(chat: openai.OpenAI, gateway: Running) -> None:
    said = "My otter is called Bruno."
    once = {"Idempotency-Key": "otter-1"}
    answers = [
        chat.chat.completions.create(model="main", messages=say(said), extra_headers=once, stream=stream)
        for stream in (False, True, False)
    ]
    whole = [one for one in answers if isinstance(one, openai.types.chat.ChatCompletion)]
    assert len({one.id for one in whole}) == 1
    streamed = [part for one in answers if isinstance(one, openai.Stream) for part in one]
    assert {part.id for part in streamed} == {whole[0].id}
    assert len(gateway.everself("sessions", "search", "otter Bruno")) == 1
    with ThreadPoolExecutor(4) as threads:
        hasty = {"Idempotency-Key": "otter-2"}
        asks = [
            threads.submit(
                chat.chat.completions.create, model="main", messages=say("My otter eats."), extra_headers=hasty
            )
            for _ in range(4)
        ]
        assert len({ask.result().id for ask in asks}) == 1
    assert len(gateway.everself("sessions", "search", "otter eats")) == 1
    with pytest.raises(openai.BadRequestError, match="another message"):
        chat.chat.completions.create(model="main", messages=say("Other words"), extra_headers=once)


def test_what_is_told_by_one_wire_is_known_by_the_other(chat: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    chat.chat.completions.create(model="main", messages=say("My heron is called Otto."))
    message = claude.messages.create(model="main", max_tokens=50, messages=say("What is my heron called?"))
    assert isinstance(message.content[0], anthropic.types.TextBlock)
    assert message.content[0].text == "Otto."
