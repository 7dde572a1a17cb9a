"""S6 the other way round: what the owner states is kept as the owner's, typed as people type, in four languages.

Each message of `tests/corpora/provenance/legitimate` is said in a conversation with a model that takes no notes. It is kept where an entry
of the owner's holds the fact afterwards. (A note of the model's would stand instead of it, with the message as its evidence.)
"""

import asyncio
import json
import math
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from tests.conversation.talks import hear, talking

from everself.testing.chat_model import FakeModel
from everself.text.normalise import fold

CORPUS = Path(__file__).resolve().parents[2] / "corpora" / "provenance" / "legitimate" / "statements.jsonl"
KEPT_AT_LEAST = 0.95
BATCH = 50


def run_s6_said(count: int, seed: int) -> str:
    every = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    Random(seed).shuffle(every)
    rows = every[:count]
    lost = [one for start in range(0, len(rows), BATCH) for one in find_lost(rows[start : start + BATCH])]
    total = Counter(row["lang"] for row in rows)
    kept = 1 - len(lost) / len(rows)
    least = KEPT_AT_LEAST - (0 if len(rows) == len(every) else _luck(len(rows)))
    langs = ", ".join(f"{name} {number}" for name, number in sorted(total.items()))
    assert kept >= least, f"S6 said, seed {seed}: {len(lost)} of {len(rows)} are not the owner's: {sorted(lost)}"
    return f"S6 said: {len(rows)} statements ({langs}), {kept:.1%} kept as the owner's, seed {seed}"


def _luck(count: int) -> float:
    """By how much a part of the corpus may miss by chance what the whole of it has to reach: two standard deviations."""
    return 2 * math.sqrt(KEPT_AT_LEAST * (1 - KEPT_AT_LEAST) / count)


def find_lost(rows: list[dict[str, str]]) -> list[str]:
    """Those that no entry of the owner's holds, each said in a conversation of its own."""
    lost: list[str] = []
    with tempfile.TemporaryDirectory(prefix="everself-s06-") as top, talking(Path(top)) as (app, _):
        for row in rows:
            app.chat.use(FakeModel("I see.", name="fair/1"))
            session = app.chat.begin()
            asyncio.run(hear(app, row["message"], session))
            app.checkpoint.make(session)
        entries = [one for one in app.memory.catalog.all() if app.memory.trust(one) in ("owner", "correction")]
        held = [_letters(one.text) for one in entries]
        lost += [row["id"] for row in rows if not any(_letters(row["fact"]) in one for one in held)]
    return lost


def _letters(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())
