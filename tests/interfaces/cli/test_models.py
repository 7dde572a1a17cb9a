"""`everself model` and `everself spend` as a person types them."""

import json

import pytest
from tests.models.chat.servers import Asked, Call, Reply, say, serve

from everself.agent import open_runtime
from everself.models.chat.protocol import Usage
from everself.testing.chat_model import FakeModel

USED = Usage(sent=1_000, received=50)


def test_list_marks_the_model_in_use_and_hides_those_without_a_key(everself) -> None:
    said = everself("model", "list")
    assert said.code == 0
    assert said.out.splitlines()[0].startswith("* reflex")
    assert "ollama/NAME" in said.out
    assert "key missing" not in said.out
    assert "key missing" in everself("model", "list", "--all").out


def test_list_tells_whose_key_is_there(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-nobody-may-see-this")
    said = everself("model", "list", "--json")
    assert "nobody-may-see-this" not in said.out
    keys = {one["name"]: one["key"] for one in said.json["data"]["models"]}
    assert {state for name, state in keys.items() if name.startswith("anthropic/")} == {"set"}
    assert {state for name, state in keys.items() if name.startswith("gemini/")} == {"missing"}
    assert keys["ollama/NAME"] == "not needed"


def test_list_shows_servers_of_ones_own_and_the_model_in_use_whatever_it_is(everself) -> None:
    everself("config", "set", "provider.here.baseUrl", "http://127.0.0.1:1")
    everself("config", "set", "agents.defaults.model", "nobody/knows")
    said = everself("model", "list")
    assert "  here/NAME" in said.out
    assert "* nobody/knows" in said.out


@pytest.mark.slow
def test_use_saves_the_model_and_says_what_it_changed(everself) -> None:
    everself("config", "set", "provider.here.baseUrl", "http://127.0.0.1:1")
    said = everself("model", "use", "here/small")
    assert said.code == 0
    assert said.out.startswith("here/small answers now, instead of reflex.\n")
    assert everself("config", "get", "agents.defaults.model").out == "here/small\n"
    assert "answers already" in everself("model", "use", "here/small").out
    assert everself("model", "use", "reflex").out.startswith("reflex answers now, instead of here/small.\n")
    assert everself("config", "get", "agents.defaults.model").out == "reflex\n"


@pytest.mark.slow
def test_use_with_an_address_saves_both_in_one_go(everself) -> None:
    said = everself("model", "use", "mine/small", "--url", "http://127.0.0.1:1/v1")
    assert said.out.startswith("mine/small answers now, instead of reflex.\n")
    assert everself("config", "get", "provider.mine.baseUrl").out == "http://127.0.0.1:1/v1\n"
    assert "at the address" in everself("model", "use", "mine/small", "--url", "http://127.0.0.1:2/v1").out
    assert everself("config", "get", "provider.mine.baseUrl").out == "http://127.0.0.1:2/v1\n"


@pytest.mark.parametrize(
    ("name", "url"), [("openai/gpt-5", "http://127.0.0.1:1"), ("reflex", "http://x"), ("mine/a", "nowhere")]
)
def test_use_saves_no_address_that_is_none_or_a_vendors(everself, name: str, url: str) -> None:
    before = everself("config", "list", "--json").out
    assert everself("model", "use", name, "--url", url).code != 0
    assert everself("config", "list", "--json").out == before


@pytest.mark.slow
def test_use_changes_one_agent_only_where_one_is_named_or_has_a_model_of_its_own(everself) -> None:
    everself("config", "set", "provider.here.baseUrl", "http://127.0.0.1:1")
    everself("agents", "add", "aria")
    assert everself("model", "use", "here/small", "--agent", "aria").code == 0
    assert everself("config", "get", "agents.defaults.model").out == "reflex\n"
    assert everself("config", "get", "model", "--agent", "aria").out == "here/small\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai/gpt-5", "No API key is set for openai"),
        ("nobody/knows", "not a known provider"),
        ("gpt-5", "provider/name"),
        ("", "provider/name"),
    ],
)
@pytest.mark.slow
def test_a_model_that_cannot_be_asked_is_not_saved(everself, name: str, words: str) -> None:
    said = everself("model", "use", name)
    assert said.code in (1, 2)
    assert words in said.err
    assert "→" in said.err
    assert everself("config", "get", "agents.defaults.model").out == "reflex\n"


def test_the_reflex_needs_no_test(everself) -> None:
    said = everself("model", "test")
    assert said.code == 2
    assert "The reflex is not a model" in said.err


@pytest.mark.slow
@pytest.mark.usefixtures("workspace")
def test_a_server_that_is_not_there_is_said_plainly(everself) -> None:
    everself("config", "set", "provider.here.baseUrl", "http://127.0.0.1:1")
    said = everself("model", "test", "here/small")
    assert said.code == 1
    assert said.err.startswith("The model did not answer.")


@pytest.mark.usefixtures("workspace")
def test_spend_is_by_day_and_job_with_the_limit(everself) -> None:
    with open_runtime() as app:
        for job in ("chat", "flush"):
            app.spend_meter.charge(job, "s1", FakeModel(name="acme/wise", paid=True), USED)
    said = everself("spend")
    assert said.code == 0
    lines = said.out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["chat", "flush"]
    assert "price unknown" in lines[1]
    assert "Background today: $0.00 of $1.00" in said.out
    assert "1,050 of 2,000,000 tokens" in said.out
    data = everself("spend", "--days", "1", "--json").json["data"]
    assert [(one["job"], one["requests"], one["unpriced"]) for one in data["days"]] == [
        ("chat", 1, 1_050),
        ("flush", 1, 1_050),
    ]


@pytest.mark.usefixtures("workspace")
def test_spend_before_anything_was_asked(everself) -> None:
    assert everself("spend").out.startswith("No model was asked since ")
    assert everself("spend", "--days", "0").code == 2


@pytest.mark.usefixtures("workspace")
def test_what_has_a_price_is_charged_at_it(everself) -> None:
    from everself.models.chat.model_table import known_models

    row = next(one for one in known_models() if one.known.price is not None)
    assert row.known.price is not None
    with open_runtime() as app:
        model = FakeModel(name=f"{row.provider}/{row.name}", paid=True)
        micros = app.spend_meter.charge("chat", "s1", model, Usage(sent=1_000))
    assert micros == round(1_000 * row.known.price.sent)
    assert json.loads(everself("spend", "--json").out)["data"]["days"][0]["micros"] == micros


def _scripted(asked: Asked) -> Reply:
    """A server with a model that can do all but two calls at once."""
    words = asked.words
    if asked.body.get("tools"):
        return Reply(calls=(Call("weather", '{"city": "Oslo"}', "c1"),))
    if "31 years old" in words:
        return say('{"name": "Anna", ', '"age": 31}')
    return say("Your cat is ", "called Miso.") if "cat" in words else say("Monday, ", "Tuesday …")


@pytest.mark.slow
@pytest.mark.usefixtures("workspace")
def test_a_model_behind_a_real_socket_is_tried_and_charged(everself) -> None:
    with serve("openai", script=_scripted) as server:
        everself("config", "set", "provider.here.baseUrl", server.url)
        said = everself("model", "test", "here/small")
        data = everself("model", "test", "here/small", "--json").json["data"]
    assert said.code == 0
    assert "✗ It calls one tool at a time." in said.out
    assert said.out.count("✓") == 6
    assert {one["skill"] for one in data["tried"] if not one["able"]} == {"tools"}
    assert (data["sent"], data["received"], data["micros"]) == (5 * 120, 5 * 30, 0)
    spent = everself("spend", "--json").json["data"]["days"]
    assert [(one["job"], one["model"], one["requests"]) for one in spent] == [("test", "here/small", 10)]
