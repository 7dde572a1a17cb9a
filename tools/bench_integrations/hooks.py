"""Hooks from a coding agent's view: waiting time with and without a gateway, processor time, and the tokens of each injection."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.bench_integrations.figures import Figure, spread
from tools.bench_integrations.home import WORDS, make_home, running_gateway
from tools.bench_integrations.processes import adopt_orphans, ended_seconds, processor_seconds

from everself.text.tokens import count

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
_ANSWERED = EVENTS[:2]
# promised milliseconds for a hook through the gateway, and without one: the latter is its deadline and a fifth of a
# second
_GATEWAY, _ALONE = 300.0, 1_000.0
_MOST_TOKENS = 2_000


def measure(folder: Path, rounds: int, entries: int) -> Iterator[Figure | str]:
    adopt_orphans()
    environ = make_home(folder, entries)
    yield f"hooks, {entries:,} entries, no gateway"
    yield from _rounds(environ, rounds, _ALONE)
    with running_gateway(environ):
        yield f"hooks, {entries:,} entries, through the gateway"
        _call(environ, "UserPromptSubmit", -1)
        yield from _rounds(environ, rounds, _GATEWAY)


def _rounds(environ: dict[str, str], rounds: int, most: float) -> Iterator[Figure]:
    for event in EVENTS:
        taken: list[float] = []
        answers: list[str] = []
        before, running = ended_seconds(), processor_seconds()
        for number in range(rounds):
            begun = time.perf_counter()
            answers.append(_call(environ, event, number))
            taken.append(time.perf_counter() - begun)
        used, served = ended_seconds() - before, processor_seconds() - running
        yield from spread(event, taken, most)
        yield Figure(f"{event} processor time", used / rounds * 1000, "ms")
        if served > 0:
            yield Figure(f"{event} processor time of the gateway", served / rounds * 1000, "ms")
        if event in _ANSWERED:
            tokens = max(map(count, answers))
            yield Figure(f"{event} injection, the longest", tokens, "tokens", _MOST_TOKENS)
            yield Figure(f"{event} answered", sum(map(bool, answers)), f"of {rounds}")


def _call(environ: dict[str, str], event: str, number: int) -> str:
    told = {"session_id": f"s{number}", "cwd": "/", "prompt_id": f"p{number}", "hook_event_name": event}
    told["prompt"] = f"Which {WORDS[number % 10]} is ready for the {WORDS[number // 10 % 10]}?"
    command = [sys.executable, "-m", "everself", "hook", event]
    done = subprocess.run(command, input=json.dumps(told).encode(), capture_output=True, check=True, env=environ)
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""
