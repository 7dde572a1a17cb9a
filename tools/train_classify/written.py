"""Convert messages written as plain lines into the JSON lines of tests/corpora/messages.

usage: python -m tools.train_classify.written LANG < messages.txt > tests/corpora/messages/more/LANG.jsonl

One message per line, its statements with their acts separated by bars; in a script without spaces a space before a bar
belongs to the message:

    smalltalk: hey ‖ fact: moved to the flat above the bakery ‖ question: is there a gym near there

`correction+` is explicit and `correction~` implicit, `attack` typed and `attackpaste` pasted.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tools.train_classify.heads import ACTS, KEPT

_BAR: Final = " ‖"
_MEANT: Final = {"correction+": "correction", "correction~": "correction", "attack": "task", "attackpaste": "quoted"}
# beside one of these, or beside several facts, a question is not the message's main act
_MORE: Final = frozenset({"task", "decision", "plan", "wish", "correction", "remember", "forget"})
# languages written without spaces
_DENSE: Final = frozenset({"zh", "ja"})


def messages(lines: Iterable[str], language: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        written = [_span(part, f"line {number}") for part in line.rstrip("\n").split(_BAR)]
        yield _message(written, language, f"{language}-m{number:04}")


def _span(part: str, where: str) -> tuple[str, str]:
    name, colon, text = part.strip(" ").partition(":")
    if not colon or _MEANT.get(name, name) not in ACTS or not text.strip():
        raise ValueError(f"{where}: no act before “{part.strip()}”")
    # spaces before the bar join the text with the next one
    return name, text.strip(" ").replace("\\n", "\n") + part[len(part.rstrip(" ")) :]


def _message(written: list[tuple[str, str]], language: str, name: str) -> dict[str, Any]:
    joint = "" if language in _DENSE else " "
    text = joint.join(span if joint == "" else span.strip(" ") for _, span in written).strip()
    acts = [{"span": span.strip(), "act": _MEANT.get(act, act)} for act, span in written]
    marked = {act for act, _ in written}
    plain = [one["act"] for one in acts]
    kept = [one["span"] for one in acts if one["act"] in KEPT]
    asks = "question" in plain and not _MORE.intersection(plain) and plain.count("fact") <= 1
    correction = "explicit" if "correction+" in marked else "implicit" if "correction~" in marked else "none"
    return {
        "id": name,
        "text": text,
        "acts": acts,
        "keep": bool(kept),
        "keep_spans": kept,
        "correction": correction,
        "question": asks,
        "injection": not marked.isdisjoint({"attack", "attackpaste"}),
        "category": "",
    }


def main() -> int:
    for message in messages(sys.stdin, sys.argv[1]):
        print(json.dumps(message, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
