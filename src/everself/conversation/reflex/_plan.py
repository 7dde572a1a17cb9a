"""From a message to what the reflex does about it: what to write, to look up, to forget, and what to say to the rest.

Pure: the same message gives the same plan, so that the second step of a turn knows what the first one asked for.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from everself.classify.sentence_kinds import Language, Sentence, SentenceKind
from everself.classify.sentences import language_of
from everself.classify.shown import shown
from everself.classify.statements import is_command, read
from everself.classify.wording import folded, wording
from everself.conversation.reflex._questions import FILE, Asked, ask
from everself.text.dates import read_dates
from everself.values import Tag

RESULTS: Final = 10
# what is asked in one breath; more is somebody else's text
_MOST_QUESTIONS: Final = 3
_MOST_DAYS: Final = 7
_TAGS: Final = frozenset({Tag.EVENT, Tag.KNOWLEDGE, Tag.SKILL, Tag.DECISION})

Job = Literal["write", "answer", "about", "day", "forget"]
Remark = Literal["greeting", "thanks", "order", "self", "okay", "shown", "command"]


@dataclass(frozen=True, slots=True)
class Need:
    """One call of a tool, by name and arguments."""

    tool: str
    arguments: dict[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class Act:
    """Something to do with tools. `words` is what is written, asked about or to be forgotten."""

    job: Job
    language: Language
    words: str
    needs: tuple[Need, ...]
    asked: Asked | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """`remarks` need no tool."""

    language: Language
    acts: tuple[Act, ...]
    remarks: tuple[Remark, ...]


def plan_reply(text: str, done: tuple[str, ...], today: date | None) -> Plan:
    """`done` is what was made of the message before: a correction that was acted on is not written once more."""
    reading = read(text)
    language = language_of(text)
    acts: list[Act] = []
    remarks: list[Remark] = []
    before = ""
    for sentence in reading.sentences:
        match sentence.kind:
            case SentenceKind.STATEMENT | SentenceKind.REMEMBER:
                if not done or (sentence.tag is not Tag.CORRECTION and len(reading.sentences) > 1):
                    acts.append(_write(sentence))
            case SentenceKind.FORGET:
                what = sentence.what or sentence.text
                acts.append(Act("forget", sentence.language, what, (Need("memory_forget", {"what": what}),)))
            case SentenceKind.QUESTION if wording(sentence.language, "agent", FILE).within(folded(sentence.text)):
                remarks.append("self")
            case SentenceKind.QUESTION:
                acts.append(_question(sentence, before, today))
            case SentenceKind.GREETING:
                remarks.append("greeting")
            case SentenceKind.THANKS:
                remarks.append("thanks")
            case SentenceKind.ORDER:
                remarks.append("order")
            case SentenceKind.OTHER:
                pass
        before = sentence.text
    if any(char.isalpha() for char in shown(text)) and not any(act.job == "write" for act in acts):
        remarks.append("shown")
    if not acts and not remarks and not done:
        remarks = ["command" if is_command(text) else "okay"]
    return Plan(language, tuple(acts), tuple(dict.fromkeys(remarks)))


def _write(sentence: Sentence) -> Act:
    explicit = sentence.kind is SentenceKind.REMEMBER
    words = (sentence.what or sentence.text) if explicit else sentence.text
    tag = sentence.tag if sentence.tag in _TAGS else Tag.KNOWLEDGE
    arguments: dict[str, str | int | float | bool] = {"content": words, "tag": tag.value}
    if explicit:
        arguments["explicit"] = True
    return Act("write", sentence.language, words, (Need("memory_write", arguments),))


def _question(sentence: Sentence, before: str, today: date | None) -> Act:
    language, text = sentence.language, sentence.text
    plain = folded(text)
    if today is not None and wording(language, "day", FILE).within(plain):
        days = _days(text, today)
        if days:
            needs = tuple(Need("memory_get", {"path": f"memory/{day.isoformat()}.md"}) for day in days)
            shown = days[0].isoformat() if len(days) == 1 else f"{days[-1].isoformat()} – {days[0].isoformat()}"
            return Act("day", language, shown, needs)
    about = wording(language, "about", FILE).meant(plain)
    if about is not None and about != (0, 0):
        what = text[about[0] : about[1]].strip(" ?？")
        asked = ask(what, language)
        if asked.words:
            return Act("about", language, what, (_search(what),), asked)
    asked = ask(text, language)
    if not asked.words and not asked.concepts and not asked.own_name and before:
        # "I can't find my ticket. Where is it?"
        asked = ask(f"{before} {text}", language)
    return Act("answer", language, text, tuple(map(_search, asked.queries)), asked)


def _search(query: str) -> Need:
    return Need("memory_search", {"query": query, "maxResults": RESULTS, "minScore": 0.0})


def _days(text: str, today: date) -> tuple[date, ...]:
    """The days that a question names, newest first."""
    found: set[date] = set()
    for span in read_dates(text, today):
        first = max(span.first, span.last - timedelta(days=_MOST_DAYS - 1))
        found.update(first + timedelta(days=step) for step in range((span.last - first).days + 1))
    return tuple(sorted((day for day in found if day <= today), reverse=True)[:_MOST_DAYS])


def questions_within(plan: Plan) -> Plan:
    """The plan with no more questions than one breath holds."""
    kept: list[Act] = []
    for act in plan.acts:
        asking = act.job in ("answer", "about", "day")
        if not asking or sum(one.job in ("answer", "about", "day") for one in kept) < _MOST_QUESTIONS:
            kept.append(act)
    return Plan(plan.language, tuple(kept), plan.remarks)
