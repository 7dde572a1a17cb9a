"""S7 over conversations and days: random chains of verbs, compared with a reference model of the lattice.

Facts come in from sources of every kind, each with a mark that no other has. Then models read, write, combine, file, summarise, note,
promote, mine, chronicle and put them away, by day and by night, over weeks. A model uses the marks that it reads and no others, and
lies about whose words they are. The reference knows no code: what holds the marks of some facts is worth the least of their sources at
most, and no more than the agent's own where a model worded it.
"""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.conversation.talks import hear, talking
from tests.operations.promotions import promote as promote_by_rules
from tests.trust.hook_events import tell_hook, write_transcript
from tests.trust.mcp_calls import call_over_mcp, type_prompt
from tests.trust.nights import KEEPERS, Sleepwalker, keep
from tests.trust.rows.s06_doors import SMALL, Scene
from tests.trust.worlds import find_memory

from everself.conversation.sessions.client_sessions import TranscriptReader
from everself.conversation.sessions.session import Session
from everself.errors import EverselfError
from everself.keepers.compactor import Compactor
from everself.keepers.execution import ActionExecutor
from everself.keepers.keeper import MoveTo, Planned
from everself.keepers.miner import Miner
from everself.memory.writing import NewEntry
from everself.models.chat.protocol import ChatRequest, ModelTurn, ReplyCall
from everself.operations.promotion import PromoteRequest
from everself.runtime import Runtime
from everself.storage.host_files import read_lines
from everself.testing.chat_model import Answer, FakeModel, Step, call
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of

# the reference: a lattice of its own
ORDER = {"web": 0, "tool": 0, "import": 1, "person": 2, "agent": 3, "hand": 4, "owner": 5, "correction": 5}
SOURCES = ("web", "tool", "import", "person:jun", "agent", "owner")
MARKS = ("quillon", "bastrel", "vorpine", "hesker")
# what passes after a step; what stands in a day is put away after a month
PAUSES = (timedelta(minutes=5), timedelta(hours=20), timedelta(hours=30), timedelta(days=40))
HUMANS_OWN = ("SOUL.md", "USER.md", "AGENTS.md")


def worth(source: str) -> int:
    return ORDER[source.partition(":")[0]]


def marks_in(text: str) -> tuple[str, ...]:
    """The marks that somebody tells of: a search that repeats its query tells nothing."""
    folded = text.casefold()
    return tuple(one for one in MARKS if f"the {one}" in folded)


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

    def looks(self, marks: tuple[str, ...]) -> list[ReplyCall]:
        return [call("memory_search", query=one, maxResults=20) for one in marks]

    def tell(self, make: Callable[[str], Answer], silent: Answer = "Nothing.") -> Step:
        """A step of a model that uses what it has read, and nothing where it has read nothing."""

        def step(request: ChatRequest) -> Answer:
            seen = read_in(request)
            return make(self.words(seen)) if seen else silent

        return step

    def use(self, *steps: Step, window: int = 128_000) -> FakeModel:
        model = FakeModel(*steps, name="chain/1", window=window)
        self.app.chat.use(model)
        return model

    def talk(self, session: Session, *steps: Step, said: str = "And?") -> tuple[str, ...]:
        """What the model read in it. It says at the end what it knows."""
        model = self.use(*steps, self.tell(lambda words: f"I found that. {words}"))
        asyncio.run(hear(self.app, said, session))
        seen = tuple(dict.fromkeys(one for each in model.requests for one in read_in(each)))
        self.hold(session, seen)
        return seen

    def hold(self, session: Session, seen: tuple[str, ...]) -> None:
        """What a conversation has read taints it, as the reference has it."""
        outside = [self.truth[one] for one in seen if worth(self.truth[one]) < ORDER["agent"]]
        found = self.app.log.fresh(session).taint
        if outside:
            assert found != "own", f"{seen} were read and the conversation is clean"
            assert worth(found) <= min(map(worth, outside)), (found, outside)


def read_in(request: ChatRequest) -> tuple[str, ...]:
    # its own words are nothing that it was told
    heard = [turn for turn in request.turns if not isinstance(turn, ModelTurn)]
    return marks_in(f"{request.prefix} {request.delta} {heard}")


def write(chain: Chain, marks: tuple[str, ...]) -> None:
    chain.talk(
        chain.app.chat.begin(),
        chain.looks(marks),
        chain.tell(lambda words: [call("memory_write", content=words, explicit=True)]),
        said="Remember what you find.",
    )


def note(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    chain.talk(session, chain.looks(marks))
    chain.use(chain.tell(lambda words: f"some name\n{words}", "some name\nThey talked."))
    asyncio.run(chain.app.chat.renew(session))


def compact(chain: Chain, marks: tuple[str, ...]) -> None:
    session = chain.app.chat.begin()
    chain.talk(session, chain.looks(marks))
    asyncio.run(hear(chain.app, "And then? " * 200, session))
    chain.use(chain.tell(lambda words: words, "They talked."), window=SMALL)
    made = asyncio.run(chain.app.chat.compact(session, "overflow"))
    assert made.session.compacted, "nothing became a summary"
    chain.talk(session, chain.tell(lambda words: [call("memory_write", content=words)]))


def put_down(chain: Chain, marks: tuple[str, ...]) -> None:
    path = f"plain-{chain.number}.txt"
    seen = chain.talk(
        chain.app.chat.begin(),
        chain.looks(marks),
        chain.tell(lambda words: [call("file_write", path=path, content=words)]),
    )
    if seen:
        chain.files[path] = seen


def pick_up(chain: Chain, marks: tuple[str, ...]) -> None:
    if not chain.files:
        put_down(chain, marks)
    for path in list(chain.files)[-1:]:
        chain.talk(
            chain.app.chat.begin(),
            [call("file_read", path=path)],
            chain.tell(lambda words: [call("memory_write", content=words)]),
        )


def edit(chain: Chain, marks: tuple[str, ...]) -> None:
    """Straight into documents of memory, as files."""
    chain.talk(
        chain.app.chat.begin(),
        chain.looks(marks),
        chain.tell(
            lambda words: [
                call("file_edit", path="MEMORY.md", old="# ", new=f"- {words}\n\n# "),
                call("file_write", path=f"memory/page-{chain.number}.md", content=f"# Page\n\n- {words}\n"),
                call("file_write", path="MEMORY.md", content=f"# Memory\n\n- {words}\n"),
            ]
        ),
    )


def keep_file(chain: Chain, marks: tuple[str, ...]) -> None:
    """Into a file by Anthropic's memory tool: as an entry, a heading and a text that becomes Markdown."""
    name = f"/memories/file-{chain.number}"
    chain.talk(
        chain.app.chat.begin(),
        chain.looks(marks),
        chain.tell(
            lambda words: [
                call("memory", command="create", path=f"{name}.md", file_text=f"# {words}\n\n- {words}\n"),
                call("memory", command="create", path=f"{name}.txt", file_text=f"{words}\n"),
            ]
        ),
    )


def take_file(chain: Chain, marks: tuple[str, ...]) -> None:
    """Out of such a file in a conversation that has read nothing: by an edit, by another name, by a look."""
    del marks
    files = [
        one.path for one in chain.app.workspace.list("memory") if "/file-" in one.path and "archive" not in one.path
    ]

    def told(words: str, moved: str) -> list[ReplyCall]:
        return [call("memory_write", content=words), call("memory", command="delete", path=moved)]

    for path in files[-2:]:
        name = path.replace("memory/", "/memories/", 1)
        moved = f"{name.rpartition('.')[0]}-{chain.number}.md"
        chain.talk(
            chain.app.chat.begin(),
            [
                call("memory", command="str_replace", path=name, old_str="\n\n- ", new_str="\n\nIt is so: "),
                call("memory", command="str_replace", path=name, old_str="# ", new_str="\n\nAlso: "),
                call("memory", command="rename", old_path=name, new_path=moved),
            ],
            [call("memory", command="view", path=moved)],
            chain.tell(partial(told, moved=moved)),
        )


def promote(chain: Chain, marks: tuple[str, ...]) -> None:
    hands = ActionExecutor(chain.app.memory, None, "weekly-review")
    for one in list(chain.app.memory.catalog.all()):
        if any(mark in one.text for mark in marks) and one.path.startswith("memory/"):
            hands.do(Planned(MoveTo(one.id, "MEMORY.md"), (f"entry:{one.id}",), "wanted"))
    promote_by_rules(chain.app, PromoteRequest(days=60), present=False)


def liar(chain: Chain) -> FakeModel:
    """The model of a keeper: it tells what it reads, and names what looks most like the owner as its evidence."""

    def reads(text: str) -> list[str]:
        seen = marks_in(text)
        return [chain.words(seen)] if seen else []

    return FakeModel(Sleepwalker(reads), name="chain/1")


def mine(chain: Chain, marks: tuple[str, ...]) -> None:
    """Two conversations, of which one has read nothing."""
    chain.talk(chain.app.chat.begin(), said="I went for a walk.")
    chain.talk(chain.app.chat.begin(), chain.looks(marks))
    keep(chain.app, [Miner()], liar(chain))


def sleep(chain: Chain, marks: tuple[str, ...]) -> None:
    del marks
    keep(chain.app, [make() for make in KEEPERS], liar(chain))


def put_away(chain: Chain, marks: tuple[str, ...]) -> None:
    del marks
    chain.scene.time.advance(PAUSES[-1])
    keep(chain.app, [Compactor()], liar(chain))


def guess(chain: Chain, marks: tuple[str, ...]) -> None:
    """A model that lies about whose words they are."""
    ids = [one.id for one in chain.app.memory.catalog.all() if any(mark in one.text for mark in marks)][:4]
    chain.talk(
        chain.app.chat.begin(),
        chain.looks(marks),
        chain.tell(
            lambda words: [
                *(call("memory_correct", old=one, new=words) for one in ids),
                call("memory_write", content=words, category="correction"),
            ]
        ),
    )


def pass_on(chain: Chain, marks: tuple[str, ...]) -> None:
    """The model of another program finds something and writes it down again, as if the owner had said it."""
    found = "".join(call_over_mcp(chain.app, "memory_search", {"query": one, "maxResults": 20}) for one in marks)
    if seen := marks_in(found):
        words = chain.words(seen)
        type_prompt(chain.app, "And?")
        call_over_mcp(chain.app, "memory_write", {"content": words, "explicit": True, "key": words})
        for one in [each.id for each in chain.app.memory.catalog.all() if any(mark in each.text for mark in seen)][:4]:
            call_over_mcp(chain.app, "memory_correct", {"old": one, "new": words})


def hear_back(chain: Chain, marks: tuple[str, ...]) -> None:
    """A hook recalls something for a prompt of the owner's; it comes back in the program's transcript, and its model says it as well."""
    session = f"s{len(chain.app.log.list())}"
    found = "".join(
        tell_hook(chain.app, "prompt", session, prompt=f"Where is the {one}?", id=one).text for one in marks
    )
    if seen := marks_in(found):
        with tempfile.TemporaryDirectory(dir=find_memory()) as folder:
            strange = f"{found}\n\n{chain.words(seen)}"
            file = write_transcript(Path(folder), "claude-code", session, "And?", strange)
            tell_hook(chain.app, "note", session, transcript=str(file))
            TranscriptReader(chain.app.log, read_lines).take_in_all()
        keep(chain.app, [Miner()], liar(chain))


VERBS = (
    write,
    note,
    compact,
    put_down,
    pick_up,
    edit,
    promote,
    mine,
    sleep,
    put_away,
    guess,
    pass_on,
    keep_file,
    take_file,
    hear_back,
)
Steps = list[tuple[int, frozenset[str], int]]


def judge(chain: Chain) -> int:
    """How many entries were compared with the reference."""
    entries = chain.app.memory.catalog.all()
    for one in entries:
        marks = [mark for mark in MARKS if mark in one.text]
        if not marks:
            continue
        bound = min(worth(chain.truth[mark]) for mark in marks)
        if "Number " in one.text:
            bound = min(bound, ORDER["agent"])
        trust = chain.app.memory.trust(one)
        assert worth(trust) <= bound, (
            f"{one.text!r} in {one.path} is {trust}, and rests on {[chain.truth[m] for m in marks]}"
        )
        if bound < ORDER["agent"]:
            assert one.path != "MEMORY.md", f"{one.text!r} stands in every prompt"
    for path in HUMANS_OWN:
        found = chain.app.workspace.find(path)
        assert found is not None
        # a keeper may word a line for the soul from what the owner said
        foreign = [one for one in marks_in(found.data.decode()) if worth(chain.truth[one]) < ORDER["owner"]]
        assert not foreign, f"{path} learned of {foreign}"
    return len(entries)


def live(truth: dict[str, str], steps: Steps) -> int:
    time = FrozenTime()
    with (
        tempfile.TemporaryDirectory(prefix="everself-s07-", dir=find_memory()) as top,
        talking(Path(top), host={"soul": {"policy": "evolve"}}, time=time) as (app, _),
    ):
        chain = Chain(Scene(app, time), truth)
        for mark, source in truth.items():
            app.memory.remember(NewEntry(f"The {mark} is kept in the shed.", origin_of(source)))
        compared = 0
        for verb, marks, pause in steps:
            try:
                VERBS[verb](chain, tuple(sorted(marks)))
            except EverselfError as error:
                raise AssertionError(f"{VERBS[verb].__name__} broke: {error}") from error
            compared = judge(chain)
            time.advance(PAUSES[pause])
        return compared


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
            st.tuples(
                st.integers(0, len(VERBS) - 1),
                st.frozensets(st.sampled_from(MARKS), min_size=1, max_size=2),
                st.integers(0, len(PAUSES) - 1),
            ),
            min_size=2,
            max_size=length,
        ),
    )
    def walk(truth: dict[str, str], steps: Steps) -> None:
        nonlocal compared
        try:
            compared += live(truth, steps)
        except AssertionError as error:
            names = [f"{VERBS[verb].__name__}{sorted(marks)}+{PAUSES[pause]}" for verb, marks, pause in steps]
            raise AssertionError(f"S7 chains, seed {number}, {truth}, after {' '.join(names)}: {error}") from error

    walk()
    return f"S7 chains: {count} chains, {compared} entries compared, 0 elevations, seed {number}"
