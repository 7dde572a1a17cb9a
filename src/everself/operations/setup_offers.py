"""What setup offers in addition: an available model, installed coding agents, a weekly review.

Only looks for them. Each offer names the operation that does it, so interfaces need not know how.
"""

import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Annotated, Final, Literal

from everself.config.installation import install_command
from everself.conversation.chat_models import REFLEX
from everself.errors import ModelFailed, NotFound
from everself.models.chat.factory import find_account
from everself.models.chat.local_server import find_local_models
from everself.operations.caller import Caller
from everself.operations.declaration import Request, Result, terminal_reads
from everself.operations.home import Home
from everself.operations.registry import get_operation
from everself.operations.settings import AGENT
from everself.runtime import make_runtime

WEEKLY: Final = {"name": "Weekly review", "cron": "0 18 * * 5", "verb": "memory promote --review"}
# for each vendor a model that calls tools well and is not the most expensive
PREFERRED: Final = {"anthropic": "claude-sonnet-5-5", "openai": "gpt-5", "gemini": "gemini-3.8-flash"}
# for each client: its name in `everself connect`, the program looked for on PATH, and its name for people
_CLIENTS: Final = (
    ("claude-code", "claude", "Claude Code"),
    ("codex", "codex", "Codex"),
    ("cursor", "cursor", "Cursor"),
    ("gemini", "gemini", "Gemini CLI"),
)


class Offer(Result):
    """An offer. `operation` with these `fields` carries it out; `command` is the equivalent command."""

    kind: Literal["model", "client", "review"]
    question: str
    default: bool
    command: str
    operation: str
    fields: dict[str, str]


class Offers(Result):
    """`notes` name things that were found but lack something."""

    offers: tuple[Offer, ...]
    notes: tuple[str, ...] = ()


class OffersRequest(Request):
    agent: Annotated[str, AGENT] = ""


@terminal_reads("setup.offers", on="home", command=False, http=False)
def find_offers(home: Home, caller: Caller, request: OffersRequest) -> Offers:
    """Look for what setup can offer on this machine: keys and local models, coding agents, a weekly review.

    Nothing leaves the machine: only a local model server is contacted.
    """
    found = [*_models(home, request.agent), *_clients(home, caller), *_review(home, request.agent)]
    offers = tuple(one for one in found if isinstance(one, Offer))
    return Offers(offers, tuple(one for one in found if isinstance(one, str)))


def _models(home: Home, agent: str) -> Iterator[Offer | str]:
    """The best available model: a free local model before a paid one."""
    loaded = home.load()
    if loaded.config.agent(agent).model != REFLEX:
        return
    providers = loaded.config.providers
    try:
        local = find_local_models(find_account("ollama/NAME", providers).url)
    except ModelFailed:
        # an invalid address, which doctor reports
        local = ()
    keyed = [f"{provider}/{name}" for provider, name in PREFERRED.items() if _has_key(home, provider)]
    ready = find_spec("pydantic_ai") is not None
    for name, paid in [*((f"ollama/{one}", False) for one in local[:1]), *((one, True) for one in keyed)]:
        what = f"A key for {name.partition('/')[0]} is in your environment" if paid else "Ollama runs on this machine"
        if not ready:
            yield f"{what}: {install_command('models')}, then everself model use {name}"
            continue
        costs = ", which costs money" if paid else ""
        question = f"{what}. Let {name} answer{costs}?"
        fields = {"name": name} | ({"agent": agent} if agent else {})
        yield Offer("model", question, not paid, f"everself model use {name}", "model.use", fields)
        return


def _has_key(home: Home, provider: str) -> bool:
    try:
        account = find_account(f"{provider}/NAME", home.load().config.providers)
    except ModelFailed:
        return False
    return account.key is not None


def _clients(home: Home, caller: Caller) -> Iterator[Offer | str]:
    installed = [one for one in _CLIENTS if _is_program(one[1], home.variables)]
    if not installed:
        return
    connected = _connected(home, caller)
    for name, _, called in installed:
        if connected is None:
            yield f"{called} is installed: docs/mcp.md says how to give it this memory."
        elif name not in connected:
            fields = {"client": name}
            yield Offer(
                "client",
                f"{called} is installed. Give it this memory?",
                True,
                f"everself connect {name}",
                "connect",
                fields,
            )


def _connected(home: Home, caller: Caller) -> frozenset[str] | None:
    """The connected clients; None if this installation cannot connect any."""
    try:
        connect = get_operation("connect")
    except NotFound:
        return None
    report = connect(home, caller, connect.request(client="status"))
    return frozenset(one.client for one in report.clients if one.state == "connected")


def _is_program(name: str, variables: Mapping[str, str]) -> bool:
    folders = variables.get("PATH", os.defpath).split(os.pathsep)
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in folders if os.path.isabs(folder))


def _review(home: Home, agent: str) -> Iterator[Offer]:
    with make_runtime(agent, environ=home.environ) as runtime:
        if any(job.name == WEEKLY["name"] for job in runtime.schedule.jobs.every()):
            return
    words = " ".join(f'--{name} "{value}"' for name, value in WEEKLY.items())
    question = "Ask you every Friday at 18:00 which notes to keep for good?"
    yield Offer(
        "review", question, True, f"everself cron add {words} --announce", "cron.add", {**WEEKLY, "announce": "yes"}
    )
