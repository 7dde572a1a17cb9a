"""Plans what the reflex does with a message: what to write, look up and forget, and how to answer the rest.

Pure: the same message gives the same plan, so the second step of a turn knows what the first one requested.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal

from everself.classify.asks import asks, terms_of
from everself.classify.messages import read_whole
from everself.classify.model import score
from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.classify.shown import shown
from everself.classify.statements import is_command, read
from everself.frozen import Frozen
from everself.text.dates import read_dates
from everself.text.sentences import Language, language_of, letters_in
from everself.values import Tag

RESULTS: Final = 10
# most questions a person asks at once; more is somebody else's text
_MOST_QUESTIONS: Final = 3
_MOST_DAYS: Final = 7
# letters of an "ok"
_BRIEF: Final = 15
_TAGS: Final = frozenset({Tag.EVENT, Tag.KNOWLEDGE, Tag.SKILL, Tag.DECISION})
_CLEAR: Final = frozenset({SentenceKind.QUESTION, SentenceKind.ORDER, SentenceKind.STATEMENT, SentenceKind.REMEMBER})
# "how are you?" is a greeting, and "can you draw it?" an order
_UNASKED: Final = frozenset({SentenceKind.STATEMENT, SentenceKind.OTHER})
IDENTITY: Final = "IDENTITY.md"
USER: Final = "USER.md"
CORE: Final = "MEMORY.md"

Job = Literal["write", "answer", "agent", "owner", "all", "about", "day", "forget"]
Remark = Literal["greeting", "thanks", "order", "remind", "okay", "shown", "shown_rest", "command", "unkept"]


class Need(Frozen):
    tool: str
    arguments: dict[str, str | int | float | bool]


class Act(Frozen):
    """Something to do with tools. `words` is what to write, to answer or to forget."""

    job: Job
    language: Language
    words: str
    needs: tuple[Need, ...]


class Plan(Frozen):
    """`remarks` need no tools."""

    language: Language
    acts: tuple[Act, ...]
    remarks: tuple[Remark, ...]


def plan_reply(text: str, done: tuple[str, ...], today: date | None) -> Plan:
    """`done` is what was already done with the message: a correction that was acted on is not written again."""
    reading, seen = read(text), shown(text)
    acts: list[Act] = []
    remarks: list[Remark] = []
    before = ""
    for sentence in reading.sentences:
        asked = asks(sentence.text) if sentence.kind in _CLEAR or _may_ask(sentence, reading, seen) else None
        if asked == "remind":
            # the statement in it is stored all the same
            remarks.append("remind")
        match sentence.kind:
            case SentenceKind.STATEMENT | SentenceKind.REMEMBER:
                if not done or (sentence.tag is not Tag.CORRECTION and len(reading.sentences) > 1):
                    acts.append(_write(sentence))
            case SentenceKind.FORGET:
                what = sentence.what or sentence.text
                acts.append(Act("forget", sentence.language, what, (Need("memory_forget", {"what": what}),)))
            case _ if asked == "remind":
                pass
            case _ if asked is not None or sentence.kind is SentenceKind.QUESTION:
                acts.append(_question(sentence, asked, before, today))
            case SentenceKind.ORDER:
                remarks.append("order")
            case SentenceKind.GREETING:
                remarks.append("greeting")
            case SentenceKind.THANKS:
                remarks.append("thanks")
            case SentenceKind.OTHER:
                pass
        before = sentence.text
    if not done and all(act.job == "write" for act in acts):
        acts += [_question(one, None, "", today) for one in _asked_in(reading, seen)]
    if any(char.isalpha() for char in seen):
        said = sum(len(act.words) for act in acts if act.job == "write")
        if not said:
            remarks.append("shown")
        elif len(seen) > said:
            # without it, "I'll remember that" would seem to be about the pasted text
            remarks.append("shown_rest")
    if not acts and not remarks and not done:
        # whoever said more than an "ok" may have told something, and would take "All right." for a yes
        remarks = ["command" if is_command(text) else "okay" if letters_in(text) <= _BRIEF else "unkept"]
    return Plan(language_of(text), tuple(acts), tuple(dict.fromkeys(remarks)))


def _asked_in(reading: Reading, seen: str) -> Sequence[Sentence]:
    """The likeliest question of a message that asks more than it tells, though none of its sentences asks by itself."""
    said = [one for one in reading.sentences if one.text not in seen and not is_command(one.text)]
    whole = read_whole([one.text for one in said]) if reading.asks and said else None
    if whole is None or whole["asks"] <= whole["keep"]:
        return ()
    return sorted((one for one in said if one.kind in _UNASKED), key=lambda one: score(one.text)["question"])[-1:]


def _may_ask(sentence: Sentence, reading: Reading, seen: str) -> bool:
    """Whether a short message that reads like small talk or like nothing may contain a question about memory. Quoted text does not
    count."""
    if len(reading.sentences) > _MOST_QUESTIONS or sentence.kind is SentenceKind.FORGET:
        return False
    # "who are you" can be a greeting and is a question all the same; "hello" is not
    greets = sentence.kind is not SentenceKind.OTHER and not score(sentence.text).says("question")
    return not greets and sentence.text not in seen and not is_command(sentence.text)


def _write(sentence: Sentence) -> Act:
    explicit = sentence.kind is SentenceKind.REMEMBER
    words = (sentence.what or sentence.text) if explicit else sentence.text
    tag = sentence.tag if sentence.tag in _TAGS else Tag.KNOWLEDGE
    arguments: dict[str, str | int | float | bool] = {"content": words, "tag": tag.value}
    if explicit:
        arguments["explicit"] = True
    return Act("write", sentence.language, words, (Need("memory_write", arguments),))


def _question(sentence: Sentence, asked: str | None, before: str, today: date | None) -> Act:
    language, text = sentence.language, sentence.text
    match asked:
        case "agent":
            return Act("agent", language, text, (_read(IDENTITY),))
        case "owner":
            return Act("owner", language, text, (_read(USER), _search(text)))
        case "all":
            days = () if today is None else tuple(today - timedelta(days=step) for step in range(_MOST_DAYS))
            return Act("all", language, text, (_read(USER), _get(CORE), *map(_log, days)))
        case "day" if today is not None and (named := _days(text, today)):
            shown_as = named[0].isoformat() if len(named) == 1 else f"{named[-1].isoformat()} – {named[0].isoformat()}"
            # corrections and lasting entries of that day are in the core
            return Act("day", language, shown_as, (*map(_log, named), _get(CORE)))
        case "about":
            return Act("about", language, text, (_search(text),))
        case _:
            # "I can't find my ticket. Where is it?"
            words = text if terms_of(text) or not before else f"{before} {text}"
            return Act("answer", language, words, (_search(words),))


def _search(query: str) -> Need:
    return Need("memory_search", {"query": query, "maxResults": RESULTS, "minScore": 0.0})


def _read(path: str) -> Need:
    """Read a file that is not memory and not indexed."""
    return Need("file_read", {"path": path})


def _get(path: str) -> Need:
    return Need("memory_get", {"path": path})


def _log(day: date) -> Need:
    return _get(f"memory/{day.isoformat()}.md")


def _days(text: str, today: date) -> Sequence[date]:
    """The days that a question names, newest first."""
    found: set[date] = set()
    for span in read_dates(text, today):
        first = max(span.first, span.last - timedelta(days=_MOST_DAYS - 1))
        found.update(first + timedelta(days=step) for step in range((span.last - first).days + 1))
    return tuple(sorted((day for day in found if day <= today), reverse=True)[:_MOST_DAYS])


def questions_within(plan: Plan) -> Plan:
    """The plan with at most `_MOST_QUESTIONS` questions."""
    kept: list[Act] = []
    for act in plan.acts:
        asking = act.job not in ("write", "forget")
        if not asking or sum(one.job not in ("write", "forget") for one in kept) < _MOST_QUESTIONS:
            kept.append(act)
    return Plan(plan.language, tuple(kept), plan.remarks)
