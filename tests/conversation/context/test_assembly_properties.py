"""Whatever the files hold and whatever the budgets are: never over the limit, the soul whole, every gap named, the prefix unmoved."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conversation.context.tables import BEFORE, TODAY, YESTERDAY, Table, hit, profile, tokens_of

from everself.config.sections import Tunables
from everself.conversation.context.assembler import Prompt
from everself.conversation.context.budget import SLOTS, Slot
from everself.conversation.context.request import HEADROOM
from everself.errors import ContextTooSmall
from everself.search.scopes import SessionKind

# many small steps add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

DOCUMENTS = ("USER.md", "MEMORY.md", "CORRECTIONS.md", TODAY, YESTERDAY, BEFORE, "AGENTS.md", "TOOLS.md", "IDENTITY.md")
WORDS = (
    "bees",
    "tea",
    "蜂蜜",
    "the gate",
    "Ünder",
    "🐝",
    "```",
    "<!-- x -->",
    "# no",
    "---",
    "~~~",
    "a" * 90,
    "ferry at 7:40",
)


@st.composite
def documents(draw: st.DrawFn, name: str) -> str:
    """Entries that can be told apart: each begins with a word of its own."""
    lines = [f"# {name}", ""]
    for at in range(draw(st.integers(0, 25))):
        if draw(st.booleans()):
            lines += ["", f"## Part {at}", ""]
        words = " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=12)))
        lines.append(f"- {mark(name, at)} {words}")
    return "\n".join(lines) + "\n"


def mark(name: str, at: int) -> str:
    return f"{name.replace('/', '').replace('-', '').replace('.', '')}x{at}x"


@st.composite
def tables(draw: st.DrawFn) -> Table:
    files = {name: draw(documents(name)) for name in DOCUMENTS if draw(st.integers(0, 5))}
    files["SOUL.md"] = "# Soul\n\n" + "Be kind to bees. " * draw(st.integers(1, 120))
    tokens = st.integers(0, 900)
    tunables = replace(
        Tunables(),
        context_budget_tokens=draw(st.integers(100, 4_000)),
        identity_tokens=draw(tokens),
        user_profile_tokens=draw(tokens),
        corrections_tokens=draw(tokens),
        recent_memory_tokens=draw(tokens),
        semantic_recall_tokens=draw(tokens),
        longterm_memory_tokens=draw(tokens),
    )
    hits = tuple(hit(f"found {at} " + "honey " * draw(st.integers(1, 60)), line=at) for at in range(1, 8))
    name = draw(st.sampled_from(["budget", "budget", "layered", "verbatim"]))
    limits = profile(name, file_chars=draw(st.integers(2_500, 9_000)), total_chars=draw(st.integers(2_500, 20_000)))
    return Table(files, tunables, limits, hits)


def check(table: Table, made: Prompt, window: int | None, other: int) -> None:
    receipt = made.receipt
    assert made.text.startswith(table.files["SOUL.md"].strip())
    assert receipt.memory <= receipt.memory_limit <= max(table.tunables.context_budget_tokens, 0)
    assert all(use.tokens <= use.given for use in receipt.slots)
    assert sum(use.given for use in receipt.slots) <= receipt.memory_limit
    assert abs(tokens_of(made.text) - receipt.total) <= 2
    if window is not None:
        assert receipt.total <= window - HEADROOM - other
    order = {slot: at for at, slot in enumerate(SLOTS)}
    assert all(order[one.giver] > order[one.taker] for one in receipt.stolen)
    gone = {(one.path, line) for one in receipt.omissions for line in range(one.lines[0], one.lines[1] + 1)}
    for name, text in table.files.items():
        # three days back is what the layered profile looks at, and the others do not
        if name in ("SOUL.md", BEFORE):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("- "):
                shown = line.split()[1] in made.text
                assert shown != ((name, number) in gone), f"{name}#L{number} shown: {shown}"


def _limits(table: Table, window: int | None, other: int) -> None:
    try:
        made = table.assemble(message="honey?", window=window, other=other)
    except ContextTooSmall:
        return
    check(table, made, window, other)


def _stays(table: Table, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(SessionKind)))
    try:
        first = table.assemble(kind, message="honey?")
    except ContextTooSmall:
        return
    prefix = first.prefix
    for turn in range(1, 4):
        path = data.draw(st.sampled_from([*DOCUMENTS, "SOUL.md"]))
        canary = f"canary{turn}x"
        table.files[path] = table.files.get(path, "") + f"\n- {canary}\n"
        made = table.assemble(kind, message="honey?", turn=turn, prefix=prefix)
        assert made.prefix.text == first.prefix.text
        assert made.receipt.prefix_hash == first.receipt.prefix_hash
        told = canary in made.delta or path in [one.path for one in made.receipt.omissions]
        owner = kind in (SessionKind.MAIN, SessionKind.CRON, SessionKind.HEARTBEAT)
        files = ("AGENTS.md", "TOOLS.md") + (() if kind is SessionKind.SUBAGENT else ("IDENTITY.md",))
        # a log that is too old for the prompt is not looked at
        sees = owner and (path != BEFORE or any(one.path == BEFORE for one in prefix.seen))
        assert told is (sees or path in files), f"{kind}: {path}"
        assert made.receipt.slots == () or _turn_within(made)


def _turn_within(made: Prompt) -> bool:
    return all(use.tokens <= use.given for use in made.receipt.slots if use.slot in (Slot.SEMANTIC, Slot.CRM))


limits = given(tables(), st.none() | st.integers(1_200, 6_000), st.integers(0, 500))
stays = given(tables(), st.data())
test_never_over_the_limit_and_every_gap_is_named = settings(max_examples=4)(limits(_limits))
test_the_prefix_does_not_move_while_memory_is_written = settings(max_examples=3)(stays(_stays))
test_never_over_the_limit_often = pytest.mark.slow(settings(max_examples=300)(limits(_limits)))
test_the_prefix_does_not_move_often = pytest.mark.slow(settings(max_examples=200)(stays(_stays)))
