"""S15, as far as prompts and search go: canaries of agents and people. None reaches a session that may not see it, of any kind.

Which canary belongs where is kept apart from the code under test: `may_see` is written from the promise, not from `recall.sharing`.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.trust.mcp_calls import call_over_mcp, read_over_mcp

from everself.agent import open_runtime
from everself.config.sections import ContextProfile
from everself.conversation.context.assembler import Assembler, Prompt
from everself.conversation.context.request import PromptRequest
from everself.conversation.loop import MOST_STEPS
from everself.conversation.tools.calls import MOST_AT_ONCE
from everself.errors import NotFound
from everself.interfaces.http.access import Access
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import FakeModel, call
from everself.testing.frozen_time import FrozenTime

PEOPLE = ("jun", "mia", "bo")
STRANGER = "stranger"
TODAY, YESTERDAY = "2026-03-19", "2026-03-18"
LABELLED = ("SOUL.md", "USER.md", "MEMORY.md", f"memory/{TODAY}.md", "bank/world.md", "memory/garden.md")
EVERYONE = ("AGENTS.md", "TOOLS.md")
OWNERS = (
    *("SOUL.md", "USER.md", "MEMORY.md", "CORRECTIONS.md", f"memory/{TODAY}.md", f"memory/{YESTERDAY}.md"),
    *("memory/2026-01-02.md", "memory/garden.md", "bank/world.md", "projects/boat/MEMORY.md", "notes/board.md"),
    *(f"memory/{TODAY}-talk.md", "Archive/Chronicles/2025-May.md"),
)
RUNS = ("HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md")
NOBODYS = (
    "SOUL_EVIL.md",
    "SOUL_TESTS.md",
    "CHANGELOG.md",
    "CONFLICTS.md",
    "agents/miner/SOUL.md",
    f"quarantine/{TODAY}.md",
)
PERSONAL = ("USER.md", "MEMORY.md", f"memory/{TODAY}.md", "memory/2026-01-02.md")
LET_IN = ("group", "subagent", "guest")


@dataclass(frozen=True)
class Canary:
    """A word that stands in one place. `label` is the kind that its section is labelled for, if any."""

    word: str
    agent: str
    path: str
    label: str = ""


@dataclass
class Aviary:
    """Agents in one home, and every canary in their files."""

    home: Path
    random: Random
    agents: list[str]
    canaries: list[Canary] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.home), "EVERSELF_HOME": f"{self.home}/e", "EVERSELF_KEYS": f"{self.home}/k"}

    def workspace(self, agent: str) -> Path:
        return self.home / f"ws-{agent}"

    def hatch(self, agent: str, path: str, label: str = "") -> str:
        word = f"canary{len(self.canaries)}q{self.random.randrange(10**6)}"
        self.canaries.append(Canary(word, agent, path, label))
        return word

    def fill(self) -> None:
        listed = [{"id": agent, "workspace": str(self.workspace(agent))} for agent in self.agents]
        told = {
            "agents": {"list": listed},
            "external_context_budget": 200,
            "external_context_source": "notes/board.md",
        }
        (self.home / "e").mkdir()
        (self.home / "e" / "everself.json5").write_text(json.dumps(told), "utf-8")
        for agent in self.agents:
            mine = [f"users/{person}/{name}" for person in PEOPLE for name in PERSONAL]
            for path in (*EVERYONE, "IDENTITY.md", *OWNERS, *RUNS, *NOBODYS, *mine):
                self.write(agent, path)

    def write(self, agent: str, path: str) -> None:
        parts = [f"# Title\n\n- The parrot says {self.hatch(agent, path)}.\n"]
        if path in LABELLED:
            label = self.random.choice(LET_IN)
            said = self.hatch(agent, path, label)
            mark = self.random.choice(("<!-- share: {} -->", "<!--share:{}-->", "<!-- share: nobody, {} -->")).format(
                label
            )
            parts.append(f"## Shared\n{mark}\n\n- The parrot says {said}.\n")
            parts.append(f"## After\n\n- The parrot says {self.hatch(agent, path)}.\n")
        if path.startswith("users/"):
            # a label of one person's gives nothing away to others
            parts.append(
                f"## Mine\n<!-- share: group, guest, subagent -->\n\n- The parrot says {self.hatch(agent, path)}.\n"
            )
        end = self.random.choice(("\n", "\n", "\r\n"))
        target = self.workspace(agent) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes("\n".join(parts).replace("\n", end).encode())

    def add(self, agent: str, path: str) -> None:
        """Somebody writes while a conversation runs."""
        target = self.workspace(agent) / path
        with target.open("a", encoding="utf-8") as file:
            file.write(f"\n# Later\n\n- The parrot says {self.hatch(agent, path)}.\n")


def may_see(canary: Canary, agent: str, kind: SessionKind, person: str | None) -> bool:
    """What product §1.6 promises, in the order in which it stands there."""
    if canary.agent != agent:
        return False
    owner = kind in (SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT) and person is None
    if owner:
        beating = kind is not SessionKind.MAIN
        return canary.path not in (*NOBODYS, *RUNS) or (canary.path == "HEARTBEAT.md" and beating)
    if canary.path in EVERYONE:
        return True
    if canary.path == "IDENTITY.md":
        return kind is not SessionKind.SUBAGENT
    private = kind not in (SessionKind.GROUP, SessionKind.SUBAGENT)
    if canary.path.startswith("users/"):
        return private and canary.path.split("/")[1] == person
    # whoever writes as somebody is a guest, whatever the kind of the session is called
    return canary.label == ("guest" if private else kind.value)


def scopes() -> Iterator[tuple[SessionKind, str | None]]:
    for kind in SessionKind:
        yield kind, None
        yield kind, "jun"
    yield SessionKind.GUEST, STRANGER


@contextmanager
def opened(aviary: Aviary, agent: str) -> Iterator[Runtime]:
    with open_runtime(agent, environ=aviary.environ) as app:
        vars(app)["clock"] = FrozenTime().clock()
        vars(app)["embedder"] = None
        yield app


@dataclass
class Tally:
    prompts: int = 0
    searches: int = 0
    talks: int = 0
    calls: int = 0
    seen: int = 0


def judge(aviary: Aviary, text: str, agent: str, scope: tuple[SessionKind, str | None], where: str) -> int:
    kind, person = scope
    seen = [one for one in aviary.canaries if one.word in text]
    for one in seen:
        assert may_see(one, agent, kind, person), f"{one.path} of {one.agent} in {where} of {agent}, {kind}/{person}"
    return len(seen)


def visit(aviary: Aviary, agent: str, tally: Tally) -> None:
    """Every kind of session, every layout of a prompt, with a message that asks for the canaries by name."""
    with opened(aviary, agent) as app:
        inputs = app.prompt_inputs()
        for number, (kind, person) in enumerate(scopes()):
            for profile in ContextProfile:
                assembler = Assembler(replace(inputs, limits=replace(inputs.limits, profile=profile)))
                wanted = aviary.random.sample(aviary.canaries, min(30, len(aviary.canaries)))
                message = "What does the parrot say? " + " ".join(one.word for one in wanted)
                ask = PromptRequest(Scope(kind, person), message, recorded=False)
                first = assembler.assemble(ask)
                for _ in range(2):
                    aviary.add(agent, aviary.random.choice([*OWNERS, *RUNS, "AGENTS.md", "users/mia/MEMORY.md"]))
                second = assembler.assemble(replace(ask, prefix=first.prefix, turn=1))
                assert second.prefix.text == first.prefix.text
                for made in (first, second):
                    tally.seen += look(aviary, made, agent, (kind, person))
                    tally.prompts += 1
            tally.searches += search(aviary, app, agent, (kind, person))
            tally.calls += call_tools(aviary, app, agent, (kind, person))
            # a talk costs as much as all else: of four agents each has a quarter of them
            if number % 4 == aviary.agents.index(agent) % 4:
                tally.talks += talk(aviary, app, agent, (kind, person))


def call_tools(aviary: Aviary, app: Runtime, agent: str, scope: tuple[SessionKind, str | None]) -> int:
    """What a client with such a token is told over MCP: by every tool that reads, and every resource."""
    access = Access("t", agent, Scope(*scope), False)
    wanted = aviary.random.sample(aviary.canaries, 2)
    paths = aviary.random.sample([*EVERYONE, *OWNERS, *RUNS, *NOBODYS, "users/jun/MEMORY.md", "users/mia/USER.md"], 4)
    days = (f"everself://day/{one}" for one in (TODAY, YESTERDAY))
    entries = (f"everself://entry/{one.id}" for one in aviary.random.sample(list(app.memory.catalog.all()), 3))
    told = [
        *(
            call_over_mcp(app, "memory_search", {"query": f"parrot {one.word}", "maxResults": 20}, access)
            for one in wanted
        ),
        *(call_over_mcp(app, "memory_get", {"path": one}, access) for one in paths),
        call_over_mcp(app, "context", {"message": "What does the parrot say?"}, access),
        *(read_over_mcp(app, uri, access) for uri in ("everself://soul", "everself://memory", *days, *entries)),
    ]
    judge(aviary, "\n".join(told), agent, scope, "an answer over MCP")
    return len(told)


def look(aviary: Aviary, made: Prompt, agent: str, scope: tuple[SessionKind, str | None]) -> int:
    kind, person = scope
    seen = judge(aviary, made.text, agent, scope, "the prompt")
    judge(aviary, repr(made.receipt), agent, scope, "the receipt")
    given = {one.path for one in aviary.canaries if one.agent == agent and one.word in made.text}
    assert set(EVERYONE) <= given, f"{agent}, {kind}/{person}: the rules are missing"
    if kind is SessionKind.MAIN and person is None:
        assert "SOUL.md" in given, "the owner is not told who speaks"
    if person is not None and kind not in (SessionKind.GROUP, SessionKind.SUBAGENT):
        others = [other for other in PEOPLE if other != person]
        assert not any(f"users/{other}" in repr(made.receipt) for other in others), f"{person} learns of others"
    return seen


def search(aviary: Aviary, app: Runtime, agent: str, scope: tuple[SessionKind, str | None]) -> int:
    kind, person = scope
    found = app.recall.search(
        RecallRequest("What does the parrot say?", limit=200, scope=Scope(kind, person), recorded=False)
    )
    judge(aviary, repr(found.hits), agent, scope, "a search")
    for path in {one.path for one in aviary.canaries}:
        try:
            hit = app.recall.get(path, Scope(kind, person))
        except NotFound:
            continue
        judge(aviary, hit.text, agent, scope, f"the lines of {path}")
    return 1


def may_read(canary: Canary, agent: str, kind: SessionKind, person: str | None) -> bool:
    """What a conversation may see beside its prompt: the owner's reads the owner's files, a sub-agent plain files that are nobody's."""
    if canary.agent == agent and kind is SessionKind.SUBAGENT and canary.path == "notes/board.md":
        return True
    owner = kind in (SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT) and person is None
    if owner and canary.agent == agent:
        return not canary.path.startswith("quarantine/")
    return may_see(canary, agent, kind, person)


def talk(aviary: Aviary, app: Runtime, agent: str, scope: tuple[SessionKind, str | None]) -> int:
    """A whole turn with a model that asks for everything that it can name, and sends sub-agents to do the same."""
    kind, person = scope
    paths = sorted({one.path for one in aviary.canaries})
    asked = [call("memory_search", query="What does the parrot say?", maxResults=50)]
    asked += [call(name, path=path) for path in paths for name in ("file_read", "memory_get")]
    steps = [asked[at : at + MOST_AT_ONCE] for at in range(0, len(asked), MOST_AT_ONCE)][: MOST_STEPS - 2]
    model = FakeModel(*steps, [call("spawn", task="What does the parrot say?")], *steps, "All of it.", "Enough.")
    app.chat.use(model)
    session = app.chat.begin(Scope(kind, person), "test")

    async def run() -> None:
        async for _ in app.chat.converse(session, "What does the parrot say?", person or ""):
            pass

    asyncio.run(run())
    assert len(model.requests) > len(steps), "the model did not get to its end"
    if kind is SessionKind.MAIN and person is None:
        assert any("Session: subagent" in one.delta for one in model.requests), "no sub-agent was sent"
    for request in model.requests:
        sub = "Session: subagent" in request.delta
        shown = (SessionKind.SUBAGENT, None) if sub else scope
        text = f"{request.prefix}{request.delta}{request.turns}"
        for one in aviary.canaries:
            if one.word in text:
                assert may_read(one, agent, *shown), f"{one.path} of {one.agent} in a talk of {agent}, {shown}"
    return 1


def run_s15(count: int, seed: int) -> str:
    tally = Tally()
    with TemporaryDirectory() as top:
        aviary = Aviary(Path(top), Random(seed), [f"agent{number}" for number in range(count)])
        aviary.fill()
        try:
            for agent in aviary.agents:
                visit(aviary, agent, tally)
        except AssertionError as error:
            raise AssertionError(f"S15 seed {seed}: {error}") from error
    return (
        f"S15 {count} agents, {len(aviary.canaries)} canaries, {tally.prompts} prompts, {tally.searches} searches, "
        f"{tally.talks} talks, {tally.calls} calls over MCP, {tally.seen} lawful sightings, 0 foreign, seed {seed}"
    )
