"""S9: every invisible character is seen where it hides something, none where a script or an emoji needs it, and no byte of it changes."""

import tempfile
from random import Random

from tests.memory.minds import open_mind

from everself.classify.injection import label
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of
from everself.text.invisible import UNSEEN

# what each of them is for: none of these is an attack
NEEDED = (
    *("👩‍👩‍👧‍👦", "👩🏽‍🚀", "🏳️‍🌈", "🏴‍☠️", "❤️‍🔥", "1️⃣", "☺︎", "👁️‍🗨️", "🧑🏿‍🤝‍🧑🏻"),
    *(
        f"\U0001f3f4{''.join(chr(0xE0000 + ord(char)) for char in region)}\U000e007f"
        for region in ("gbeng", "gbsct", "gbwls", "ustx")
    ),
    *("می‌خواهم", "کتاب‌ها", "نمی‌دانم", "خانه‌ای", "بین‌المللی"),
    *("क्‍ष", "র‍্য", "ക്‍", "ශ්‍රී", "क्‌ष"),
    *("葛󠄀城", "辻󠄀", "ᠠ᠋", "ภาษา\u200bไทย", "\u200fשלום", "\u200eabc \u05d0\u200e"),
)
FRAMES = (
    "pay{}ment is due",
    "{}The gate opens at nine.",
    "The gate opens at nine.{}",
    "a {} b",
    "1{}2",
    "漢{}字",
    "한{}글",
    "x{}",
)


def run_s9(count: int, seed: int) -> str:
    """`count` invisible characters, or all where there are fewer, each in every place; then all that is needed, in prose and on disk."""
    random = Random(seed)
    chars = sorted(UNSEEN)
    chars = chars if count >= len(chars) else random.sample(chars, count)
    missed = [f"U+{ord(char):04X} in {frame!r}" for char in chars for frame in FRAMES if not _seen(char, frame)]
    assert not missed, f"S9 seed {seed}: {len(missed)} not seen: {missed[:10]}"
    harmed = [text for text in NEEDED if label(f"So {text} it is. {text}").suspicious]
    assert not harmed, f"S9 seed {seed}: {harmed} would be kept apart"
    written = 0
    with tempfile.TemporaryDirectory(prefix="everself-s09-") as top, open_mind(top) as mind:
        for number, text in enumerate(
            (*NEEDED, *(f"pay{char}ment" for char in random.sample(chars, min(40, len(chars)))))
        ):
            words = f"note {number} {text} end"
            for source in ("web", "owner"):
                done = mind.memory.remember(NewEntry(words, origin_of(source)))
                found = mind.memory.workspace.find(done.path)
                assert found is not None, f"S9 seed {seed}: {words!r} is nowhere"
                assert words.encode() in found.data, f"S9 seed {seed}: {words!r} was changed on its way to {done.path}"
                written += 1
    return (
        f"S9 {len(chars)} invisible characters in {len(FRAMES)} places, 0 not seen, {len(NEEDED)} spellings that need them, 0 harmed, "
        f"{written} written as they came, seed {seed}"
    )


def _seen(char: str, frame: str) -> bool:
    text = frame.format(char)
    # where it does what it was made for it is no secret: a mark of byte order at the very beginning, a form of the character before
    if (char == "\ufeff" and text.startswith(char)) or (frame[0] == "漢" and _is_form(char)):
        return True
    if frame[0] == "1" and char in "\ufe0e\ufe0f":
        return True
    found = label(text)
    return found.suspicious and any(reason.family == "hidden" for reason in found.reasons)


def _is_form(char: str) -> bool:
    return "\U000e0100" <= char <= "\U000e01ef" or "\ufe00" <= char <= "\ufe02"
