"""The verbs over models: which there are, which is in use, what one can do, and what they cost."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from everself.conversation.chat_models import REFLEX
from everself.errors import ModelFailed, WrongUse
from everself.models.chat.factory import find_account, open_model
from everself.models.chat.model_table import find_model_facts, known_models
from everself.models.chat.model_trial import Trial, trial_of
from everself.models.chat.price import Price
from everself.models.chat.readiness import check_ready
from everself.models.chat.vendors import VENDORS
from everself.operations.settings import SavedReport, set_value
from everself.storage.state.spend import Cost, DaySum

if TYPE_CHECKING:
    from everself.runtime import Runtime

KeyState = Literal["set", "missing", "not needed"]
_KEY = "agents.defaults.model"
# stands for whatever a server of one's own holds
ANY_NAME = "NAME"
_MOST_DAYS = 3_660


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model that can be named. `listed` is false for one that Everself has no figures of: its window is a careful guess."""

    name: str
    used: bool
    listed: bool
    window: int
    most_output: int
    price: Price | None
    key: KeyState


@dataclass(frozen=True, slots=True)
class ModelsReport:
    used: str
    models: tuple[ModelLine, ...]


@dataclass(frozen=True, slots=True)
class UsedReport:
    """What `model use` changed: from which model to which, and where that is written."""

    before: str
    now: str
    saved: SavedReport


@dataclass(frozen=True, slots=True)
class SpendReport:
    """`background` is what counts against the limits today; dollars are millionths of one everywhere but in `dollars_a_day`."""

    since: str
    days: tuple[DaySum, ...]
    background: Cost
    dollars_a_day: float
    tokens_a_day: int


def list_models(app: "Runtime") -> ModelsReport:
    """What can be named: the reflex, the models that Everself has figures of, and whatever servers of one's own hold."""
    config = app.loaded.config
    chosen = dict.fromkeys((app.agent.model, *(agent.model for agent in config.agents)))
    known = [f"{row.provider}/{row.name}" for row in known_models()]
    own = [one.name for one in config.providers if one.base_url and one.name not in VENDORS]
    # a server is not asked what it holds: listing models must work without a network
    servers = [f"{name}/{ANY_NAME}" for name in (*own, "ollama")]
    names = dict.fromkeys((REFLEX, *chosen, *servers, *known))
    lines = (_line(app, name) for name in names)
    return ModelsReport(app.agent.model, tuple(line for line in lines if line is not None))


def use_model(app: "Runtime", name: str, agent: str = "") -> UsedReport:
    """Let an agent talk through another model from now on; with no agent named, all that have none of their own."""
    wanted = name.strip()
    if not wanted:
        raise WrongUse("A model is named as provider/name.", mend="everself model list")
    if wanted != REFLEX:
        # one that cannot be asked is not saved: the agent would be mute
        account = find_account(wanted, app.loaded.config.providers)
        check_ready(account)
        wanted = account.name
    own = app.loaded.reading.agents.get(app.agent.id, {})
    saved = set_value(_KEY, wanted, agent or (app.agent.id if _KEY in own else ""))
    return UsedReport(app.agent.model, wanted, saved)


def try_model(app: "Runtime", name: str = "") -> Trial:
    """Ask a model what shows its skills: the named one, else the one in use. Costs a few hundred tokens, which are charged."""
    chosen = name or app.agent.model
    if chosen == REFLEX:
        words = "The reflex is no model: it answers from memory by rules, and there is nothing to test."
        raise WrongUse(words, mend="everself model test PROVIDER/NAME")
    model = app.chat_model(chosen)
    return trial_of(model, lambda usage: app.spend_meter.charge("test", "", model, usage))


def show_spend(app: "Runtime", days: int = 7) -> SpendReport:
    """What models cost on the last days, by day, job and model."""
    if not 1 <= days <= _MOST_DAYS:
        raise WrongUse(f"Days are counted from 1 to {_MOST_DAYS}.")
    since = (app.clock.today() - timedelta(days=days - 1)).isoformat()
    limits = app.loaded.config.spend
    found = app.state.spend.list(since)
    return SpendReport(
        since, found, app.spend_meter.background(), limits.background_per_day, limits.background_tokens_per_day
    )


def _line(app: "Runtime", name: str) -> ModelLine | None:
    """None for a name in the settings that stands for nobody; `doctor` speaks of it, and so does whoever asks it something."""
    used = name == app.agent.model
    if name == REFLEX:
        return ModelLine(REFLEX, used, True, 0, 0, None, "not needed")
    providers = app.loaded.config.providers
    try:
        account = find_account(name, providers)
    except ModelFailed:
        return ModelLine(name, used, False, 0, 0, None, "missing") if used else None
    model = open_model(name, providers)
    price = find_model_facts(account.provider, account.model).price_of(0) if model.paid else Price(0.0, 0.0)
    vendor = VENDORS.get(account.provider)
    needed = vendor is not None and vendor.needs_key
    key: KeyState = "set" if account.key else "missing" if needed else "not needed"
    return ModelLine(name, used, not model.note, model.window, model.most_output, price, key)
