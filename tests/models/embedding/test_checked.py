"""The fence around embedders, the fallback, prices, and which embedder the settings choose."""

from typing import Any

import numpy
import pytest

from everself.config import Secret, Vault
from everself.config.sections import Embedding, Provider, Search
from everself.errors import EmbeddingFailed
from everself.models.embedding import (
    CheckedEmbedder,
    WithFallback,
    _factory,
    estimate_cost,
    open_embedder,
    open_second,
    pin,
    wants_second,
)
from everself.models.embedding._checked import Limits
from everself.testing.embedder import FakeEmbedder, Misdeed


class Watch:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


def checked(inner: FakeEmbedder, watch: Watch | None = None, **limits: Any) -> CheckedEmbedder:
    watch = watch or Watch()
    return CheckedEmbedder(inner, Limits(**limits), monotonic=watch, pause=watch.pause)


@pytest.mark.parametrize(
    ("misdeed", "reason"),
    [
        ("raise", "other"),
        ("nan", "numbers"),
        ("infinite", "numbers"),
        ("zeros", "numbers"),
        ("too few", "shape"),
        ("wrong size", "shape"),
        ("flat", "shape"),
        ("no table", "shape"),
        *((name, name) for name in ("network", "timeout", "quota", "rate", "auth", "missing", "other")),
    ],
)
def test_whatever_an_embedder_does_wrong_is_one_error_with_its_reason(misdeed: Misdeed, reason: str) -> None:
    inner = FakeEmbedder()
    inner.fail(misdeed)
    with pytest.raises(EmbeddingFailed) as caught:
        checked(inner).embed(["one", "two"])
    assert caught.value.reason == reason


def test_rows_have_length_one_whatever_their_size(seed: int) -> None:
    class Unscaled(FakeEmbedder):
        def embed(self, texts: Any, *, purpose: Any = "document") -> Any:  # noqa: ARG002 (the protocol's)
            scales = numpy.array([1e-30, 1.0, 1e30], numpy.float32)[:, None]
            return numpy.random.default_rng(seed).normal(size=(len(texts), 64)).astype(numpy.float32) * scales

    rows = checked(Unscaled()).embed(["a", "b", "c"])
    numpy.testing.assert_allclose(numpy.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_what_was_given_is_not_changed_behind_its_owner() -> None:
    kept = numpy.full((1, 4), 3.0, numpy.float32)

    class Keeping(FakeEmbedder):
        def embed(self, texts: Any, *, purpose: Any = "document") -> Any:  # noqa: ARG002 (the protocol's)
            return kept

    checked(Keeping(4)).embed(["a"])
    assert (kept == 3).all()


def test_batches_end_at_a_number_of_texts_or_of_characters() -> None:
    inner = FakeEmbedder()
    rows = checked(inner, batch=3, batch_characters=20).embed(["a" * 15, "b" * 15, "c", "d", "e", "f"])
    assert [len(texts) for texts, _ in inner.calls] == [1, 3, 2]
    assert rows.shape == (6, 64)
    numpy.testing.assert_allclose(rows[5], FakeEmbedder().embed(["f"])[0], atol=1e-6)


def test_nothing_is_embedded_without_asking_anyone() -> None:
    inner = FakeEmbedder(8)
    assert checked(inner).embed([]).shape == (0, 8)
    assert inner.calls == []


def test_a_good_answer_ends_the_memory_of_failures() -> None:
    inner, watch = FakeEmbedder(), Watch()
    embedder = checked(inner, watch)
    inner.fail("quota", times=1)
    with pytest.raises(EmbeddingFailed):
        embedder.embed(["a"])
    assert embedder.resting == 300
    watch.now += 301
    embedder.embed(["a"])
    inner.fail("quota", times=1)
    with pytest.raises(EmbeddingFailed):
        embedder.embed(["a"])
    assert embedder.resting == 300


def test_the_fallback_answers_under_its_own_name_while_the_first_rests() -> None:
    first, second, watch = FakeEmbedder(8, model="first"), FakeEmbedder(4, model="second"), Watch()
    both = WithFallback(checked(first, watch), checked(second, watch))
    held = pin(both)
    assert (both.model, both.dimensions, both.embed(["a"]).shape) == ("first", 8, (1, 8))
    first.fail("quota")
    with pytest.raises(EmbeddingFailed):
        both.embed(["a"])
    assert (both.model, both.embed(["a"]).shape) == ("second", (1, 4))
    # who pinned the first never gets vectors of the second
    with pytest.raises(EmbeddingFailed):
        held.embed(["a"])
    assert held.model == "first"
    first.fail(None)
    watch.now += 301
    assert both.embed(["a"]).shape == (1, 8)


def key_of(*names: str) -> Any:
    def find(name: str) -> Provider:
        return Provider(name, Secret(f"provider.{name}.apiKey", "k", Vault()) if name in names else None)

    return find


@pytest.mark.parametrize(
    ("search", "keys", "wanted"),
    [
        (Search(), (), True),
        (Search(provider=Embedding.LOCAL), ("openai",), True),
        (Search(), ("openai",), False),
        (Search(model="use"), (), False),
        (Search(model="e5"), (), False),
        (Search(model_path="/m.gguf"), (), False),
        (Search(provider=Embedding.NONE), (), False),
    ],
)
def test_the_better_model_works_beside_the_fast_one_where_nobody_chose(
    monkeypatch: pytest.MonkeyPatch, search: Search, keys: tuple[str, ...], wanted: bool
) -> None:
    assert wants_second(search, key_of(*keys)) == wanted
    monkeypatch.setattr(_factory, "has_quality", lambda: True)
    second = open_second(search, key_of(*keys), "")
    assert (second is not None and second.model.startswith("multilingual-e5-small")) == wanted
    monkeypatch.setattr(_factory, "has_quality", lambda: False)
    assert open_second(search, key_of(*keys), "") is None


@pytest.mark.parametrize(
    ("search", "keys", "provider", "model"),
    [
        (Search(), (), "local", "use-multilingual-3"),
        (Search(model="e5"), (), "local", "multilingual-e5-small-q4"),
        (Search(model="quality", provider=Embedding.LOCAL), ("openai",), "local", "multilingual-e5-small-q4"),
        (Search(), ("anthropic",), "local", "use-multilingual-3"),
        (Search(), ("gemini", "openai"), "openai", "text-embedding-3-small"),
        (Search(), ("gemini",), "gemini", "text-embedding-004"),
        (Search(), ("voyage",), "voyage", "voyage-3.5"),
        (Search(model="text-embedding-3-large"), ("openai",), "openai", "text-embedding-3-large"),
        (Search(provider=Embedding.OLLAMA), ("openai",), "ollama", "bge-m3"),
        (Search(remote_url="https://models.example/v1", model="m"), ("openai",), "remote", "m@models.example"),
    ],
)
def test_the_settings_choose_the_embedder(search: Search, keys: tuple[str, ...], provider: str, model: str) -> None:
    embedder = open_embedder(search, key_of(*keys), "")
    assert embedder is not None
    assert (embedder.provider, embedder.model.partition("/")[0]) == (provider, model)


def test_none_is_no_embedder() -> None:
    assert open_embedder(Search(provider=Embedding.NONE), key_of("openai"), "") is None


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (Search(provider=Embedding.LOCAL, model="bert"), 'Unknown local model: "bert"'),
        (Search(remote_url="ftp://user:pass@host"), "http://"),
        (Search(remote_url="http://[broken"), "http://"),
        (Search(provider=Embedding.OPENAI), "No API key is set for openai"),
    ],
)
def test_an_embedder_that_cannot_be_had_says_so_when_it_is_asked(search: Search, words: str) -> None:
    embedder = open_embedder(search, key_of(), "")
    assert embedder is not None
    with pytest.raises(EmbeddingFailed, match=words) as caught:
        embedder.embed(["a"])
    assert caught.value.mend
    assert "pass@" not in str(caught.value)


def test_a_fallback_is_opened_where_it_differs() -> None:
    search = Search(provider=Embedding.OPENAI, model="text-embedding-3-large", fallback=Embedding.GEMINI)
    both = open_embedder(search, key_of("openai", "gemini"), "")
    assert isinstance(both, WithFallback)
    assert both._second.model == "text-embedding-004"
    same = open_embedder(Search(fallback=Embedding.LOCAL), key_of(), "")
    assert isinstance(same, CheckedEmbedder)


def test_costs_are_told_where_they_are_known() -> None:
    known = FakeEmbedder(provider="openai", model="text-embedding-3-small", paid=True)
    assert estimate_cost(known, 2_500_000) == pytest.approx(0.05)
    assert estimate_cost(FakeEmbedder(provider="remote", model="m@host", paid=True), 1_000) is None
    assert estimate_cost(FakeEmbedder(), 10**9) == 0
    assert all(not embedder.paid for embedder in (open_embedder(Search(), key_of(), ""),) if embedder)


def test_the_fake_is_the_same_everywhere_and_near_for_shared_words() -> None:
    cat, cats_too, other = FakeEmbedder().embed(["the cat sleeps", "the cat eats", "quantum chromodynamics lecture"])
    assert float(cat @ cats_too) > 0.4 > abs(float(cat @ other))
    assert FakeEmbedder(4).embed(["one"])[0].round(3).tolist() == FakeEmbedder(4).embed(["One!"])[0].round(3).tolist()
