"""Corrections as people type them, each through a whole turn without a model, counted.

A line of a file is one scene: `known` (what memory holds), `before` (the agent's last reply, if any), `text` (what is said), `corrects`
(the places in `known` of what no longer holds) and `holds` (words that have to stand in something open afterwards).

`python -m tests.journeys.scenes FILE … [--each]` prints how many scenes closed what they correct and nothing else, closed something that
still holds, were asked about, or passed unseen; and how many left words in memory that nobody said.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.conversation.talks import hear, talking
from tests.journeys.grounded import Json

from everself.conversation.events import Done
from everself.memory.provenance import stated_by_owner
from everself.memory.writing import NewEntry
from everself.models.embedding.local import open_local
from everself.runtime import Runtime
from everself.text.normalise import fold
from everself.text.note_quotes import BETWEEN, parts_of

_SEARCH = {"memorySearch": {"provider": "local"}}


@dataclass
class Counted:
    """`right`, `part`, `wrong`, `asked` and `missed` are of the scenes that correct something, `harmed` and `idle` (asked) of the others;
    `lost` scenes do not hold afterwards what was said, `built` hold words that nobody said."""

    count: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def add(self, scene: Json, closed: set[int], question: str, texts: Sequence[str]) -> None:
        wanted = set(scene["corrects"])
        marks = [_outcome(wanted, closed, bool(question))]
        low = fold(" \n".join(texts))
        marks += ["lost"] * any(fold(one) not in low for one in scene["holds"])
        marks += ["built"] * any(_is_built(one, scene) for one in texts)
        self.count.update((*marks, "corrections" if wanted else "others"))
        if marks != ["right"] and marks != ["kept"]:
            told = f"closed {[scene['known'][at] for at in sorted(closed)]}, asked {question!r}"
            self.lines.append(f"{' '.join(marks)}: {scene['text']!r} {told}, new {_new(texts, scene)}")

    def words(self) -> str:
        of = self.count
        return (
            f"{of['corrections']} corrections: {of['right']} closed right, {of['part']} in part, {of['wrong']} wrong, "
            f"{of['asked']} asked, {of['missed']} missed; {of['others']} others: {of['harmed']} closed wrong, "
            f"{of['idle']} asked; {of['lost']} not kept, {of['built']} with words that nobody said"
        )


def _outcome(wanted: set[int], closed: set[int], asked: bool) -> str:
    if not wanted:
        return "harmed" if closed else "idle" if asked else "kept"
    if closed - wanted:
        return "wrong"
    if closed:
        return "right" if closed == wanted else "part"
    return "asked" if asked else "missed"


def _new(texts: Sequence[str], scene: Json) -> list[str]:
    return [one for one in texts if one not in scene["known"]]


def _is_built(text: str, scene: Json) -> bool:
    """Whether a text is neither something known, nor words of the message, nor something known with one span of the message in it."""
    claim, quoted = parts_of(text)
    ours, said = fold(claim).strip(" .!。"), fold(scene["text"])
    told = " ".join(scene["text"].split())
    # what is struck out was known
    struck = [f"~~{one}~~" for one in scene["known"]]
    if any(one not in told and one not in struck for one in quoted.split(BETWEEN) if quoted):
        return True
    if ours in said:
        return False
    for known in map(fold, scene["known"]):
        before = 0
        while before < min(len(ours), len(known)) and ours[before] == known[before]:
            before += 1
        after = 0
        while after < min(len(ours), len(known)) - before and ours[-1 - after] == known[-1 - after]:
            after += 1
        if ours[before : len(ours) - after] in said and before + after:
            return False
        if known in ours or ours in known:
            return False
    return True


def measure(scenes: Sequence[Json], home: Path) -> Counted:
    found = Counted()
    for scene in scenes:
        found.add(scene, *_lived(scene, home))
    return found


def _lived(scene: Json, home: Path) -> tuple[set[int], str, list[str]]:
    """What the message closed, what was asked, and what is open afterwards."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "e").mkdir(parents=True)
    # the encoder's arrays are prepared once
    (home / "e" / "models").symlink_to(home.parent / "models")
    with talking(home, answered=False, **_SEARCH) as (app, _):
        ids = [
            app.memory.remember(NewEntry(text, stated_by_owner("chat", f"msg:known{at}"), key=f"known {at}")).entry
            for at, text in enumerate(scene["known"])
        ]
        app.index.sync()
        app.index.embed()
        session = app.chat.begin()
        if scene["before"]:
            app.log.add(session, "user", "…")
            app.log.add(session, "assistant", scene["before"])
        done = asyncio.run(hear(app, scene["text"], session))[-1]
        assert isinstance(done, Done)
        asked = app.log.messages(session)[-1].meta.get("unclear") or [""]
        # what a message says beside a correction is written down when the session is
        app.checkpoint.make(app.log.fresh(session))
        closed = {at for at, name in enumerate(ids) if (one := app.memory.catalog.find(name)) is None or one.closed}
        return closed, str(asked[0]), list(_open(app))


def _open(app: Runtime) -> Iterator[str]:
    for entry in app.memory.catalog.all():
        if not entry.closed and entry.path.startswith(("memory/", "MEMORY.md")):
            yield entry.text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.scenes", description="What corrections do.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--each", action="store_true", help="print each scene that did not end as it should")
    asked = parser.parse_args()
    from everself.classify import encoder

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "models").mkdir()
        encoder.offer(open_local("", "", f"{folder}/models").embed)
        for path in asked.files:
            scenes = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
            found = measure(scenes, Path(folder, "home"))
            print(f"{path.stem}: {found.words()}", flush=True)
            for line in found.lines if asked.each else ():
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
