"""make bench-gateway: its clients against the scripted model, what it makes of their answers, and all of it at a tiny size."""

import asyncio
import json
import math
from pathlib import Path

import pytest
from tools.bench_gateway.__main__ import main
from tools.bench_gateway.clients import Answered, Stream, talk
from tools.bench_gateway.model import ScriptedModel
from tools.bench_gateway.report import Delays, Load, Run, delays_of, lines, percentile


def test_a_percentile_is_a_value_that_was_measured() -> None:
    ordered = [float(at) for at in range(1, 201)]
    assert (percentile(ordered, 0.5), percentile(ordered, 0.99)) == (100.0, 198.0)
    assert percentile([7.0], 0.99) == 7.0
    assert math.isnan(percentile([], 0.5))


def test_a_reply_that_broke_off_counts_as_a_fault_and_not_as_a_quick_one() -> None:
    found = delays_of([Answered(0.2, 0.1, 20), Answered(fault="broke off"), Answered(0.4, 0.3, 20)])
    assert (found.replies, found.faults) == (2, ("broke off",))
    assert (found.first_p50, found.first_p99, found.gap_p99) == (200.0, 400.0, 300.0)


@pytest.mark.parametrize(("agents", "added", "verdict"), [(1, 299, "ok"), (1, 301, "MISSED"), (20, 151, "MISSED")])
def test_the_aim_is_that_of_so_many_agents(agents: int, added: float, verdict: str) -> None:
    alone = Delays(10, 50, 60, 50, 60)
    run = Run(agents, 4, 100, 1, Delays(10, 70, 60 + added, 50, 60), alone, Load(100, 110, 40, 0.5))
    told = next(line for line in lines(run) if "added p99" in line)
    assert told.endswith(verdict)
    assert f"{added:g} ms" in told


def test_clients_talk_at_their_pace_and_see_every_token() -> None:
    async def held() -> tuple[Answered, ...]:
        server = await asyncio.start_server(ScriptedModel(3, 200.0).answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            streams = [Stream(port, "scripted", "none", ("Hello",))] * 4
            # not a multiple of the pace: whether a last message is due would be a matter of rounding
            return await talk(streams, 0.19, 0.1, lambda _: None)

    answers = asyncio.run(held())
    assert [(one.tokens, one.fault) for one in answers] == [(3, "")] * len(answers)
    assert 4 <= len(answers) <= 8


def test_a_server_that_refuses_or_is_gone_is_a_fault() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def held() -> tuple[Answered, ...]:
        server = await asyncio.start_server(refuse, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            refused = await talk([Stream(port, "m", "t", ("Hello",))], 0.05, 1, lambda _: None)
        return *refused, *await talk([Stream(port, "m", "t", ("Hello",))], 0.05, 1, lambda _: None)

    refused, gone = asyncio.run(held())
    assert refused.fault == "HTTP/1.1 503 Service Unavailable"
    assert gone.fault == "ConnectionRefusedError"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_benchmark_runs_at_a_tiny_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    sizes = ["--streams", "2", "--agents", "2", "--entries", "40", "--seconds", "1", "--every", "1", "--tokens", "4"]
    assert main([*sizes, "--words", "--json", str(file)]) == 0
    (run,) = json.loads(file.read_text("utf-8"))
    assert (run["agents"], run["through"]["replies"], run["through"]["faults"]) == (2, 2, [])
    assert run["alone"]["replies"] == 2
    assert run["load"]["rss_end"] > 0
    assert run["load"]["cpu_per_reply"] > 0
    told = capsys.readouterr()
    assert "2 streams on 2 agents of 40 entries" in told.out
    assert "agent 2 of 2 is open" in told.err
