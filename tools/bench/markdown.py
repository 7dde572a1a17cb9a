"""How fast Markdown is parsed and rendered, compared with markdown-it-py's parser."""

import time
from collections.abc import Callable, Iterator
from random import Random

from markdown_it import MarkdownIt

from everself.text.markdown.blocks import scan
from everself.text.markdown.entries import entries

BYTES = 4_000_000
ORACLE_BYTES = 200_000
ROUNDS = 3


def run() -> Iterator[str]:
    data = _notes(BYTES)
    blocks = scan(data)
    parse = _best(lambda: scan(data))
    render = _best(lambda: b"".join([data[block.start : block.end] for block in blocks.blocks]))
    spans = _best(lambda: entries(data))
    text = data[:ORACLE_BYTES].decode()
    oracle = _best(lambda: MarkdownIt("commonmark").enable("table").parse(text))
    speed = len(data) / parse / 1e6
    beside = ORACLE_BYTES / oracle / 1e6
    yield f"parse: {speed:.1f} MB/s (markdown-it-py {beside:.2f} MB/s: {speed / beside:.0f} ×)"
    yield f"render: {len(data) / render / 1e6:.0f} MB/s"
    yield f"entries: {len(data) / spans / 1e6:.1f} MB/s, {len(entries(data))} entries in {len(data) / 1e6:.0f} MB"


def _notes(size: int) -> bytes:
    random = Random(1)
    words = [
        "tea",
        "rust",
        "tundra",
        "茶",
        "봄",
        "deploy",
        "meeting",
        "Alex",
        "prefers",
        "dark",
        "mode",
        "because",
        "the",
        "project",
        "needs",
        "a",
        "plan",
        "by",
        "Monday",
    ]
    lines = ["# Memory Log: 2026-03-19"]
    length = 0
    while length < size:
        sentence = " ".join(random.choice(words) for _ in range(random.randrange(6, 40)))
        clock = f"{random.randrange(24):02d}:{random.randrange(60):02d}:00"
        part = [
            "",
            f"## [{clock}] note",
            "",
            sentence,
            "",
            f"- {sentence[:60]}",
            f"- **{sentence[:20]}**: {sentence[:80]}",
        ]
        if random.random() < 0.05:
            part += ["", "```python", "print('tea')", "```"]
        lines += part
        length += sum(len(line) + 1 for line in part)
    return "\n".join(lines).encode()


def _best(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)
