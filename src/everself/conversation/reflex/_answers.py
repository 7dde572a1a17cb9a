"""From what the tools gave back to what the reflex says. Quotes what stands in memory; never a word about it that is not there."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from everself.classify.sentence_kinds import Language
from everself.conversation.reflex._plan import Act
from everself.conversation.reflex._questions import Asked
from everself.conversation.reflex._scoring import Standing, weigh
from everself.conversation.reflex.replies import reply
from everself.models.chat.protocol import ToolReturn

# a hit of the second search, in other words, was not found by the person's
_SECOND: Final = 0.5
# a score that is as good as none
_LOW: Final = 0.05
_FAR: Final = 0.5
_NEARER: Final = 0.3
_MOST_LISTED: Final = 6
_MOST_PLACES: Final = 3
# headings, pointers to where an entry went, the ends of comments
_NO_ENTRY: Final = ("#", "→", "-->")
_LONGEST_QUOTE: Final = 400
_HALF: Final = 0.5
# words that somebody said, rather than that were found or concluded
_SAID: Final = frozenset({"owner", "correction"})
# records of what was done to memory: what they tell of stands in memory itself, in the person's words
_RECORDS: Final = frozenset({"CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md"})

_LINES: Final = r"#L\d+(?:-L?\d+)?"
_NOTE: Final = r"(?:^|/)memory/\d{4}-\d\d-\d\d-[^/]+\.md$"
_SPOKEN: Final = r"(?m)^\s*(?:[-*] )?(?:User|Assistant): "


@dataclass(frozen=True, slots=True)
class Found:
    """A result of memory_search, as far as it is needed."""

    words: str
    citation: str
    score: float
    source: str
    again: bool = False
    meaning: float | None = None


def answer(act: Act, returns: Sequence[ToolReturn], written: frozenset[str]) -> str:
    """What to say to one act; what was written is spoken of by `confirm`.

    `written` are words of this very message, which answer nothing that it asks.
    """
    match act.job:
        case "write":
            return ""
        case "forget":
            return _forgotten(act, returns[0]) if returns else ""
        case "day":
            return _day(act, returns)
        case "about" | "answer":
            failed = next((one for one in returns if one.failed), None)
            if failed is not None and all(one.failed for one in returns):
                return reply("unsearched", act.language, why=_why(failed))
            found = [one for one in found_in(returns) if _bare(one.words) not in written]
            return _about(act, found) if act.job == "about" else _answer(act, found)


def best(asked: Asked, found: Sequence[Found]) -> tuple[Found, bool] | None:
    """The memory that answers the question, or the nearest to it, or none. False: it is only the nearest, and nearly right is wrong."""
    texts = [one.words for one in found]
    judged = [(one, weigh(asked, one.words, texts), standing(one, found)) for one in found]
    answer_to = _highest([(one, evidence.value(stands)) for one, evidence, stands in judged])
    if answer_to is not None:
        return answer_to, True
    if asked.own_name:
        # nothing is near to a name that nobody gave
        return None
    nearest = _highest([(one, evidence.nearness(stands)) for one, evidence, stands in judged])
    return None if nearest is None else (nearest, False)


def _highest(valued: Sequence[tuple[Found, float]]) -> Found | None:
    """What is enough begins at 0."""
    ranked = max(valued, key=lambda pair: pair[1], default=None)
    return ranked[0] if ranked is not None and ranked[1] >= 0 else None


def standing(one: Found, found: Sequence[Found]) -> Standing:
    """How recall puts it beside the best of the others: scores themselves mean little."""
    others = [other for other in found if other is not one]
    if not others:
        return Standing(_FAR / 2, one.again, one.meaning)
    best_score = max(other.score for other in others)
    lead = (one.score - best_score) / max(one.score, best_score, _LOW)
    ahead = 0.0 if one.meaning is None else one.meaning - max(other.meaning or 0.0 for other in others)
    return Standing(_within(lead, _FAR), one.again, one.meaning, _within(ahead, _NEARER))


def _within(value: float, most: float) -> float:
    return max(-most, min(most, value))


def _answer(act: Act, found: Sequence[Found]) -> str:
    chosen = best(act.asked, found) if act.asked is not None else None
    return reply("unknown", act.language) if chosen is None else _quoted(*chosen, act.language)


def _quoted(one: Found, sure: bool, language: Language) -> str:
    key = "nearest" if not sure else "told" if one.source in _SAID else "noted"
    return reply(key, language, words=_shortened(one.words), where=one.citation)


def _about(act: Act, found: Sequence[Found]) -> str:
    asked = act.asked
    listed = [one for one in found if asked is not None and weigh(asked, one.words).covered > _HALF]
    if not listed:
        return reply("about_none", act.language, what=act.words)
    lines = [f"- {_shortened(one.words)} ({one.citation})" for one in listed[:_MOST_LISTED]]
    return "\n".join((reply("about", act.language, what=act.words), *lines))


def _day(act: Act, returns: Sequence[ToolReturn]) -> str:
    lines: list[str] = []
    for one in returns:
        read = _object(one.content) if not one.failed else {}
        first = read.get("from")
        gone = _ended_lines(read)
        for number, line in enumerate(str(read.get("text", "")).splitlines(), first if isinstance(first, int) else 1):
            words = _without_comment(line.removeprefix("- "))
            if words and number not in gone and not words.startswith(_NO_ENTRY):
                lines.append(f"- {_shortened(words)} ({read.get('path')}#L{number})")
    if not lines:
        return reply("day_none", act.language, what=act.words)
    return "\n".join((reply("day", act.language, what=act.words), *lines[: 2 * _MOST_LISTED]))


def _ended_lines(read: dict[str, object]) -> set[int]:
    """The lines of what no longer holds."""
    listed = read.get("ended")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {line for one in found for line in range(int(one.get("from", 0)), int(one.get("to", -1)) + 1)}


def confirm(language: Language, returns: Sequence[ToolReturn]) -> list[str]:
    """What to say of everything that was written down: once for all of it."""
    said: list[str] = []
    told = [_object(one.content) for one in returns if not one.failed]
    for key, mention in (("kept", False), ("known", True)):
        named = [
            str(one.get("citation") or one.get("path") or "") for one in told if bool(one.get("mention")) is mention
        ]
        places = list(dict.fromkeys(map(without_lines, named)))
        if places:
            more = ", …" if len(places) > _MOST_PLACES else ""
            said.append(reply(key, language, where=", ".join(places[:_MOST_PLACES]) + more))
    if any(one.get("left_out") for one in told):
        said.append(reply("left_out", language))
    return said + [reply("failed", language, why=_why(one)) for one in returns if one.failed]


def without_lines(text: str) -> str:
    """With the file alone of each citation: a line number is of no use to somebody who just said what stands there."""
    import re2

    return str(re2.sub(_LINES, "", text))


def _forgotten(act: Act, given: ToolReturn) -> str:
    told = _object(given.content)
    if told.get("forgotten"):
        return reply("forgotten", act.language)
    candidates = told.get("candidates")
    if isinstance(candidates, list) and candidates:
        lines = [f"- {_shown(one)}" for one in candidates[:_MOST_LISTED]]
        return "\n".join((reply("longer" if len(lines) == 1 else "which", act.language), *lines))
    if given.failed and not told:
        return reply("not_forgotten", act.language, why=_why(given))
    return reply("about_none", act.language, what=act.words)


def _shown(candidate: object) -> str:
    if not isinstance(candidate, dict):
        return str(candidate)
    words = candidate.get("text") or candidate.get("words") or candidate.get("snippet") or ""
    named = candidate.get("entry") or candidate.get("id") or candidate.get("citation") or ""
    return f"{_shortened(str(words))} ({named})"


def found_in(returns: Sequence[ToolReturn]) -> list[Found]:
    """Results of several searches in order, each memory once."""
    found: dict[str, Found] = {}
    for number, one in enumerate(returns):
        results = _object(one.content).get("results") if not one.failed else None
        for result in results if isinstance(results, list) else ():
            # what no longer holds answers nothing: what holds now stands in memory too
            if not isinstance(result, dict) or result.get("ended"):
                continue
            if result.get("path") not in _RECORDS and not _is_transcript(result):
                score = float(result.get("score") or 0.0) * (1.0 if number == 0 else _SECOND)
                made = Found(
                    str(result.get("snippet", "")),
                    str(result.get("citation", "")),
                    score,
                    str(result.get("source", "")),
                    number > 0,
                    float(result["meaning"]) if "meaning" in result else None,
                )
                found.setdefault(made.citation, made)
    return list(found.values())


def _is_transcript(result: dict[str, object]) -> bool:
    """Whether it is a line of a talk that a note of a session keeps: what was told in it stands in memory itself, and questions do too."""
    import re2

    path, words = str(result.get("path", "")), str(result.get("snippet", ""))
    return re2.search(_NOTE, path) is not None and re2.search(_SPOKEN, words) is not None


def _object(content: str) -> dict[str, object]:
    try:
        told = json.loads(content)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _why(given: ToolReturn) -> str:
    return str(_object(given.content).get("error") or given.content).strip()


def _without_comment(line: str) -> str:
    return line.partition("<!--")[0].strip()


def _shortened(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST_QUOTE else f"{words[:_LONGEST_QUOTE].rstrip()} …"


def _bare(words: str) -> str:
    return " ".join(words.split()).strip(" .。!！?？")


def written_words(acts: Sequence[Act]) -> frozenset[str]:
    return frozenset(_bare(act.words) for act in acts if act.job == "write")
