"""make bench-gateway: the delay that the gateway adds to a model's tokens.

usage: python -m tools.bench_gateway [--streams 200] [--agents 1,20] [--entries 10000] [--seconds 60] [--json FILE] [--words]

The model is scripted and listens on loopback; model, gateway and clients are three processes. Meant for an idle machine.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tools.bench_gateway.clients import Answered, Stream, say, talk
from tools.bench_gateway.home import Home, make_home, running, scripted_model, settle, usage_of
from tools.bench_gateway.report import Load, Run, as_json, delays_of, lines

TOKENS_A_SECOND = 20.0
QUESTIONS = (
    "Good morning, what did we say about the garden?",
    "And when was that?",
    "Tell me what you know about the boat, in two sentences.",
    "Thanks. What is there to do today?",
)


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    runs: list[Run] = []
    with scripted_model(chosen.tokens, TOKENS_A_SECOND) as model:
        alone = delays_of(_talk(chosen, [("scripted", "none", model)], "the model alone"))
        for agents in chosen.agents:
            with tempfile.TemporaryDirectory(prefix="bench-gateway-") as folder:
                home = make_home(Path(folder), agents, chosen.entries, model, _tell, vectors=not chosen.words)
                settle()
                answers, load = _through(chosen, home)
            runs.append(Run(agents, chosen.streams, chosen.entries, chosen.seconds, delays_of(answers), alone, load))
            print("\n".join(lines(runs[-1])), flush=True)
    if chosen.json:
        Path(chosen.json).write_text(json.dumps([as_json(run) for run in runs], indent=1) + "\n", "utf-8")
    return 0


def _through(chosen: argparse.Namespace, home: Home) -> tuple[tuple[Answered, ...], Load]:
    served = [(name, token, home.port) for name, token in home.tokens.items()]
    with running(home) as pid:
        # every agent is opened and warm before the measurement starts
        for at, stream in enumerate(_streams(served, len(served))):
            answered, _ = asyncio.run(say(stream, 0, ""))
            if answered.fault:
                raise RuntimeError(f"{stream.model} did not answer: {answered.fault}")
            _tell(f"agent {at + 1} of {len(served)} is open")
        before, begun = usage_of(pid), time.perf_counter()
        answers = _talk(chosen, served, "the gateway")
        after, took = usage_of(pid), time.perf_counter() - begun
    cpu = after.cpu - before.cpu
    return answers, Load(before.rss, after.rss, cpu * 1000 / max(1, len(answers)), cpu / took)


def _talk(chosen: argparse.Namespace, served: list[tuple[str, str, int]], whom: str) -> tuple[Answered, ...]:
    expected = max(1, round(chosen.streams * chosen.seconds / chosen.every))
    streams = _streams(served, chosen.streams)
    return asyncio.run(talk(streams, chosen.seconds, chosen.every, _progress(whom, expected)))


def _streams(served: list[tuple[str, str, int]], count: int) -> list[Stream]:
    found = []
    for at in range(count):
        name, token, port = served[at % len(served)]
        # each client begins with a different question
        said = QUESTIONS[at % len(QUESTIONS) :] + QUESTIONS[: at % len(QUESTIONS)]
        found.append(Stream(port, name, token, said))
    return found


def _progress(whom: str, expected: int) -> Callable[[int], None]:
    step = max(1, expected // 5)

    def tell(done: int) -> None:
        if done % step == 0:
            _tell(f"{whom}: {done} of about {expected} replies")

    return tell


def _tell(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_gateway", description="Measure the gateway's delay.")
    parser.add_argument("--streams", type=int, default=200, help="clients that talk at the same time")
    parser.add_argument("--agents", type=_numbers, default=(1, 20), metavar="N,N", help="numbers of agents, a run each")
    parser.add_argument("--entries", type=int, default=10_000, help="entries of each agent")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they talk")
    parser.add_argument("--every", type=float, default=20.0, help="seconds from one message of a client to its next")
    parser.add_argument("--tokens", type=int, default=100, help="tokens of a reply, twenty a second")
    parser.add_argument("--words", action="store_true", help="search by words alone, without the embedder")
    parser.add_argument("--json", default="", metavar="FILE", help="where all figures are written")
    return parser.parse_args(arguments)


def _numbers(told: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in told.split(",") if part.strip())
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError("numbers from 1 on, with commas between them")
    return numbers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
