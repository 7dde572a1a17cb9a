"""What the classifier may weigh: bytes of word patterns and of weights, lines of code. Lists that grow bring judging by rules back."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from tools.train_classify import injection, topics

import everself
from everself.classify import injection_head
from everself.classify import topics as topics_head
from everself.classify.weights import unpack

ROOT = Path(everself.__file__).parent
# All patterns by which something is judged: requests, triggers, the two sides of a correction, and prompt injection (decision 0191).
PATTERN_BYTES = 40 << 10
# Words for search judge nothing: stop words, and the words at which an entry is cut into fragments.
SEARCH_BYTES = 19_500
TRIGGER_BYTES = 15 << 10
WEIGHT_BYTES = 2 << 20
LINES = 3_500
# Every text file of the package is one of these. Whoever adds one says here what it is.
PATTERNS = ("classify/data/*.txt", "classify/data/injection/*.txt")
SEARCH = ("text/search/stop_words/*.txt", "search/chunking/words/*.txt", "search/words/*.txt")
OTHER = ("conversation/reflex/replies.txt", "models/chat/known.txt", "config/foreign.txt")
TRIGGERS = ("triggers.txt", "requests.txt")


def matching(root: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern))


def size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def too_much(root: Path) -> list[str]:
    """What is above its limit, or in no list."""
    known = [*matching(root, PATTERNS), *matching(root, SEARCH), *matching(root, OTHER)]
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in (root / "classify").rglob("*.py"))
    found = [f"{path.name} is in no list" for path in sorted(root.rglob("*.txt")) if path not in known]
    for name, weighs, most in (
        ("word patterns", size(matching(root, PATTERNS)), PATTERN_BYTES),
        ("search words", size(matching(root, SEARCH)), SEARCH_BYTES),
        ("triggers", size(root / "classify" / "data" / name for name in TRIGGERS), TRIGGER_BYTES),
        ("weights", size((root / "classify").glob("*.bin")), WEIGHT_BYTES),
        ("lines of classify", lines, LINES),
    ):
        if weighs > most:
            found.append(f"{name}: {weighs}, the limit is {most}")
    return found


def test_patterns_weights_and_code_stay_within_their_limits() -> None:
    assert too_much(ROOT) == []


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    for folder in ("classify/data/injection", "text/search/stop_words", "search/chunking/words"):
        (tmp_path / folder).mkdir(parents=True)
    for name in TRIGGERS:
        (tmp_path / "classify" / "data" / name).write_text("x\n")
    assert too_much(tmp_path) == []
    return tmp_path


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("classify/data/dogs.txt", "x" * PATTERN_BYTES, "word patterns"),
        ("text/search/stop_words/xx.txt", "x" * (SEARCH_BYTES + 1), "search words"),
        ("classify/data/injection/xx.txt", "x" * PATTERN_BYTES, "word patterns"),
        ("classify/data/triggers.txt", "x" * TRIGGER_BYTES, "triggers"),
        ("classify/more.bin", "x" * (WEIGHT_BYTES + 1), "weights"),
        ("classify/more.py", "x\n" * (LINES + 1), "lines of classify"),
        ("keepers_cars.txt", "bmw", "in no list"),
    ],
)
def test_a_planted_excess_is_found(planted: Path, path: str, content: str, said: str) -> None:
    (planted / path).write_text(content)
    assert any(said in one for one in too_much(planted))


def test_the_weights_were_learned_from_the_corpora_as_they_are() -> None:
    for path, fingerprint in (
        (injection_head.PATH, injection.fingerprint()),
        (topics_head.PATH, topics.fingerprint()),
    ):
        assert unpack(Path(path).read_bytes()).told["corpora"] == fingerprint, f"train again: {path}"
