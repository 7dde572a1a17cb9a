"""Settings, through the same checks as `everself config set`; the model that answers, the agents, and which programs are let in.

A secret is written from here and never shown: what is shown of it is where it comes from.
"""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from everself.config.display import SettingReport
from everself.config.schema import get_spot
from everself.conversation.chat_models import REFLEX
from everself.errors import BadConfig, EverselfError, NotFound, WrongUse
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit
from everself.operations.agents import count_entries

PROVIDERS: Final = ("anthropic", "openai", "gemini", "ollama", "other")
_FORGET_AGENT: Final = "agents.remove"
_REMOVE_TOKEN: Final = "gateway.token.rm"
_REMOVE_HOOK: Final = "gateway.hook.rm"
_SIGN_OUT: Final = "gateway.sign-out"
_DELETE_SECRET: Final = "config.unset"


def show_settings(visit: Visit) -> Answer:
    models = visit.attempt("model.list")
    provider, _, model = ("" if isinstance(models, EverselfError) else models.used).partition("/")
    return Shown(
        "settings/settings.html",
        {
            "models": models,
            # the form begins with what is in use
            "provider": provider if provider in PROVIDERS else "other" if model else PROVIDERS[0],
            "model": model,
            "other": provider if model and provider not in PROVIDERS else "",
            # told once, after another was put in use
            "was": visit.query["was"],
            "agents_listed": visit.attempt("agents.list"),
            "changed": visit.attempt("config.show", agent=visit.agent),
            "providers": PROVIDERS,
            "typed": typed,
        },
    )


def show_values(visit: Visit) -> Answer:
    """Every setting with what it is for; words narrow the list."""
    words = visit.query["q"].strip().lower()
    report = visit.run("config.show", everything=True, agent=visit.agent)
    found = [one for one in report.settings if words in f"{one.key} {one.doc}".lower()]
    groups = [(name, list(ones)) for name, ones in groupby(sorted(found, key=_order), key=_group)]
    return Shown(
        "settings/values.html",
        {"words": words, "groups": groups, "count": len(found), "remarks": report.remarks, "typed": typed},
    )


def _group(one: SettingReport) -> str:
    head, dot, _ = one.key.partition(".")
    return head if dot else "tunables"


def _order(one: SettingReport) -> tuple[str, str]:
    return _group(one), one.key


def show_value(visit: Visit) -> Answer:
    key = visit.query["key"]
    _need_key(key)
    found = visit.run("config.get", key=key, agent=visit.query["own"] and visit.agent)
    setting = get_spot(found.key).setting
    return Shown(
        "settings/value.html",
        {
            "found": found,
            "setting": setting,
            "now": typed(found.value),
            "usual": typed(setting.default),
            # told once, after it was saved: what it was before
            "was": visit.query["was"],
            "was_usual": visit.query["was_usual"],
        },
    )


def _need_key(key: str) -> None:
    """An address or a form may name anything; in a settings file an unknown key is a mistake of the file."""
    try:
        get_spot(key)
    except BadConfig as error:
        raise NotFound(f'setting "{key[:80]}".', mend="everself config show --all") from error


def typed(value: Any) -> str:
    """A value as somebody types it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def save(visit: Visit) -> Answer:
    """Through the checks of `config set`. What it was is told once more, so that it can be put back; never a secret."""
    key, own = visit.form["key"], visit.form["own"] and visit.agent
    _need_key(key)
    before = visit.run("config.get", key=key, agent=own)
    secret = get_spot(before.key).setting.secret
    if visit.form["usual"] and secret and not visit.confirmed(_DELETE_SECRET, key, own):
        return _ask(visit, _DELETE_SECRET, "secret", key, fields=(("key", key), ("own", own), ("usual", "1")))
    if visit.form["usual"]:
        saved = visit.run("config.unset", key=key, agent=own)
    else:
        saved = visit.run("config.set", key=key, value=visit.form["value"], agent=own)
    told: dict[str, object] = {"key": key, "own": own}
    if saved.changed and not secret:
        told |= {"was": typed(before.value), "was_usual": "1" if before.origin == "default" else ""}
    return Moved(visit.url("settings/value", **told), "saved" if saved.changed else "same")


def use_model(visit: Visit) -> Answer:
    """Provider, key and name in one step; what cannot be asked is not put in use."""
    provider = visit.form["provider"]
    if provider == "other":
        provider = visit.form["other"].strip()
    name = visit.form["name"].strip()
    whole = "/" in name or name == REFLEX
    wanted = name if whole else f"{provider}/{name}"
    if not name or not (provider or whole):
        raise WrongUse("Name a provider and a model.")
    provider = wanted.partition("/")[0]
    for field, below in (("url", "baseUrl"), ("key", "apiKey")):
        if value := visit.form[field].strip():
            visit.run("config.set", key=f"provider.{provider}.{below}", value=value)
    before = visit.attempt("model.list")
    visit.run("model.use", name=wanted, agent=visit.form["own"] and visit.agent)
    was = "" if isinstance(before, EverselfError) or before.used == wanted else before.used
    return Moved(visit.url("settings", was=was, own=was and visit.form["own"]), "model-used")


def test_model(visit: Visit) -> Answer:
    return Shown("settings/trial.html", {"trial": visit.run("model.test", **visit.form.given("name"))})


def show_agent(visit: Visit) -> Answer:
    # it is open already: its entries need not be counted by opening it once more
    report = visit.run("agents.show", name=visit.agent, count=False)
    entries = count_entries(visit.opened) if visit.opened is not None else None
    return Shown("settings/agent.html", {"report": report, "entries": entries})


def add_agent(visit: Visit) -> Answer:
    visit.run("agents.add", **visit.form.given("name", "workspace"))
    return Moved(visit.url("settings"), "agent-added")


def remove_agent(visit: Visit) -> Answer:
    name = visit.form["name"]
    if not visit.confirmed(_FORGET_AGENT, name):
        return _ask(visit, _FORGET_AGENT, "agent", name)
    visit.run_agreed(_FORGET_AGENT, name=name)
    return Moved(visit.url("settings"), "agent-removed")


def show_programs(visit: Visit) -> Answer:
    """Who is let in at the gateway, and as whom."""
    values = {"tokens": visit.attempt("gateway.token.list"), "hooks": visit.attempt("gateway.hook.list")}
    return Shown("settings/programs.html", values)


def remove_token(visit: Visit) -> Answer:
    name = visit.form["name"]
    if not visit.confirmed(_REMOVE_TOKEN, name):
        return _ask(visit, _REMOVE_TOKEN, "token", name)
    visit.run(_REMOVE_TOKEN, name=name)
    return Moved(visit.url("settings/programs"), "token-removed")


def remove_hook(visit: Visit) -> Answer:
    name = visit.form["name"]
    if not visit.confirmed(_REMOVE_HOOK, name):
        return _ask(visit, _REMOVE_HOOK, "hook", name)
    visit.run(_REMOVE_HOOK, name=name)
    return Moved(visit.url("settings/programs"), "hook-removed")


def sign_out(visit: Visit) -> Answer:
    """Every browser, this one too: the next page is the way in."""
    if not visit.confirmed(_SIGN_OUT, ""):
        return _ask(visit, _SIGN_OUT, "sign-out", "")
    visit.run(_SIGN_OUT)
    return Moved(visit.url("settings"))


def _ask(visit: Visit, action: str, what: str, name: str, fields: Sequence[tuple[str, str]] = ()) -> Shown:
    subject = tuple(value for field, value in fields if field in ("key", "own"))
    values = {
        "what": what,
        "name": name,
        "action": visit.path,
        "fields": fields or [("name", name)],
        "ticket": visit.ticket(action, *(subject or (name,))),
        "back": visit.url("settings/programs" if what in ("token", "hook", "sign-out") else "settings"),
    }
    return Shown("settings/confirm.html", values)


def show_people(visit: Visit) -> Answer:
    """Everybody that something is remembered of, or that a token speaks for."""
    contents, tokens = visit.run("memory.contents", people=True), visit.attempt("gateway.token.list")
    counted = {one.name: one.entries for one in contents.people}
    listed = () if isinstance(tokens, EverselfError) else tokens
    speaking: dict[str, list[str]] = {}
    for one in listed:
        kind, _, person = one.session.partition("/")
        if kind == "guest" and person and one.agent == visit.agent:
            speaking.setdefault(person, []).append(one.name)
    people = [(name, counted.get(name, 0), speaking.get(name, [])) for name in sorted({*counted, *speaking})]
    return Shown("settings/people.html", {"people": people})


def show_person(visit: Visit) -> Answer:
    """What somebody would find in a conversation of theirs: asked by the search that would serve them."""
    person, words = visit.query["name"].strip(), visit.query["q"].strip()
    if not person:
        raise WrongUse("Name a person.")
    found = visit.run_typed("memory.search", query=words, maxResults=10, session=f"guest/{person}") if words else None
    listing = visit.run("memory.list", person=person, limit=20)
    return Shown("settings/person.html", {"person": person, "words": words, "found": found, "listing": listing})


PAGES: Final = (
    Page("settings", show_settings, "settings"),
    Page("settings/values", show_values, "settings"),
    Page("settings/value", show_value, "settings"),
    Page("settings/value", save, "settings", "POST"),
    Page("settings/model", use_model, "settings", "POST"),
    Page("settings/model/test", test_model, "settings", "POST", slow=True),
    Page("settings/agent", show_agent, "settings", slow=True),
    Page("settings/agents/add", add_agent, "settings", "POST", slow=True),
    Page("settings/agents/remove", remove_agent, "settings", "POST"),
    Page("settings/programs", show_programs, "settings"),
    Page("settings/programs/token", remove_token, "settings", "POST"),
    Page("settings/programs/hook", remove_hook, "settings", "POST"),
    Page("settings/sign-out", sign_out, "settings", "POST"),
    Page("people", show_people, "people"),
    Page("people/person", show_person, "people", slow=True),
)
