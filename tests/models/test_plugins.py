"""Packages of others that add an embedder or a chat model: installed for real, found by name, and named where they fail."""

import asyncio
import importlib
import re
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.conversation.talks import done, hear

from everself.agent import open_runtime
from everself.config import load
from everself.config.host_edits import set_key
from everself.config.places import find_places
from everself.config.plugins import EMBEDDERS, MODELS, find_plugins
from everself.config.sections import Provider, Search
from everself.errors import BadConfig, EmbeddingFailed, ModelFailed, RefusedByRule
from everself.models.call_switch import CALLS
from everself.models.chat.factory import open_model
from everself.models.chat.protocol import ChatRequest, ReplyPart, ReplyText, UserTurn
from everself.models.embedding import open_embedder
from everself.operations.caller import AT_TERMINAL
from everself.operations.home import Home
from everself.operations.models import ModelsRequest, UseRequest, list_models, use_model
from everself.operations.setup import set_up

EMBEDDER = """
class Acme:
    provider, dimensions, paid = "acme", None, False

    def __init__(self, model, provider, cache):
        self.model = model or "acme-1"
        self.url = provider.base_url

    def embed(self, texts, *, purpose="document"):
        return [[float(len(text)), 2.0] for text in texts]
"""
MODEL = """
from everself.models.chat.protocol import ReplyEnd, ReplyText, Usage


class Acme:
    window, most_output, paid = 32_000, 4_000, False
    closed = 0

    def __init__(self, model, provider):
        self.name = f"acme/{model}"
        self.key = provider.api_key.reveal() if provider.api_key else ""

    async def stream(self, request):
        try:
            yield ReplyText("Acme ")
            yield ReplyText("speaking.")
            yield ReplyEnd(Usage(3, 2))
        finally:
            Acme.closed += 1
"""

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution where pip would: a module and a dist-info folder with entry points, on sys.path."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    modules = []

    def call(
        group: str, code: str, name: str = "acme", package: str = "everself-acme", module: str = "everself_acme"
    ) -> Path:
        (site / f"{module}.py").write_text(code)
        info = site / f"{package.replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[everself.{group}]\n{name} = {module}:Acme\n")
        importlib.invalidate_caches()
        modules.append(module)
        return site

    yield call
    for module in modules:
        sys.modules.pop(module, None)


def provider(name: str) -> Provider:
    return Provider(name, base_url=f"http://{name}.example")


def ask(model: object) -> list[ReplyPart]:
    async def listen() -> list[ReplyPart]:
        async with aclosing(model.stream(ChatRequest("", "", (UserTurn("Hello."),)))) as pieces:  # type: ignore[attr-defined]
            return [piece async for piece in pieces]

    return asyncio.run(listen())


def test_an_installed_embedder_is_used_by_its_name(install: Install) -> None:
    install(EMBEDDERS, EMBEDDER)
    found = open_embedder(Search(provider="acme", model="large"), provider, "")
    assert found is not None
    assert (found.provider, found.model, found.paid) == ("acme", "large", False)
    rows = found.embed(["abc", "a"])
    assert rows.shape == (2, 2)
    assert found.dimensions == 2
    # whatever a package answers with, vectors have length 1
    assert abs(float((rows[0] ** 2).sum()) - 1) < 1e-6


def test_it_may_be_the_fallback(install: Install) -> None:
    install(EMBEDDERS, EMBEDDER)
    found = open_embedder(Search(provider="openai", fallback="acme"), Provider, "")
    assert found is not None
    with pytest.raises(EmbeddingFailed):
        found.embed(["abc"])
    assert found.embed(["abc"]).shape == (1, 2)


def test_the_setting_takes_the_name_of_an_installed_package_only(install: Install) -> None:
    places = find_places({"HOME": "/h"})
    with pytest.raises(BadConfig, match='"none", or a name that an installed package adds'):
        load(places, '{memorySearch: {provider: "acme"}}')
    with pytest.raises(BadConfig):
        set_key("{}", "memorySearch.fallback", "acme")
    install(EMBEDDERS, EMBEDDER)
    assert load(places, '{memorySearch: {provider: "acme"}}').config.agent().search.provider == "acme"
    assert "acme" in set_key("{}", "memorySearch.fallback", "acme")
    with pytest.raises(BadConfig):
        load(places, '{memorySearch: {provider: "acmee"}}')


BROKEN = [
    ("raise RuntimeError('sk-secret')", "RuntimeError"),
    ("import no_such_module_of_acme", "ModuleNotFoundError"),
    ("def (", "SyntaxError"),
    ("class AcmeError(Exception): ...\ndef Acme(*a): raise AcmeError('sk-secret')", "AcmeError"),
    ("def Acme(): ...", "TypeError"),
    ("def Acme(*a): ...", "AttributeError"),
    ("", "AttributeError"),
]


@pytest.mark.parametrize(("code", "why"), BROKEN, ids=[why + str(at) for at, (_, why) in enumerate(BROKEN)])
def test_a_broken_embedder_names_its_package(install: Install, code: str, why: str) -> None:
    install(EMBEDDERS, code)
    found = open_embedder(Search(provider="acme"), provider, "")
    assert found is not None
    with pytest.raises(EmbeddingFailed) as told:
        found.embed(["abc"])
    assert f'The package everself-acme 1.2, which adds "acme", failed: {why}.' in str(told.value)
    assert "sk-secret" not in str(told.value)
    assert told.value.mend == "Update or uninstall everself-acme."


@pytest.mark.parametrize(("code", "why"), BROKEN, ids=[why + str(at) for at, (_, why) in enumerate(BROKEN)])
def test_a_broken_model_names_its_package(install: Install, code: str, why: str) -> None:
    install(MODELS, code)
    with pytest.raises(ModelFailed) as told:
        open_model("acme/one", ())
    assert f'The package everself-acme 1.2, which adds "acme", failed: {why}.' in str(told.value)
    assert "sk-secret" not in str(told.value)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('provider, dimensions, paid = "acme"', 'provider, dimensions, paid = "local"', 'its provider is not "acme"'),
        ("paid = ", "other = ", "AttributeError"),
        ('model or "acme-1"', "None", "it names no model"),
        ("def embed", "def embedding", "AttributeError"),
        ("return [[float(len(text)), 2.0] for text in texts]", "raise KeyError(texts[0])", "KeyError"),
    ],
)
def test_an_embedder_that_keeps_not_to_the_protocol_is_refused(
    install: Install, before: str, after: str, why: str
) -> None:
    assert before in EMBEDDER
    install(EMBEDDERS, EMBEDDER.replace(before, after))
    found = open_embedder(Search(provider="acme"), provider, "")
    assert found is not None
    with pytest.raises(EmbeddingFailed, match=r"everself-acme 1\.2") as told:
        found.embed(["secret words"])
    assert f"failed: {why}." in str(told.value)
    assert "secret words" not in str(told.value)


def test_an_installed_model_answers_in_a_conversation(install: Install, tmp_path: Path) -> None:
    site = install(MODELS, MODEL)
    home = {"HOME": str(tmp_path / "h"), "EVERSELF_HOME": str(tmp_path / "h" / "e"), "ACME_KEY": "k"}
    with open_runtime(environ=home) as app:
        set_up(app)
        app.chat.use(app.chat_model("acme/one"))
        said = done(asyncio.run(hear(app, "Hello.", app.chat.begin())))
        assert "Acme speaking." in said.text
        lines = {line.name: line for line in list_models(app, AT_TERMINAL, ModelsRequest()).models}
        assert lines["acme/NAME"].key == "not needed"
    assert site.exists()
    import everself_acme  # type: ignore[import-not-found]

    assert everself_acme.Acme.closed == 1


def test_a_model_gets_its_settings_and_its_errors_pass(install: Install) -> None:
    from everself.config import Secret, Vault

    install(MODELS, MODEL.replace('yield ReplyText("speaking.")', "raise KeyError(self.key)"))
    key = Secret("provider.acme.apiKey", "${ACME}", Vault({"ACME": "sk-secret"}))
    model = open_model("acme/one", (Provider("acme", api_key=key),))
    assert (model.name, model.window, model.most_output, model.paid) == ("acme/one", 32_000, 4_000, False)
    with pytest.raises(ModelFailed) as told:
        ask(model)
    assert "The package everself-acme 1.2" in str(told.value)
    assert "sk-secret" not in "".join(traceback.format_exception(told.value))
    assert told.value.reason == "missing"


def test_what_a_package_raises_as_everselfs_own_error_passes(install: Install) -> None:
    code = MODEL.replace('yield ReplyText("speaking.")', "raise ModelFailed('Too many.', reason='rate')")
    install(MODELS, f"{code}\n\nfrom everself.errors import ModelFailed\n")
    with pytest.raises(ModelFailed, match="Too many") as told:
        ask(open_model("acme/one", ()))
    assert told.value.reason == "rate"


def test_leaving_early_closes_the_stream_of_the_package(install: Install) -> None:
    install(MODELS, MODEL)
    model = open_model("acme/one", ())

    async def leave() -> int:
        async with aclosing(model.stream(ChatRequest("", "", (UserTurn("Hello."),)))) as pieces:
            await anext(pieces)
        closed: int = sys.modules["everself_acme"].Acme.closed
        return closed

    assert asyncio.run(leave()) == 1


def test_no_package_is_asked_while_calls_are_switched_off(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install(MODELS, MODEL)
    monkeypatch.setattr(CALLS, "allowed", False)
    with pytest.raises(RefusedByRule):
        ask(open_model("acme/one", ()))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('f"acme/{model}"', "model", 'the model is not called "acme/one"'),
        ("32_000", "0", "the model does not say how many tokens it takes and gives"),
        ("4_000, False", "4_000, None", "the model does not say whether it is paid"),
        ("async def stream", "async def streams", "AttributeError"),
    ],
)
def test_a_model_that_keeps_not_to_the_protocol_is_refused(install: Install, before: str, after: str, why: str) -> None:
    assert before in MODEL
    install(MODELS, MODEL.replace(before, after))
    with pytest.raises(ModelFailed, match=r"everself-acme 1\.2") as told:
        open_model("acme/one", ())
    assert f"failed: {why}." in str(told.value)


def test_the_example_of_the_page_works(install: Install) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (points,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    site = install(MODELS, code)
    groups = tomllib.loads(points)["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in groups.items()
    ]
    (site / "everself_acme-1.2.dist-info" / "entry_points.txt").write_text("\n".join(lines))
    importlib.invalidate_caches()
    found = open_embedder(Search(provider="acme"), provider, "")
    assert found is not None
    assert found.embed(["a b", "c"]).shape == (2, 3)
    assert ask(open_model("acme/one", ()))[0] == ReplyText("1 turns so far.")


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    install(MODELS, MODEL)
    install(MODELS, MODEL, package="other-acme", module="other_acme")
    with pytest.raises(ModelFailed, match=r"everself-acme 1\.2 and other-acme 1\.2"):
        open_model("acme/one", ())


def test_names_of_our_own_are_not_taken_over(install: Install) -> None:
    install(MODELS, MODEL, name="openai")
    install(EMBEDDERS, EMBEDDER, name="local", package="other-acme", module="other_acme")
    assert type(open_model("openai/gpt-5", ())).__name__ == "RemoteChatModel"
    found = open_embedder(Search(provider="local"), provider, "")
    assert found is not None
    assert "everself_acme" not in sys.modules
    assert "other_acme" not in sys.modules


def test_finding_a_package_loads_nothing_of_it(install: Install) -> None:
    install(MODELS, "raise SystemExit")
    assert [(one.name, one.package) for one in find_plugins(MODELS, "acme")] == [("acme", "everself-acme 1.2")]
    assert find_plugins(MODELS, "nobody") == ()


@pytest.mark.parametrize("text", [b"\xff\xfe", b"[everself.models]\nno sign\n"])
def test_a_package_with_broken_metadata_hides_no_other(
    install: Install, text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    site = install(MODELS, MODEL)
    broken = site / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(text)
    (site / "nameless-1.0.dist-info").mkdir()
    importlib.invalidate_caches()
    assert open_model("acme/one", ()).name == "acme/one"
    assert "broken-1.0.dist-info cannot be read" in caplog.text


def test_of_two_versions_the_first_on_the_path_counts(install: Install) -> None:
    site = install(MODELS, MODEL)
    later = site.parent / "later" / "everself_acme-0.9.dist-info"
    later.mkdir(parents=True)
    (later / "METADATA").write_text("Metadata-Version: 2.1\nName: everself-acme\nVersion: 0.9\n")
    (later / "entry_points.txt").write_text("[everself.models]\nacme = nowhere:Acme\n")
    sys.path.append(str(later.parent))
    try:
        assert [one.package for one in find_plugins(MODELS, "acme")] == ["everself-acme 1.2"]
    finally:
        sys.path.remove(str(later.parent))


def test_model_use_takes_the_model_of_a_package(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(MODELS, MODEL)
    monkeypatch.setenv("EVERSELF_HOME", str(tmp_path / "h"))
    with open_runtime() as app:
        set_up(app)
        assert use_model(Home(), AT_TERMINAL, UseRequest(name="acme/one")).now == "acme/one"
    with open_runtime() as app:
        assert app.agent.model == "acme/one"


def test_names_of_our_own_ask_for_no_installed_package() -> None:
    code = (
        "import sys\nfrom everself.config import load, find_places\n"
        "load(find_places({'HOME': '/h'}), '{memorySearch: {provider: \"voyage\"}}')\n"
        "from everself.models.chat.factory import open_model\nopen_model('openai/gpt-5', ())\n"
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
