"""R7: conservation. Whatever happens to a memory, each acknowledged entry is in exactly one place, whole, or a person took it away."""

from random import Random

from tests.trust.walks import OPERATIONS, Walk
from tests.trust.worlds import HeavyWorld, LightWorld, World

from everself.memory.entries import read_document
from everself.testing.frozen_time import FrozenTime
from everself.text.normalise import fold
from everself.workspace.layout import place

# every so many walks one goes over real files
HEAVY = 8
PLACES = {"daily log", "session note", "core memory", "topic", "bank page", "archive", "chronicle", "quarantine"}
PLACES |= {"person's memory", "project memory"}


def check(walk: Walk) -> int:
    """Compare the documents and the catalog with the register. How many entries there are."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path, data in walk.seen().items():
        for read in read_document(data):
            marks = [mark for mark in walk.held if mark in read.text]
            assert len(marks) == 1, f"{path}: {read.text!r} is nobody's entry, or that of several: {marks}"
            found.setdefault(marks[0], []).append((path, read.text))
    entries = walk.world.mind.catalog.all()
    by_id = {entry.id: entry for entry in entries}
    assert len(by_id) == len(entries), "two entries have one id"
    assert len(entries) == sum(map(len, found.values())), "the book and the documents differ"
    for mark, held in walk.held.items():
        places = found.get(mark, [])
        if held.gone:
            assert not places, f"{mark} was taken away and stands in {places}"
            continue
        assert len(places) == 1, f"{mark} stands in {len(places)} places: {places}"
        path, text = places[0]
        assert place(path).kind.value in PLACES, f"{mark} stands in {path}"
        assert fold(text) == fold(held.text), f"{mark} says {text!r}, not {held.text!r}"
        lost = held.id not in by_id and held.moved and held.edited
        held.moved = held.edited = False
        if not held.id or lost:
            held.id = next(entry.id for entry in entries if mark in entry.text)
        assert held.id in by_id, f"{mark} has lost its id {held.id}"
        assert (by_id[held.id].path, by_id[held.id].text) == (path, text), f"{held.id} is another entry now"
        assert by_id[held.id] == walk.world.mind.catalog.find(held.id)
    return len(entries)


def live(seed: int, steps: int) -> int:
    random = Random(seed)
    time = FrozenTime()
    world: World = (LightWorld if seed % HEAVY else HeavyWorld)(time.clock("Asia/Seoul"))
    walk = Walk(world, random, time)
    done: list[str] = []
    try:
        for _ in range(steps):
            done.append(random.choice(list(OPERATIONS)))
            OPERATIONS[done[-1]](walk)
            # not always: an edit by hand is often met by the next verb, not by a look at everything
            if random.random() < 0.3:
                done.append("check")
                check(walk)
        return check(walk)
    except AssertionError as error:
        raise AssertionError(f"R7 seed {seed}, after {' '.join(done)}: {error}") from error
    finally:
        walk.world.close()


def run_r7(count: int, seed: int, steps: int = 50) -> str:
    entries = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        entries += live(number, steps)
    return f"R7 {count} walks × {steps} steps, {entries} entries at their ends, 0 lost, 0 doubled, seed {seed}"
