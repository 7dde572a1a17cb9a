"""R5 over memory: eight processes remember at once, things of their own and things that all of them say."""

import os
from collections import Counter

from tests.memory.minds import open_mind
from tests.trust.workers import Nursery, Report, reported

from everself.clock import monotonic
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of

WRITERS = 8
# what everybody says; each must end as one entry
SHARED = ("The office closes at six.", "茶は緑茶がいい。", "Hana sings alto.")


def remember_many(top: str, name: str, report: str, count: int) -> None:
    """In a child: remember, and say which entry each became."""
    said = Report(report)
    with open_mind(top) as mind:
        for number in range(count):
            own = mind.memory.remember(
                NewEntry(f"Number {number} of {name} is its own.", origin_of("owner"), explicit=number % 3 == 0)
            )
            said.say(f"own {number} {own.entry}")
            shared = mind.memory.remember(NewEntry(SHARED[number % len(SHARED)], origin_of("owner"), explicit=True))
            said.say(f"shared {number % len(SHARED)} {shared.entry}")


def run_writers(count: int, seed: int) -> tuple[int, float]:
    """How many entries there are in the end, and how long it took."""
    with Nursery("tests.trust.rows.r05_memory", "dulwich.repo") as nursery:
        top = f"{nursery.folder}/top"
        os.mkdir(top)
        started = monotonic()
        names = [f"w{number}.{seed}" for number in range(WRITERS)]
        writers = [
            nursery.start(
                "tests.trust.rows.r05_memory:remember_many", top=top, name=name, report=f"{top}/{name}", count=count
            )
            for name in names
        ]
        for pid in writers:
            nursery.finish(pid)
        took = monotonic() - started
        lines = {name: [line.split() for line in reported(f"{top}/{name}")] for name in names}
        check(top, lines, count)
        return WRITERS * count + min(count, len(SHARED)), took


def check(top: str, lines: dict[str, list[list[str]]], count: int) -> None:
    with open_mind(top) as mind:
        entries = {entry.id: entry for entry in mind.catalog.all()}
        texts = Counter(entry.text for entry in entries.values())
        assert max(texts.values()) == 1, f"{texts.most_common(1)} was written more than once"
        for name, said in lines.items():
            own = {int(number): identity for kind, number, identity in said if kind == "own"}
            assert len(own) == count, f"{name} acknowledged {len(own)} of {count}"
            for number, identity in own.items():
                assert identity in entries, f"number {number} of {name} is lost"
                assert entries[identity].text == f"Number {number} of {name} is its own."
                assert entries[identity].vouched
        shared = [(number, identity) for said in lines.values() for kind, number, identity in said if kind == "shared"]
        for number, identity in set(shared):
            entry = entries[identity]
            assert entry.text == SHARED[int(number)]
            times = shared.count((number, identity))
            assert entry.mentions == times, f"{entry.text} was said {times} times and counts {entry.mentions}"
        assert len({identity for _, identity in shared}) == min(count, len(SHARED))
        assert len(entries) == WRITERS * count + min(count, len(SHARED))
        assert mind.bench.state.verify_ledger().ok


def run_r5_memory(count: int, seed: int) -> str:
    try:
        entries, took = run_writers(count, seed)
    except AssertionError as error:
        raise AssertionError(f"R5 (memory) seed {seed}: {error}") from error
    return (
        f"R5 (memory) {WRITERS} × {2 * count} statements, {entries} entries, {WRITERS * 2 * count / took:.0f} a second, "
        f"0 lost, 0 doubled, every mention counted, seed {seed}"
    )
