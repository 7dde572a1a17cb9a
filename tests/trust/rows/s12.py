"""S12: triage takes no longer for the worst megabyte than for a message, whatever patterns the person brought.

Each case is a text that is bad for something (one sentence without an end, nothing but triggers, quotes that never close, …) with
one evil pattern beside the fifty of the row; its time is the best of some tries, so that a busy machine is not blamed on it.
"""

from random import Random
from time import thread_time

from everself.classify.triage import Triage
from everself.config.sections import CustomPattern

MEGABYTE = 1 << 20
TRIES = 7
MOST_SECONDS = 0.050
MOST_GROWTH = 2.2
# what shares caches and cores with others takes a little longer; what is quadratic takes four times as long
MOST_GROWTH_IF_BUSY = 3.0
# below this a ratio says nothing but what else the machine does
LEAST_SECONDS = 0.010

EVIL = (
    r"(a+)+$",
    r"(a|aa)+$",
    r"(.*)(.*)(.*)(.*)x",
    r"(x+x+)+y",
    r"([a-z]+)*\d",
    r"(?:(?:a{1,30}){1,30})",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r".*.*.*.*.*=.*",
    r"(\w+\s?)+$",
    r"[^b]{1,200}b[^c]{1,200}c",
    r"(?:.{1,50},){1,10}end",
    r"(?:no|not|never|wrong).{0,100}(?:no|not|never|wrong).{0,100}(?:no|not|never|wrong)",
    r"\b\w{1,40}\b.{0,60}\b\w{1,40}\b",
    r"(?:[ab]{1,20}c){1,8}",
    r"(?:\p{L}{1,30} ){1,20}",
)
BROKEN = ("(", "[a", "a{5000}", r"(?P<x", r"\1(a)", "(?=a)b", "(?:(?:a{1,100}){1,100}){1,100}", "", ".*")
SEEDS = (
    "a",
    "no ",
    "not ",
    "that's wrong, ",
    "you said it was not my ",
    '"',
    "「",
    "'''\n",
    "> no, it's wrong\n",
    ".",
    "? ",
    "\n",
    "x+y ",
    "不是",
    "你记错了，",
    "아니라 ",
    "じゃなくて",
    "\ud800",
    "é" * 3 + " ",
    "I said no, not you. ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaa! ",
    "my sister isn't called Mia, it's Mira not ",
)


# read once each, so many texts
VARIED = 60
_ENGLISH = "no not you said told me that's wrong i meant it's my the isn't never already actually please fix , - . called but why"
_CHINESE = "不是你记错了我说过没有的才叫住在其实应该更正一下别再提醒他她吗，。！早就已经"
_KOREAN = "아니 아니라 아니고 틀렸어 말고 제가 네가 잘못 알고 라고 했잖아 왜 자꾸 이제 더 이상 기억 안 , ."
_JAPANESE = "違うじゃなくてではなく間違っていってばのはもう言ったよねない。、そ"
# pieces, and what stands between them
FRAGMENTS = ((_ENGLISH.split(" "), " "), (list(_CHINESE), ""), (_KOREAN.split(" "), " "), (list(_JAPANESE), ""))


def run_s12(count: int, seed: int, *, judged: bool = False) -> str:
    """Triage with `count` patterns of somebody who means harm, on every kind of bad text. `judged`: the machine is not busy otherwise,
    so that milliseconds count."""
    rng = Random(seed)
    patterns = [
        CustomPattern(_pattern(rng, number), rng.choice(("miner", "validator", "/opt/run"))) for number in range(count)
    ]
    triage = Triage(patterns)
    for first in ("No, that's wrong", "不对，是周五", "아니요, 금요일이에요", "いや、違います"):
        # each language is compiled once in the life of a process
        triage.read(first)
    seconds: list[float] = []
    growth = 0.0
    for _ in range(VARIED):
        # a text that was never read before: nothing of it is in the automaton yet, and one try is all it gets
        text = _varied(rng)
        seconds.append(_time(triage, text, 1))
    for kind in SEEDS:
        text = _text(kind, rng)
        once, twice = _time(triage, text[:MEGABYTE]), _time(triage, text)
        seconds += [once, twice]
        ratio = max(twice, LEAST_SECONDS) / max(once, LEAST_SECONDS)
        growth = max(growth, ratio)
        most = MOST_GROWTH if judged else MOST_GROWTH_IF_BUSY
        assert ratio <= most, f"S12 seed {seed}: {kind!r} twice as long takes {ratio:.1f} times as long"
    slowest = sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * 0.99))]
    assert slowest < MOST_SECONDS or not judged, f"S12 seed {seed}: p99 is {slowest * 1000:.0f} ms"
    return (
        f"S12 {count} patterns ({len(triage.refused)} refused) on {len(SEEDS)} bad texts of 1 and 2 MB: "
        f"p99 {slowest * 1000:.1f} ms, t(2n)/t(n) ≤ {growth:.1f}, seed {seed}"
    )


def _pattern(rng: Random, number: int) -> str:
    """The known evils first, then ones that grow from them."""
    known = (*EVIL, *BROKEN)
    if number < len(known):
        return known[number]
    first, second = rng.choice(EVIL), rng.choice(EVIL)
    return rng.choice((f"(?:{first})|(?:{second})", f"(?:{first}){{1,3}}z", f"{rng.choice('abcxyz')}.*(?:{second})"))


def _text(kind: str, rng: Random) -> str:
    """Two megabytes of it, now and then with a grain of something else."""
    grain = rng.choice(SEEDS) if rng.random() < 0.5 else ""
    piece = kind * 37 + grain
    return (piece * (2 * MEGABYTE // len(piece) + 1))[: 2 * MEGABYTE]


def _varied(rng: Random) -> str:
    """Fragments of what the patterns look for, in an order that nobody would write."""
    pieces, joint = rng.choice(FRAGMENTS)
    some = joint.join(rng.choice(pieces) for _ in range(4_000))
    return (some * (MEGABYTE // len(some) + 1))[:MEGABYTE]


def _time(triage: Triage, text: str, tries: int = TRIES) -> float:
    best = float("inf")
    for _ in range(tries):
        # of this thread alone: what other programs take meanwhile is not ours
        began = thread_time()
        triage.read(text)
        best = min(best, thread_time() - began)
    return best
