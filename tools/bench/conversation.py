"""How long a turn takes apart from the model, with 10,000 and 100,000 indexed chunks; the time from `everself chat` to
its first prompt; the share of a three-day conversation that the vendor's cache could serve; and whether turns get
slower as a conversation grows.

The model answers at once. Texts and vectors are generated; message store, prompt with recall, loop and reply are the
product's. Warm, one thread, in its own process; the prompt is awaited at a terminal.
"""

import asyncio
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from tools.bench.context import ONE_THREAD, UNITS, furnish

TURNS = 150
WARM = 100
ROUNDS = 9
SESSION_TURNS = 25
LONG = 250
# measured besides UNITS chunks
FEWER = 10_000
PROMPT = "›".encode()


def run() -> Iterator[str]:
    told = subprocess.run(
        [sys.executable, "-m", "tools.bench.conversation"],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    yield from told.stdout.splitlines()


def _turns(top: Path) -> Iterator[str]:
    for units in (FEWER, UNITS):
        yield from _turns_among(top / f"{units}", units)


def _turns_among(top: Path, units: int) -> Iterator[str]:
    from tools.bench_speed.language import Language
    from tools.bench_speed.store import environ_of, load_questions, make_store, open_index

    from everself.agent import open_runtime

    store, filled = make_store(top, units, Language())
    questions, stub = load_questions(store.folder)
    with open_runtime(environ=environ_of(store.folder)) as app:
        furnish(Path(app.agent.workspace))
        vars(app)["index"] = open_index(app, stub)
        # files with the present timestamp are read again and again until the file system's clock has moved on
        time.sleep(2.5)
        app.chat.use(_Instant())
        times = asyncio.run(_talk(app, questions))[WARM:]
    taken, spent = sorted(one[0] for one in times), statistics.median(one[1] for one in times)
    spread = f"p50 {statistics.median(taken):.1f} ms, p95 {taken[int(len(taken) * 0.95)]:.1f} ms"
    yield f"a turn beside the model, {filled.units:,} chunks: {spread} (promised p50 ≤ 60), {spent:.1f} ms of a processor"


async def _talk(app, questions) -> list[tuple[float, float]]:  # type: ignore[no-untyped-def]
    """Duration and CPU time of each turn, in ms."""
    taken = []
    for at in range(WARM + TURNS):
        if at % SESSION_TURNS == 0:
            session = app.chat.begin()
        began, spent = time.perf_counter(), time.process_time()
        async for _ in app.chat.converse(session, questions[at % len(questions)]):
            pass
        taken.append(((time.perf_counter() - began) * 1000, (time.process_time() - spent) * 1000))
    return taken


def _cached(top: Path) -> Iterator[str]:
    from tools.bench.cache_share import WIRES, cacheable
    from tools.bench.long_talk import DAYS, TURNS, hold

    talk = hold(top / "talk")
    shares = ", ".join(f"{cacheable(talk.requests, wire):.1%} ({wire})" for wire in WIRES)
    said = f"{TURNS} turns over {DAYS} days, {len(talk.requests)} requests, {talk.compactions} compactions"
    yield f"tokens sent that a vendor's cache could serve, {said}: {shares} (promised ≥ 90 %)"


def _growth(top: Path) -> Iterator[str]:
    """The work per turn as a conversation grows, without compaction."""
    from tools.bench.long_talk import opened

    with opened(top / "growth", _Instant()) as app:
        spent = asyncio.run(_long(app))
    early, late = statistics.median(spent[10:35]), statistics.median(spent[-25:])
    yield f"CPU of a turn: {early:.1f} ms in turns 10–35, {late:.1f} ms in turns {LONG - 25}–{LONG} ({late / early:.2f} times)"


async def _long(app) -> list[float]:  # type: ignore[no-untyped-def]
    spent = []
    session = app.chat.begin()
    for at in range(LONG):
        began = time.process_time()
        async for _ in app.chat.converse(session, f"Tell me about jar number {at}, please, and what it was for."):
            pass
        spent.append((time.process_time() - began) * 1000)
    return spent


class _Instant:
    """A model that answers at once."""

    name = "bench"
    window = 200_000
    most_output = 8_000
    paid = False

    async def stream(self, _: object) -> AsyncIterator[object]:
        from everself.models.chat.protocol import ReplyEnd, ReplyText, Usage

        yield ReplyText("That is what I remember of it.")
        yield ReplyEnd(Usage(sent=3_000, received=8))


def _first_prompt(top: Path) -> Iterator[str]:
    home = str(top / "home")
    os.mkdir(home)
    environment = {"HOME": home, "PATH": os.environ.get("PATH", ""), "TERM": "xterm", "LANG": "C.UTF-8"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    taken = sorted([_until_prompt(environment) for _ in range(ROUNDS + 2)][2:])
    yield f"everself chat to the first prompt: median {statistics.median(taken):.2f} s, worst {taken[-1]:.2f} s (promised ≤ 1.5)"


def _until_prompt(environment: dict[str, str]) -> float:
    """Seconds until the prompt appears on a new terminal; then the program is ended."""
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "everself", "chat"],
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    seconds = 0.0
    while process.poll() is None:
        if select.select([ours], [], [], 0.05)[0]:
            try:
                seen += os.read(ours, 65_536)
            except OSError:
                break
        if b"\x1b[6n" in seen:
            # answer the editor's query for the cursor position, as a terminal would
            os.write(ours, b"\x1b[1;1R")
            seen = seen.replace(b"\x1b[6n", b"")
        if not seconds and PROMPT in seen:
            seconds = time.perf_counter() - began
            os.write(ours, b"\x04")
    process.wait()
    os.close(ours)
    if not seconds:
        raise RuntimeError(f"no prompt came: {seen!r}")
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="everself-bench-") as folder:
        for part in (_first_prompt, _cached, _growth, _turns):
            for line in part(Path(folder)):
                print(line, flush=True)


if __name__ == "__main__":
    main()
