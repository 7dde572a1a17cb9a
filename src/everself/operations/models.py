"""Operations on models: list, choose, test, costs."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Literal

from everself.config.plugins import MODELS, find_plugins
from everself.config.schema import join_key
from everself.config.sections import Provider
from everself.conversation.chat_models import REFLEX
from everself.errors import ModelFailed, WrongUse
from everself.models.chat.factory import check_ready, find_account, find_added, open_model
from everself.models.chat.findings import remember_calling
from everself.models.chat.model_table import Price, find_model_facts, known_models
from everself.models.chat.model_trial import Trial, trial_of
from everself.models.chat.vendors import VENDORS
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, owner_reads, terminal_writes
from everself.operations.home import Home
from everself.operations.settings import AGENT, SavedReport, save_value
from everself.runtime import Runtime
from everself.storage.state.spend import Cost, DaySum

KeyState = Literal["set", "missing", "not needed"]
_KEY = "agents.defaults.model"
# a placeholder for the models of a custom server
ANY_NAME = "NAME"


class ModelLine(Result):
    """A model that can be chosen. `listed` is false for models without known limits, whose window is estimated."""

    name: str
    used: bool
    listed: bool
    window: int
    most_output: int
    price: Price | None
    key: KeyState


class ModelsReport(Result):
    """`everything`: models without a key are included."""

    used: str
    models: tuple[ModelLine, ...]
    everything: bool = False


class UsedReport(Result):
    """The model before and after, and where it was saved."""

    before: str
    now: str
    saved: SavedReport


class SpendReport(Result):
    """`background` counts against today's limits; amounts are in millionths of a dollar, except `dollars_a_day`."""

    since: str
    days: tuple[DaySum, ...]
    background: Cost
    dollars_a_day: float
    tokens_a_day: int


class ModelsRequest(Request):
    everything: Annotated[bool, Option("Those too whose key is missing.", cli="--all")] = False


@owner_reads("model.list", slash="/model")
def list_models(app: Runtime, _: Caller, request: ModelsRequest) -> ModelsReport:
    """List models with window, price, and whether their key is set.

    Prices are in dollars per million input and output tokens.

    $ everself model list  # the one with * is in use
    """
    config = app.loaded.config
    chosen = dict.fromkeys((app.agent.model, *(agent.model for agent in config.agents)))
    known = [f"{row.provider}/{row.name}" for row in known_models()]
    own = [one.name for one in config.providers if one.base_url and one.name not in VENDORS]
    # servers are not contacted: listing models works without a network
    added = [one.name for one in find_plugins(MODELS) if one.name not in VENDORS]
    servers = [f"{name}/{ANY_NAME}" for name in (*own, *added, "ollama")]
    names = dict.fromkeys((REFLEX, *chosen, *servers, *known))
    lines = (_line(app, name) for name in names)
    return ModelsReport(app.agent.model, tuple(line for line in lines if line is not None), request.everything)


class UseRequest(Request):
    name: Annotated[str, Argument("The model as provider/name, or reflex for none.")]
    url: Annotated[str, Option("Address of an OpenAI-compatible server; saved under the provider's name.", "URL")] = ""
    agent: Annotated[str, AGENT] = ""


@terminal_writes("model.use", idempotent=True, on="home")
def use_model(home: Home, _: Caller, request: UseRequest) -> UsedReport:
    """Choose the model that answers from now on.

    $ everself model use anthropic/claude-sonnet-5-5  # its key is provider.anthropic.apiKey or ANTHROPIC_API_KEY
    $ everself model use ollama/qwen3:8b  # a model on this machine
    $ everself model use mine/qwen3 --url http://127.0.0.1:8080/v1  # any OpenAI-compatible server; mine is a name you choose
    $ everself model use reflex  # back to answering from memory alone
    """
    wanted, loaded = request.name.strip(), home.load()
    chosen = loaded.config.agent(request.agent)
    if not wanted:
        raise WrongUse("A model is named as provider/name.", mend="everself model list")
    providers = loaded.config.providers
    url = request.url.strip()
    if url:
        providers = _with_server(providers, wanted, url)
    # a model without a key or package is not saved, because the agent could not answer
    if wanted != REFLEX and find_added(wanted, providers) is None:
        account = find_account(wanted, providers)
        check_ready(account)
        wanted = account.name
    # without an agent name, for all agents without their own model
    own = loaded.reading.agents.get(chosen.id, {})
    agent = request.agent or (chosen.id if _KEY in own else "")
    first = ((join_key(("provider", _provider(wanted), "baseUrl")), url),) if url else ()
    return UsedReport(chosen.model, wanted, save_value(home, _KEY, wanted, agent, first))


def _provider(name: str) -> str:
    return name.partition("/")[0]


def _with_server(providers: Sequence[Provider], name: str, url: str) -> tuple[Provider, ...]:
    """The providers, with this address for the model's provider."""
    provider = _provider(name)
    if name == REFLEX or (provider in VENDORS and VENDORS[provider].needs_key):
        # otherwise the vendor's key would be sent to another server
        words = f"{provider} has its own address. Choose another name for your server."
        raise WrongUse(words, mend="everself model use mine/NAME --url URL")
    known = next((one for one in providers if one.name == provider), None)
    own = Provider(provider, base_url=url) if known is None else replace(known, base_url=url)
    return (*(one for one in providers if one.name != provider), own)


class TestRequest(Request):
    name: Annotated[str, Argument("The model as provider/name; the current one unless given.", "[NAME]")] = ""


@terminal_writes("model.test")
def try_model(app: Runtime, _: Caller, request: TestRequest) -> Trial:
    """Test a model with a few short questions, and show what it can do.

    The result is stored: a model that cannot call tools is offered none.

    $ everself model test  # the model in use
    $ everself model test ollama/qwen3:8b  # another one, before you use it
    """
    chosen = request.name or app.agent.model
    if chosen == REFLEX:
        words = "The reflex is not a model: it answers from memory by rules, so there is nothing to test."
        raise WrongUse(words, mend="everself model test PROVIDER/NAME")
    model = app.chat_model(chosen)
    trial = trial_of(model, lambda usage: app.spend_meter.charge("test", "", model, usage))
    remember_calling(app.state, trial.model, trial.calling)
    return trial


class SpendRequest(Request):
    days: Annotated[int, Option("How many days, today included.", ge=1, le=3_660)] = 7


@owner_reads("spend")
def show_spend(app: Runtime, _: Caller, request: SpendRequest) -> SpendReport:
    """Show what models cost, by day and job.

    Background jobs have their own daily limit: spend.backgroundPerDay in the settings.

    $ everself spend  # the last seven days
    $ everself spend --days 30 --json  # a month, for a program
    """
    since = (app.clock.today() - timedelta(days=request.days - 1)).isoformat()
    limits = app.loaded.config.spend
    found = app.state.spend.list(since)
    return SpendReport(
        since, found, app.spend_meter.background(), limits.background_per_day, limits.background_tokens_per_day
    )


def _line(app: Runtime, name: str) -> ModelLine | None:
    """None for a name in the settings that is not a usable model; `doctor` reports it."""
    used = name == app.agent.model
    if name == REFLEX:
        return ModelLine(REFLEX, used, True, 0, 0, None, "not needed")
    providers = app.loaded.config.providers
    try:
        if name.endswith(f"/{ANY_NAME}") and find_plugins(MODELS, name.partition("/")[0]):
            return ModelLine(name, used, False, 0, 0, None, "not needed")
        added = find_added(name, providers)
        if added is not None:
            free = None if added.paid else Price(0.0, 0.0)
            return ModelLine(name, used, True, added.window, added.most_output, free, "not needed")
        account = find_account(name, providers)
    except ModelFailed:
        return ModelLine(name, used, False, 0, 0, None, "missing") if used else None
    model = open_model(name, providers)
    price = find_model_facts(account.provider, account.model).price_of(0) if model.paid else Price(0.0, 0.0)
    vendor = VENDORS.get(account.provider)
    needed = vendor is not None and vendor.needs_key
    key: KeyState = "set" if account.key else "missing" if needed else "not needed"
    return ModelLine(name, used, not model.note, model.window, model.most_output, price, key)
