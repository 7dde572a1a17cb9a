"""S7 over conversations and days: random chains of verbs, compared with a reference model of the lattice.

Facts come in from sources of every kind, each with a mark that no other has. Then a model reads, writes, combines, files, summarises,
notes, promotes and mines them, in sessions of several days. The reference knows no code: what holds the marks of some facts is worth the
least of their sources at most, and no more than the agent's own where a model worded it.
"""

import asyncio
import json
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.conversation.talks import hear, talking
from tests.trust.rows.s06_doors import SMALL, Scene

from everself.conversation.sessions.session import Session
from everself.errors import EverselfError
from everself.keepers.execution import Deeds, Hands
from everself.keepers.keeper import MoveTo, Planned
from everself.keepers.miner import Miner
from everself.keepers.opening import move
from everself.keepers.runner import Runner
from everself.memory.writing import Thought
from everself.models.chat.protocol import CallPiece
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel, call
from everself.testing.origins import origin_of

# the reference: a lattice of its own
ORDER = {"web": 0, "tool": 0, "import": 1, "person": 2, "agent": 3, "hand": 4, "owner": 5, "correction": 5}
SOURCES = ("web", "tool", "import", "person:jun", "agent", "owner")
MARKS = ("quillon", "bastrel", "vorpine", "hesker")


def worth(source: str) -> int:
    return ORDER[source.partition(":")[0]]


@dataclass
class Chain:
    scene: Scene
    truth: dict[str, str]
    number: int = 0
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def app(self) -> Runtime:
        return self.scene.app

    def words(self, marks: tuple[str, ...]) -> str:
        self.number += 1
        return f"Number {self.number} concerns the {' and the '.join(marks)}."

    def looks(self, marks: tuple[str, ...]) -> list[CallPiece]:
        return [call("memory_search", query=one, maxResults=20) for one in marks]

    def hold(self, session: Session, marks: tuple[str, ...]) -> None:
        """What a conversation has read taints it, as the reference has it."""
        outside = [self.truth[one] for one in marks if worth(self.truth[one]) < ORDER["agent"]]
        found = self.app.log.fresh(session).taint
        if outside:
            assert found != "own", f"{marks} were read and the conversation is clean"
            assert worth(found) <= min(map(worth, outside)), (found, outside)


def talk(chain: Chain, session: Session, *steps: object) -> None:
    chain.app.chat.use(FakeModel(*steps, "All right.", name="chain/1"))  # type: ignore[arg-type]
    asyncio.run(hear(chain.app, "And?", session))


def write(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    talk(chain, session, chain.looks(marks), [call("memory_write", content=chain.words(marks), explicit=True)])
    chain.hold(session, marks)


def note(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    talk(chain, session, chain.looks(marks))
    chain.app.chat.use(FakeModel(f"some name\n{chain.words(marks)}", name="chain/1"))
    asyncio.run(chain.app.chat.renew(session))


def compact(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    talk(chain, session, chain.looks(marks))
    asyncio.run(hear(chain.app, "And then? " * 200, session))
    chain.app.chat.use(FakeModel(chain.words(marks), name="chain/1", window=SMALL))
    made = asyncio.run(chain.app.chat.compact(session, "overflow"))
    assert made.session.compacted, "nothing became a summary"
    talk(chain, session, [call("memory_write", content=chain.words(marks))])
    chain.hold(session, marks)


def put_down(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    path, words = f"plain-{chain.number}.txt", chain.words(marks)
    talk(chain, session, chain.looks(marks), [call("file_write", path=path, content=words)])
    chain.files[path] = marks


def pick_up(chain: Chain, marks: tuple[str, ...]) -> None:
    if not chain.files:
        put_down(chain, marks)
    path, held = list(chain.files.items())[-1]
    session = chain.app.chat.begin()
    talk(chain, session, [call("file_read", path=path)], [call("memory_write", content=chain.words(held))])
    chain.hold(session, held)


def promote(chain: Chain, marks: tuple[str, ...]) -> None:
    hands = Hands(chain.app.memory, Deeds(move=move), "weekly-review")
    for one in list(chain.app.memory.book.all()):
        if any(mark in one.text for mark in marks) and one.path.startswith("memory/"):
            hands.do(Planned(MoveTo(one.id, "MEMORY.md"), (f"entry:{one.id}",), "wanted"))


def mine(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    talk(chain, session, chain.looks(marks))
    ids = [one.id for one in chain.app.log.messages(session) if one.role != "tool"]
    said = {"memories": [{"text": chain.words(marks), "kind": "knowledge", "messages": ids[:2]}]}
    model = FakeModel(json.dumps(said), name="chain/1")
    sources = replace(chain.app.keepers._sources, model=lambda: model)
    asyncio.run(Runner(sources).run(Miner()))


def guess(chain: Chain, marks: tuple[str, ...]) -> None:
    """A model that lies about whose words they are."""
    session = chain.app.chat.begin()
    ids = [one.id for one in chain.app.memory.book.all() if any(mark in one.text for mark in marks)]
    tries = [call("memory_correct", old=one, new=chain.words(marks)) for one in ids[:4]]
    talk(
        chain,
        session,
        chain.looks(marks),
        [*tries, call("memory_write", content=chain.words(marks), category="correction")],
    )


VERBS = (write, note, compact, put_down, pick_up, promote, mine, guess)


def judge(chain: Chain) -> int:
    """How many entries were compared with the reference."""
    entries = chain.app.memory.book.all()
    for one in entries:
        marks = [mark for mark in MARKS if mark in one.text]
        if not marks:
            continue
        bound = min(worth(chain.truth[mark]) for mark in marks)
        if one.text.startswith("Number "):
            bound = min(bound, ORDER["agent"])
        trust = chain.app.memory.trust(one)
        assert worth(trust) <= bound, (
            f"{one.text!r} in {one.path} is {trust}, and rests on {[chain.truth[m] for m in marks]}"
        )
        if bound < ORDER["agent"]:
            assert one.path != "MEMORY.md", f"{one.text!r} stands in every prompt"
    return len(entries)


def live(truth: dict[str, str], steps: list[tuple[int, frozenset[str]]]) -> int:
    with tempfile.TemporaryDirectory(prefix="everself-s07-") as top, talking(Path(top)) as (app, _):
        chain = Chain(Scene(app), truth)
        for mark, source in truth.items():
            app.memory.remember(Thought(f"The {mark} is kept in the shed.", origin_of(source)))
        for verb, marks in steps:
            try:
                VERBS[verb](chain, tuple(sorted(marks)))
            except EverselfError as error:
                raise AssertionError(f"{VERBS[verb].__name__} broke: {error}") from error
        return judge(chain)


def run_s7_chains(count: int, number: int, length: int = 6) -> str:
    compared = 0

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(
        st.fixed_dictionaries({mark: st.sampled_from(SOURCES) for mark in MARKS}),
        st.lists(
            st.tuples(st.integers(0, len(VERBS) - 1), st.frozensets(st.sampled_from(MARKS), min_size=1, max_size=2)),
            min_size=2,
            max_size=length,
        ),
    )
    def walk(truth: dict[str, str], steps: list[tuple[int, frozenset[str]]]) -> None:
        nonlocal compared
        try:
            compared += live(truth, steps)
        except AssertionError as error:
            names = [f"{VERBS[verb].__name__}{sorted(marks)}" for verb, marks in steps]
            raise AssertionError(f"S7 chains, seed {number}, {truth}, after {' '.join(names)}: {error}") from error

    walk()
    return f"S7 chains: {count} chains, {compared} entries compared, 0 elevations, seed {number}"
