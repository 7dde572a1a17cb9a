"""Writes secrets.jsonl and benign.jsonl: `python -m tests.corpora.secrets.make_corpus` from the root of the repository.

The same seed gives the same bytes. Knows nothing of the redactor that the corpus judges.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.corpora.secrets.chance import Chance, iban_remainder, luhn_ok
from tests.corpora.secrets.fillers import MATERIAL, SLOT, WORDS, blocks, fill
from tests.corpora.secrets.kinds import KINDS, Kind

SEED = 20260319
HERE = Path(__file__).parent
FRAMES = ("frames_bare.txt", "frames_named.txt", "frames_password.txt", "frames_shaped.txt", "frames_several.txt")
SEVERAL = 60
ORDINARY = {"en": 520, "zh": 170, "ja": 160, "ko": 160, "de": 140, "code": 420, "notes": 400}
COPIES = 8
MIXED = 150
DIGIT_RUN = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?!\d)")
IBAN_LIKE = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b")


@dataclass(frozen=True)
class Draft:
    """An item before it has an id; `source` names its template, so that some templates can be held out whole."""

    source: str
    language: str
    text: str
    kind: str = ""
    secrets: tuple[str, ...] = ()


def names_of(kind: Kind, language: str, chance: Chance, suffix: str = "") -> dict[str, str]:
    name = chance.pick(kind.names)
    local = f"{language}.service" in WORDS and kind.service.startswith("the ")
    first, *rest = name.lower().split("_")
    return {
        "NAME" + suffix: name,
        "name" + suffix: name.lower(),
        "kebab" + suffix: name.lower().replace("_", "-"),
        "camel" + suffix: first + "".join(part.capitalize() for part in rest),
        "service" + suffix: chance.pick(WORDS[f"{language}.service"]) if local else kind.service,
    }


def deal(frames: Sequence[tuple[str, str]], count: int, chance: Chance) -> Iterator[tuple[str, str]]:
    """Frames from a shuffled deck, so that each is used before any is used again."""
    deck: list[tuple[str, str]] = []
    for _ in range(count):
        if not deck:
            deck = list(frames)
            chance.rng.shuffle(deck)
        yield deck.pop()


def single(kind: Kind, frame: tuple[str, str], chance: Chance) -> Draft:
    language, template = frame
    made, other = kind.make(chance), kind.make(chance)
    given = {"v": made.value, "v2": other.value, **dict(made.slots), **names_of(kind, language, chance)}
    secrets = made.secrets + (other.secrets if "«v2»" in template else ())
    return Draft(template, language, fill(template, language, chance, given), kind.name, secrets)


def several(frame: tuple[str, str], chance: Chance) -> Draft:
    language, template = frame
    given: dict[str, str] = {}
    secrets: tuple[str, ...] = ()
    fitting = [kind for kind in KINDS if "named" in kind.groups]
    for place, kind in enumerate(chance.rng.sample(fitting, 3), start=1):
        made = kind.make(chance)
        given |= {f"v{place}": made.value, **names_of(kind, language, chance, str(place))}
        secrets += made.secrets
    return Draft(template, language, fill(template, language, chance, given), "several", secrets)


def secret_drafts(chance: Chance) -> list[Draft]:
    groups: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in FRAMES:
        for (language, group), template in blocks(file):
            groups[group].append((language, template))
    drafts = []
    for kind in KINDS:
        frames = [frame for group in kind.groups for frame in groups[group]]
        drafts += [single(kind, frame, chance) for frame in deal(frames, kind.count, chance)]
    return drafts + [several(frame, chance) for frame in deal(groups["several"], SEVERAL, chance)]


def is_card(number: str) -> bool:
    size = len(number)
    shaped = (
        (number[0] == "4" and size in (13, 16, 19))
        or (number[:2] in ("34", "37") and size == 15)
        or (size == 16 and ("51" <= number[:2] <= "55" or "2221" <= number[:4] <= "2720"))
        or (size == 16 and (number[:4] == "6011" or number[:2] in ("35", "62", "64", "65")))
        or (size == 14 and number[:2] in ("30", "36", "38"))
    )
    return shaped and luhn_ok(number)


def has_number(text: str) -> bool:
    """Whether chance has put a valid card number or IBAN into a text that must have none."""
    digits = (found[0].replace(" ", "").replace("-", "") for found in DIGIT_RUN.finditer(text))
    ibans = (found[0].replace(" ", "") for found in IBAN_LIKE.finditer(text))
    return any(map(is_card, digits)) or any(iban_remainder(iban) == 1 for iban in ibans)


def sentences(language: str) -> list[str]:
    return (MATERIAL / f"ordinary.{language}.txt").read_text(encoding="utf-8").splitlines()


def prose(language: str, chance: Chance) -> str:
    chosen = chance.rng.sample(sentences(language), chance.pick((1, 1, 2, 2, 3, 4)))
    return ("" if language in ("zh", "ja") else " ").join(fill(line, language, chance) for line in chosen)


def note(language: str, template: str, chance: Chance) -> str:
    lines = chance.rng.sample(sentences(language), 3)
    given = {f"s{place}": fill(line, language, chance) for place, line in enumerate(lines, start=1)}
    return fill(template, language, chance, given)


def ordinary_draft(sort: str, chance: Chance) -> Draft:
    if sort == "code":
        (language,), template = chance.pick(blocks("ordinary.code.txt"))
        return Draft(template, language, fill(template, language, chance))
    if sort == "notes":
        (language,), template = chance.pick(blocks("ordinary.notes.txt"))
        return Draft(template, language, note(language, template, chance))
    return Draft("prose", sort, prose(sort, chance))


def distinct(make: Iterator[Draft], count: int, seen: set[str]) -> list[Draft]:
    drafts: list[Draft] = []
    for draft in make:
        if len(drafts) == count:
            break
        if draft.text not in seen and not has_number(draft.text):
            seen.add(draft.text)
            drafts.append(draft)
    return drafts


def ordinary_drafts(chance: Chance, seen: set[str]) -> list[Draft]:
    drafts: list[Draft] = []
    for sort, count in ORDINARY.items():
        stream = (ordinary_draft(sort, chance) for _ in range(50 * count))
        drafts += distinct(stream, count, seen)
    return drafts


def tricky_drafts(chance: Chance, seen: set[str]) -> list[Draft]:
    drafts: list[Draft] = []
    for (language, *copies), template in blocks("tricky_values.txt"):
        count = int(copies[0].removeprefix("x")) if copies else COPIES
        stream = (Draft(template, language, fill(template, language, chance)) for _ in range(40 * count))
        drafts += distinct(stream, count, seen)
    rows = [line.split("\t", 1) for line in (MATERIAL / "tricky_lines.txt").read_text(encoding="utf-8").splitlines()]
    for language, line in rows:
        count = 2 if SLOT.search(line) else 1
        stream = (Draft(line, language, fill(line, language, chance)) for _ in range(40))
        drafts += distinct(stream, count, seen)
    spoken = [row for row in rows if ":" not in row[0]]

    def mixed() -> Draft:
        language, line = chance.pick(spoken)
        parts = [prose(language, chance), fill(line, language, chance)]
        chance.rng.shuffle(parts)
        return Draft(line, language, "\n".join(parts))

    return drafts + distinct((mixed() for _ in range(40 * MIXED)), MIXED, seen)


def held_out(drafts: Sequence[Draft], chance: Chance) -> set[int]:
    """A third of the places: about half of it whole templates that the open part never shows, the rest at random."""
    third = len(drafts) // 3
    by_source: defaultdict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        by_source[draft.source].append(place)
    sources = [source for source in by_source if source != "prose"]
    chance.rng.shuffle(sources)
    chosen: set[int] = set()
    for source in sources:
        if len(chosen) + len(by_source[source]) <= third // 2:
            chosen.update(by_source[source])
    rest = [place for place in range(len(drafts)) if place not in chosen]
    return chosen | set(chance.rng.sample(rest, third - len(chosen)))


def rows_of(drafts: Sequence[Draft], letter: str, chance: Chance) -> str:
    mixed = list(drafts)
    chance.rng.shuffle(mixed)
    hidden = held_out(mixed, chance)
    lines = []
    for place, draft in enumerate(mixed):
        row: dict[str, str | bool | list[str]] = {"id": f"{letter}{place + 1:04d}"}
        if draft.kind:
            row["kind"] = draft.kind
        row |= {"language": draft.language, "text": draft.text}
        if draft.secrets:
            row["secret"] = draft.secrets[0] if len(draft.secrets) == 1 else list(draft.secrets)
        row["held_out"] = place in hidden
        lines.append(json.dumps(row, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def corpus(seed: int = SEED) -> tuple[str, str]:
    """The contents of secrets.jsonl and benign.jsonl."""
    chance = Chance(random.Random(seed))
    secrets = rows_of(secret_drafts(chance), "s", chance)
    seen: set[str] = set()
    benign = ordinary_drafts(chance, seen) + tricky_drafts(chance, seen)
    return secrets, rows_of(benign, "b", chance)


def main() -> None:
    secrets, benign = corpus()
    for name, content in (("secrets.jsonl", secrets), ("benign.jsonl", benign)):
        (HERE / name).write_text(content, encoding="utf-8", newline="\n")
        print(f"{name}: {content.count(chr(10))} items, {len(content.encode())} bytes, seed {SEED}")


if __name__ == "__main__":
    main()
