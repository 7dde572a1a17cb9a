"""Each wire format against a server of its own, and every way in which a service can fail."""

import json
import traceback
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import numpy
import pytest

from everself import clock
from everself.config import Secret, Vault
from everself.config.sections import Embedding, Provider, Search
from everself.errors import EmbeddingFailed, RefusedByRule
from everself.models.embedding import CheckedEmbedder, open_embedder
from everself.models.embedding._checked import Limits, RetryPolicy
from everself.models.embedding._remote import EmbeddingAccount, RemoteEmbedder, Timeouts, endpoint, is_at_home
from everself.models.embedding._wire_formats import WIRE_FORMATS
from everself.testing.embedder import forbid_model_calls

KEY = "sk-hidden-0123456789abcdef"
TEXTS = ["the first text", "第二个", "third"]


def secret(value: str = KEY) -> Secret:
    return Secret("provider.openai.apiKey", value, Vault())


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, 2.0, -1.0]


def in_data(request: Any) -> Any:
    """OpenAI's and Voyage's answer, in an order that is not the request's."""
    rows = [{"index": at, "embedding": vector_of(text)} for at, text in enumerate(request["input"])]
    return {"data": rows[::-1]}


def in_values(request: Any) -> Any:
    return {"embeddings": [{"values": vector_of(one["content"]["parts"][0]["text"])} for one in request["requests"]]}


def plainly(request: Any) -> Any:
    return {"embeddings": [vector_of(text) for text in request["input"]]}


ANSWERS = {"openai": in_data, "remote": in_data, "voyage": in_data, "gemini": in_values, "ollama": plainly}


class Watch:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def ask_at(service: Any, name: str = "openai", watch: Watch | None = None, **account: Any) -> CheckedEmbedder:
    wire = WIRE_FORMATS[name]
    given = {"key": secret() if wire.needs_key else None, "timeouts": Timeouts(5, 5)} | account
    remote = RemoteEmbedder(wire, EmbeddingAccount(name, given.pop("model", wire.model), service.url, **given))
    watch = watch or Watch()
    return CheckedEmbedder(remote, Limits(batch=wire.batch), monotonic=watch, pause=watch.pause)


def failure_of(embedder: CheckedEmbedder, purpose: Any = "document") -> EmbeddingFailed:
    with pytest.raises(EmbeddingFailed) as caught:
        embedder.embed(TEXTS, purpose=purpose)
    shown = "".join(traceback.format_exception(caught.value)) + repr(embedder)
    assert KEY not in shown
    return caught.value


@pytest.mark.parametrize("name", WIRE_FORMATS)
def test_every_format_brings_the_rows_in_the_order_of_the_texts(service: Any, name: str) -> None:
    service.answer(ANSWERS[name])
    rows = ask_at(service, name).embed(TEXTS)
    expected = numpy.array([vector_of(text) for text in TEXTS], numpy.float32)
    expected /= numpy.linalg.norm(expected, axis=1, keepdims=True)
    assert rows.dtype == numpy.float32
    numpy.testing.assert_allclose(rows, expected, atol=1e-6)


def test_each_format_is_spoken_as_its_service_documents_it(service: Any) -> None:
    for name in WIRE_FORMATS:
        service.asked.clear()
        service.answers.clear()
        service.answer(ANSWERS[name])
        ask_at(service, name).embed(["a"], purpose="query")
        asked = service.asked[0]
        match name:
            case "openai" | "remote":
                assert asked.path == "/v1/embeddings"
                assert asked.body == {"model": "text-embedding-3-small", "input": ["a"], "encoding_format": "float"}
            case "voyage":
                assert asked.body == {"model": "voyage-3.5", "input": ["a"], "input_type": "query"}
            case "gemini":
                assert asked.path == "/models/text-embedding-004:batchEmbedContents"
                content = {"parts": [{"text": "a"}]}
                one = {"model": "models/text-embedding-004", "content": content, "taskType": "RETRIEVAL_QUERY"}
                assert asked.body == {"requests": [one]}
                assert asked.headers["x-goog-api-key"] == KEY
                assert "authorization" not in asked.headers
            case "ollama":
                assert asked.path == "/api/embed"
                assert asked.body == {"model": "bge-m3", "input": ["a"]}
        if name in ("openai", "voyage"):
            assert asked.headers["authorization"] == f"Bearer {KEY}"
        if name in ("remote", "ollama"):
            assert "authorization" not in asked.headers


def test_many_texts_go_out_in_several_requests(service: Any) -> None:
    service.answer(plainly)
    rows = ask_at(service, "ollama").embed([f"text {number}" for number in range(70)])
    assert rows.shape == (70, 4)
    assert [len(asked.body["input"]) for asked in service.asked] == [32, 32, 6]


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "date", "gemini"])
def test_a_server_that_asks_to_wait_is_asked_again_after_that_time(service: Any, form: str) -> None:
    later = format_datetime(clock.system_now() + timedelta(seconds=7), usegmt=True)
    body: Any = {"error": {"status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "7s"}]}}
    match form:
        case "seconds":
            service.answer({}, 429, retry_after="7")
        case "milliseconds":
            service.answer({}, 429, retry_after_ms="7000", retry_after="1")
        case "date":
            service.answer({}, 429, retry_after=later)
        case "gemini":
            service.answer(body, 429)
    service.answer(in_data)
    watch = Watch()
    ask_at(service, watch=watch).embed(TEXTS)
    assert watch.waits == [pytest.approx(7, abs=1.5)]
    assert len(service.asked) == 2


def test_a_wait_that_is_too_long_becomes_a_rest_in_which_nothing_is_sent(service: Any) -> None:
    service.answer({}, 429, retry_after="900")
    service.answer(in_data)
    watch = Watch()
    embedder = ask_at(service, watch=watch)
    failure = failure_of(embedder)
    assert (failure.reason, failure.retry_after, watch.waits) == ("rate", 900, [])
    watch.now += 800
    again = failure_of(embedder)
    assert (again.reason, again.retry_after) == ("rate", pytest.approx(100))
    assert len(service.asked) == 1
    watch.now += 101
    assert embedder.embed(TEXTS).shape == (3, 4)


def test_a_person_does_not_wait_as_long_as_a_batch_does(service: Any) -> None:
    service.answer({}, 429, retry_after="7")
    watch = Watch()
    assert failure_of(ask_at(service, watch=watch), "query").retry_after == 7
    assert watch.waits == []


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (429, {"error": {"code": "insufficient_quota", "message": f"no money for {KEY}"}}, "quota"),
        (402, {}, "quota"),
        (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}, "auth"),
        (403, b"<html>", "auth"),
        (400, {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, "auth"),
        (404, {"error": "model not found"}, "missing"),
        (400, {"error": {"code": "too_long"}}, "other"),
        (413, ["odd"], "other"),
    ],
)
def test_what_asking_again_cannot_mend_is_asked_once(service: Any, status: int, body: Any, reason: str) -> None:
    service.answer(body, status)
    failure = failure_of(ask_at(service))
    assert failure.reason == reason
    assert len(service.asked) == 1


def test_a_key_that_is_refused_is_not_shown_at_every_search(service: Any) -> None:
    service.answer({}, 401)
    embedder = ask_at(service)
    first, second = failure_of(embedder), failure_of(embedder)
    assert (first.reason, second.reason) == ("auth", "auth")
    assert "config set provider.openai.apiKey" in second.mend
    assert len(service.asked) == 1


def test_trouble_of_the_server_is_overcome(service: Any) -> None:
    for status in (500, 503):
        service.answer({}, status)
    service.answer(in_data)
    watch = Watch()
    assert ask_at(service, watch=watch).embed(TEXTS).shape == (3, 4)
    assert watch.waits == [0.5, 1.0]


def test_trouble_that_lasts_ends_in_a_rest_that_grows(service: Any) -> None:
    service.answer({}, 502)
    watch = Watch()
    embedder = ask_at(service, watch=watch)
    assert failure_of(embedder).reason == "network"
    assert len(service.asked) == 4
    rests = []
    for _ in range(3):
        rests.append(embedder.resting)
        watch.now += embedder.resting + 1
        failure_of(embedder)
    assert rests == [15, 30, 60]


def test_nobody_at_the_address_is_a_failure_of_the_network(service: Any) -> None:
    embedder = ask_at(service, "ollama")
    embedder._inner._account = EmbeddingAccount("ollama", "bge-m3", "http://127.0.0.1:9", timeouts=Timeouts(2, 2))  # type: ignore[attr-defined]
    failure = failure_of(embedder, "query")
    assert (failure.reason, failure.mend) == ("network", "ollama serve")


def test_an_answer_that_does_not_come_is_a_timeout(service: Any) -> None:
    service.late = True
    service.answer(in_data)
    embedder = CheckedEmbedder(
        RemoteEmbedder(
            WIRE_FORMATS["openai"], EmbeddingAccount("openai", "m", service.url, secret(), timeouts=Timeouts(0.1, 0.1))
        ),
        Limits(asking=RetryPolicy(1, 0)),
    )
    assert failure_of(embedder, "query").reason == "timeout"


def test_an_answer_that_drips_is_a_timeout_too(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(0, 1_000, 3))
    monkeypatch.setattr(clock, "monotonic", lambda: float(next(ticks)))
    service.answer(b" " * 300_000)
    remote = RemoteEmbedder(
        WIRE_FORMATS["openai"], EmbeddingAccount("openai", "m", service.url, secret(), timeouts=Timeouts(2, 2))
    )
    with pytest.raises(EmbeddingFailed, match="too slowly"):
        remote.embed(TEXTS)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"data": [{"index": 0, "embedd', "shape"),
        (b"", "shape"),
        (b"[" * 100_000, "shape"),
        (b"\xff\xfe not text", "shape"),
        ({"data": "none"}, "shape"),
        ({"data": [1, 2, 3]}, "shape"),
        ([], "shape"),
        ({"data": [{"embedding": [1.0, 2.0]}]}, "shape"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 3}, "shape"),
        ({"data": [{"embedding": [1.0, 2.0]}, {"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]}, "shape"),
        ({"data": [{"embedding": []}] * 3}, "shape"),
        ({"data": [{"embedding": {"a": 1}}] * 3}, "shape"),
        ({"data": [{"embedding": [10**400]}] * 3}, "shape"),
        ({"data": [{"embedding": ["a"]}] * 3}, "shape"),
        ({"data": [{"embedding": [None, 1.0]}] * 3}, "numbers"),
        (b'{"data": [{"embedding": [NaN]}, {"embedding": [1]}, {"embedding": [1]}]}', "numbers"),
        (b'{"data": [{"embedding": [1e999]}, {"embedding": [1]}, {"embedding": [1]}]}', "numbers"),
        ({"data": [{"embedding": [0.0, 0.0]}] * 3}, "numbers"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(service: Any, body: Any, reason: str) -> None:
    service.answer(body)
    assert failure_of(ask_at(service)).reason == reason
    assert len(service.asked) == 1


def test_an_answer_that_breaks_off_is_a_failure_of_the_network(service: Any) -> None:
    service.answer(in_data)
    service.cut = True
    assert failure_of(ask_at(service), "query").reason == "network"


def test_an_answer_without_end_is_not_read_to_its_end(service: Any) -> None:
    service.answer(b" " * 3_000_000)
    failure = failure_of(ask_at(service))
    assert failure.reason == "shape"
    assert "MB" in failure.detail


def test_a_model_that_changes_its_size_is_refused(service: Any) -> None:
    service.answer(in_data)
    service.answer({"data": [{"embedding": [1.0, 2.0]}] * 3})
    embedder = ask_at(service)
    embedder.embed(TEXTS)
    assert embedder.dimensions == 4
    assert failure_of(embedder).reason == "shape"


def test_a_redirect_is_not_followed_and_the_key_stays_here(service: Any) -> None:
    service.answer({}, 307, location=f"{service.url}/elsewhere")
    service.answer(in_data)
    assert failure_of(ask_at(service)).reason == "other"
    assert [asked.path for asked in service.asked] == ["/v1/embeddings"]


def test_headers_of_ones_own_are_sent_and_not_shown(service: Any) -> None:
    service.answer(in_data)
    hidden = Secret("memorySearch.remote.headers.api-key", KEY, Vault())
    ask_at(service, "remote", headers=(("api-key", hidden),)).embed(TEXTS)
    assert service.asked[0].headers["api-key"] == KEY


@pytest.mark.parametrize("value", [f"{KEY}\r\nX-Other: 1", f"{KEY}é", "${NOT_THERE}"])
def test_a_key_that_cannot_be_sent_is_told_by_its_name(service: Any, value: str) -> None:
    failure = failure_of(ask_at(service, key=secret(value)))
    assert failure.reason == "auth"
    assert "provider.openai.apiKey" in failure.detail
    assert service.asked == []


def test_without_a_key_nothing_is_sent(service: Any) -> None:
    failure = failure_of(ask_at(service, key=None))
    assert (failure.reason, failure.mend) == ("auth", "everself config set provider.openai.apiKey KEY")
    assert service.asked == []


def test_calls_can_be_forbidden(service: Any) -> None:
    service.answer(in_data)
    embedder = ask_at(service)
    with forbid_model_calls(), pytest.raises(RefusedByRule):
        embedder.embed(TEXTS)
    assert service.asked == []
    assert embedder.embed(TEXTS).shape == (3, 4)


def test_odd_texts_reach_the_service_as_text(service: Any) -> None:
    service.answer(in_data)
    ask_at(service).embed(["", " \n", "half \ud800", "nul \0 nul", "long " * 4_000])
    blank, space, half, nul, long = service.asked[0].body["input"]
    assert (blank, space, half, nul) == ("-", "-", "half ?", "nul   nul")
    assert len(long) == 8_000


def settings(**search: Any) -> Search:
    return Search(**search)


def test_a_server_of_ones_own_gets_its_own_key_and_no_other(service: Any) -> None:
    service.answer(in_data)
    known = Provider("openai", secret())
    search = settings(provider=Embedding.OPENAI, remote_url=f"{service.url}/v1", model="own")
    embedder = open_embedder(search, lambda _: known, "")
    assert embedder is not None
    embedder.embed(TEXTS)
    assert "authorization" not in service.asked[0].headers
    assert (embedder.provider, embedder.model) == ("remote", "own@127.0.0.1")
    with_key = settings(remote_url=service.url, remote_key=Secret("memorySearch.remote.apiKey", "own-key", Vault()))
    again = open_embedder(with_key, lambda _: known, "")
    assert again is not None
    again.embed(TEXTS)
    assert service.asked[1].headers["authorization"] == "Bearer own-key"


def test_addresses_are_completed_only_where_they_must_be() -> None:
    assert endpoint("http://h:1", "/embeddings") == "http://h:1/v1/embeddings"
    assert endpoint("http://h/v1/", "/embeddings") == "http://h/v1/embeddings"
    assert endpoint("http://h/v1/embeddings", "/embeddings") == "http://h/v1/embeddings"
    assert endpoint("http://h", "/api/embed") == "http://h/api/embed"
    usual = "https://api.openai.com/v1"
    assert [is_at_home(url, usual) for url in ("https://eu.api.openai.com", "https://notopenai.com", "http://h")] == [
        True,
        False,
        False,
    ]


def test_what_is_sent_is_json(service: Any) -> None:
    service.answer(in_data)
    ask_at(service).embed(['quotes " and \\ and 😀'])
    assert json.dumps(service.asked[0].body)
    assert service.asked[0].body["input"] == ['quotes " and \\ and 😀']
