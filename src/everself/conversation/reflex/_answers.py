"""Builds the reflex's replies from the results of its tool calls. Quotes memory and says nothing about it that is not in it."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from everself.classify.asks import terms_of, topic_of
from everself.classify.pairs import answering
from everself.conversation.reflex._plan import CORE, IDENTITY, Act
from everself.conversation.reflex.replies import reply
from everself.frozen import Frozen
from everself.models.chat.protocol import ToolReturn
from everself.text.markdown.comment import find_comment
from everself.text.markdown.labels import read_labels
from everself.text.sentences import Language

_MOST_LISTED: Final = 6
_MOST_PLACES: Final = 3
_MOST_LABELS: Final = 3
# beginnings of lines that are not entries: headings, references to moved entries
_NO_ENTRY: Final = ("#", "→")
_LONGEST_QUOTE: Final = 400
_HALF: Final = 0.5
# sources that a person stated, unlike what was found or concluded
_SAID: Final = frozenset({"owner", "correction"})
# records of changes to memory: their content is in memory itself, in the person's words
_RECORDS: Final = frozenset({"CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md"})

_LINES: Final = r"#L\d+(?:-L?\d+)?"
_NOTE: Final = r"(?:^|/)memory/\d{4}-\d\d-\d\d-[^/]+\.md$"
_SPOKEN: Final = r"(?m)^\s*(?:[-*] )?(?:User|Assistant): "


class Found(Frozen):
    words: str
    citation: str
    source: str = ""
    # the day it was last heard, if its line says so
    seen: str = ""
    # a later statement, if it was never decided which of the two holds
    later: str = ""


def answer(act: Act, returns: Sequence[ToolReturn], written: frozenset[str]) -> str:
    """The reply to one act; what was written is reported by `confirm`.

    `written` are the statements of this very message, which do not answer its own questions.
    """
    match act.job:
        case "write":
            return ""
        case "forget":
            return _forgotten(act, returns[0]) if returns else ""
        case "day":
            return _listed(act, "day", _of_days(act, returns)[: 2 * _MOST_LISTED], act.words)
        case "agent":
            return _identity(act, returns)
        case "all":
            return _grouped(act, returns)
        case "about" | "answer" | "owner":
            searched = [one for one in returns if one.name == "memory_search"]
            failed = next((one for one in searched if one.failed), None)
            if failed is not None:
                return reply("unsearched", act.language, why=_why(failed))
            known = _labels(returns) if act.job == "owner" else []
            if known:
                return reply("owner", act.language, words=", ".join(known), where=_path(returns[0]))
            found = [one for one in found_in(searched) if _bare(one.words) not in written]
            return _about(act, found) if act.job == "about" else _answer(act, found)


def _answer(act: Act, found: Sequence[Found]) -> str:
    """Quote the best hit if it probably is the answer; show it as the nearest if it may be; otherwise say that it is not known."""
    judged = answering(act.words, [one.words for one in found])
    if not judged.near:
        return reply("unknown", act.language)
    one = found[judged.best]
    if one.later:
        return reply("doubtful", act.language, words=_shortened(one.words), where=one.citation, later=one.later)
    key = "nearest" if not judged.sure else "told" if one.source in _SAID else "noted"
    return reply(key, act.language, words=_shortened(one.words), where=one.citation)


def _about(act: Act, found: Sequence[Found]) -> str:
    """The hits that share most words with the question's topic: at least half as many as the best one."""
    topic = topic_of(act.words)
    shared = [len(topic & terms_of(one.words)) for one in found]
    most = max(shared, default=0)
    listed = [one for one, count in zip(found, shared, strict=True) if count and count >= _HALF * most]
    return _listed(act, "about", listed[:_MOST_LISTED])


def _listed(act: Act, key: str, found: Sequence[Found], what: str = "") -> str:
    if not found:
        return reply(f"{key}_none", act.language, what=what)
    lines = [
        f"- {_shortened(one.words)} ({one.citation})" + (f" ← “{one.later}”?" if one.later else "") for one in found
    ]
    return "\n".join((reply(key, act.language, what=what), *lines))


def _of_days(act: Act, returns: Sequence[ToolReturn]) -> list[Found]:
    """Entries of these days' logs, and core entries that were last heard on one of them."""
    read = [(str(need.arguments["path"]), given) for need, given in zip(act.needs, returns, strict=False)]
    days = {path.rpartition("/")[2].removesuffix(".md") for path, _ in read}
    return [one for path, given in read for one in _entries(given) if path != CORE or one.seen in days]


def _identity(act: Act, returns: Sequence[ToolReturn]) -> str:
    known = _labels(returns)
    own = [reply("identity", act.language, words=", ".join(known), where=IDENTITY)] if known else []
    return "\n".join((*own, reply("self", act.language)))


def _grouped(act: Act, returns: Sequence[ToolReturn]) -> str:
    """The latest valid entries of each file, a few lines each, and how many more there are."""
    lines: list[str] = []
    for one in returns:
        found = list(_entries(one))
        lines += [f"{_path(one)}:"] if found else []
        lines += [f"- … +{len(found) - _MOST_LISTED}"] if len(found) > _MOST_LISTED else []
        lines += [f"- {_shortened(each.words)} ({each.citation})" for each in found[-_MOST_LISTED:]]
    return "\n".join((reply("all", act.language), *lines)) if lines else reply("all_none", act.language)


def _labels(returns: Sequence[ToolReturn]) -> list[str]:
    """The first filled-in values of a file made of labels."""
    read = _object(returns[0].content) if returns and not returns[0].failed else {}
    values = [one.value for one in read_labels(str(read.get("text", "")).encode()) if one.value]
    return list(dict.fromkeys(values))[:_MOST_LABELS]


def _path(given: ToolReturn) -> str:
    return str(_object(given.content).get("path", ""))


def _entries(given: ToolReturn) -> Iterator[Found]:
    """The lines of a file with content that still holds: no headings, comments or unfilled labels."""
    read = _object(given.content) if not given.failed else {}
    text, first = str(read.get("text", "")), read.get("from")
    start = first if isinstance(first, int) else 1
    data = text.encode()
    skipped = {data[: one.start].count(b"\n") + start for one in read_labels(data) if not one.value}
    skipped |= _ended_lines(read)
    commented = False
    for number, line in enumerate(text.splitlines(), start):
        words, commented = _without_comment(line, commented)
        words = words.removeprefix("- ").strip()
        if words and number not in skipped and not words.startswith(_NO_ENTRY):
            said = find_comment(line.encode(), 0, len(line.encode()))
            yield Found(words, f"{read.get('path')}#L{number}", seen=said.comment.get("seen") if said else "")


def _ended_lines(read: dict[str, object]) -> set[int]:
    listed = read.get("ended")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {line for one in found for line in range(int(one.get("from", 0)), int(one.get("to", -1)) + 1)}


def _without_comment(line: str, commented: bool) -> tuple[str, bool]:
    """The part of a line outside a comment, and whether a comment continues after it."""
    if commented:
        _, end, line = line.partition("-->")
        if not end:
            return "", True
    before, begin, after = line.partition("<!--")
    return before, bool(begin) and "-->" not in after


def confirm(language: Language, returns: Sequence[ToolReturn]) -> list[str]:
    """The sentences that confirm everything written, one for all of it."""
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
    """The text with line numbers removed from its citations, because a person who just said something does not need them."""
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
    return reply("forget_none", act.language)


def _shown(candidate: object) -> str:
    if not isinstance(candidate, dict):
        return str(candidate)
    words = candidate.get("text") or candidate.get("words") or candidate.get("snippet") or ""
    named = candidate.get("entry") or candidate.get("id") or candidate.get("citation") or ""
    return f"{_shortened(str(words))} ({named})"


def found_in(returns: Sequence[ToolReturn]) -> list[Found]:
    """The results of searches in order, each memory once."""
    found: dict[str, Found] = {}
    for one in returns:
        results = _object(one.content).get("results") if not one.failed else None
        for result in results if isinstance(results, list) else ():
            # an ended result answers nothing: the current one is in memory too
            if not isinstance(result, dict) or result.get("ended"):
                continue
            if result.get("path") not in _RECORDS and not _is_transcript(result):
                words, citation = str(result.get("snippet", "")), str(result.get("citation", ""))
                # text that Everself reworded is a note, not a statement of anybody
                source = "" if result.get("reworded") else str(result.get("source", ""))
                found.setdefault(citation, Found(words, citation, source, later=str(result.get("later", ""))))
    return list(found.values())


def _is_transcript(result: dict[str, object]) -> bool:
    """Whether the result is a line of conversation quoted in a session note. Its statements are in memory themselves, and it contains
    questions too."""
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


def _shortened(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST_QUOTE else f"{words[:_LONGEST_QUOTE].rstrip()} …"


def _bare(words: str) -> str:
    return " ".join(words.split()).strip(" .。!！?？")


def written_words(acts: Sequence[Act]) -> frozenset[str]:
    return frozenset(_bare(act.words) for act in acts if act.job == "write")
