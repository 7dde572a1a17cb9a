"""Applies a correction immediately: closes the wrong entry and writes the right one, before any model sees the message.

Changes only what is unambiguous: one entry that contains the wrong words, or one of which the message gives another value; what
says the same as that entry is closed with it. Where that is not clear it closes nothing, keeps what was said, and asks. Does not judge
whether a message is a correction: triage does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.corrections import Correction, hint_of_correction
from everself.classify.coverage import count_words, is_chatter, same_fact, words_in_common, words_shared
from everself.classify.difference import differ_in_one_word, find_difference
from everself.classify.openers import bare
from everself.classify.pairs import replaces
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.shown import said as spoken
from everself.classify.statements import is_command, read
from everself.classify.triage import Triage, Verdict
from everself.classify.wording import words_of
from everself.conversation.reflex.replies import reply
from everself.conversation.replacements import Replaced, find_replaced
from everself.conversation.resources import Acted
from everself.conversation.tools.protocol import ToolContext, Written
from everself.errors import NotFound, RefusedByRule
from everself.memory.closing import part_of
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, CORRECTION, HAND, is_human, kept, rank, stated_by_owner
from everself.memory.remainders import apart_from, says_again, untouched
from everself.memory.writing import NewEntry
from everself.search.recall import Recall, RecallRequest
from everself.search.scopes import SessionKind
from everself.search.similarity import TextSimilarity
from everself.text.folding import fold_in_place
from everself.text.note_quotes import parts_of
from everself.text.quantities import read_quantities
from everself.text.search import TermKind, read_query
from everself.text.sentences import Language, language_of
from everself.text.yes_no import read_answer
from everself.values import Entry, Origin, Tier
from everself.workspace.layout import place

_LOOKED_AT: Final = 12
_NAMED: Final = 3
# a message up to this length is one thing, and says in one sentence what another one leaves out
_WHOLE: Final = 300
# share of common words, of either sentence, for two sentences to be about the same
_SHARED: Final = 0.5
# required similarity where they share fewer words
MATCH: Final = 0.85
_SPECIFIC: Final = 3
# how near the embeddings of two statements are of which one may replace the other: nine in ten that do, one in twenty that have
# nothing to do with each other (tests/corpora/pairs)
_RELATED: Final = 0.25
# words that a correction has in common with what it may correct
_IN_COMMON: Final = 2
# words that a sentence needs to be worth storing
_TELLING: Final = 2

# an entry, and others that say the same
Copies = tuple[Entry, ...]

_DONE: Final[dict[Language, str]] = {
    "en": 'Corrected: "{old}" is closed, "{new}" holds now ({where}).',
    "zh": "已更正：“{old}”不再成立，现在是“{new}”（{where}）。",
    "ko": "고쳤어요: “{old}” 대신 이제 “{new}” ({where}).",
    "ja": "訂正しました：「{old}」ではなく「{new}」です（{where}）。",
}
_KEPT: Final[dict[Language, str]] = {
    "en": 'Noted: "{new}" ({where}).',
    "zh": "已记下：“{new}”（{where}）。",
    "ko": "적어 두었어요: “{new}” ({where}).",
    "ja": "「{new}」と書き留めました（{where}）。",
}
_WHICH: Final[dict[Language, str]] = {
    "en": "Which of these is wrong: {all}? /forget with its words takes it away.",
    "zh": "这几条里哪一条不对：{all}？用 /forget 加上那句话就能去掉。",
    "ko": "이 중에서 어느 것이 틀렸나요: {all}? /forget 뒤에 그 말을 쓰면 지워요.",
    "ja": "このうちどれが間違っていますか：{all}。/forget とその言葉で消せます。",
}
_STILL_ONE: Final[dict[Language, str]] = {
    "en": "Does this still hold: {all}? Answer yes or no.",
    "zh": "这条还对吗：{all}？请回答是或不是。",
    "ko": "이건 아직 맞나요: {all}? 네 또는 아니요로 답해 주세요.",
    "ja": "これはまだ正しいですか：{all}。「はい」か「いいえ」で答えてください。",
}
_STILL: Final[dict[Language, str]] = {
    "en": "Does this still hold: {all}? If not, /forget with its words takes it away.",
    "zh": "这条还对吗：{all}？不对的话，用 /forget 加上那句话就能去掉。",
    "ko": "이건 아직 맞나요: {all}? 아니라면 /forget 뒤에 그 말을 쓰면 지워요.",
    "ja": "これはまだ正しいですか：{all}。違うなら /forget とその言葉で消せます。",
}
_WHAT: Final[dict[Language, str]] = {
    "en": "What exactly is wrong, and what is right? Nothing was changed.",
    "zh": "具体哪里不对，正确的是什么？目前没有改动任何内容。",
    "ko": "정확히 무엇이 틀렸고 무엇이 맞나요? 아직 아무것도 바꾸지 않았어요.",
    "ja": "何が間違っていて、正しくは何でしょうか。まだ何も変えていません。",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whether these entries still hold, beside the newer one that was kept."""

    older: tuple[str, ...]
    newer: str
    language: Language


@dataclass(frozen=True, slots=True)
class CorrectionHandler:
    """`handle` passes a message on to a program that asked for such messages, and says whether it took it. `before` writes down what was
    said earlier in the conversation: what is wrong may stand nowhere else yet. `alike` is calibrated similarity. `asked` is what each
    session was asked last: the next message may answer it, and none after that."""

    memory: Memory
    recall: Recall
    triage: Triage
    handle: Callable[[str, str], bool] = lambda _, __: False
    before: Callable[[ToolContext], object] = lambda _: None
    alike: Callable[[str, Sequence[str]], Sequence[float]] = TextSimilarity().of
    asked: dict[str, _Asked] = field(default_factory=dict)

    def process(self, text: str, setting: ToolContext) -> Acted:
        """Read a message and act on it."""
        asked = self.asked.pop(setting.session, None) if setting.by_owner else None
        if asked is not None and text.strip() and read_answer(text) is not None:
            return Acted() if read_answer(text) else self._close(asked)
        verdict = self.triage.read(text)
        taken = [self.handle(program, text) for program in verdict.routes] if setting.by_owner else []
        if verdict.about == "tool" and taken[:1] == [True]:
            # the handler program took the message: it is about the agent's abilities, and no memory is wrong
            return Acted()
        return self.act(text, verdict, setting)

    def act(self, text: str, verdict: Verdict, setting: ToolContext) -> Acted:
        # what others say in a group corrects nothing that the owner said
        if not setting.by_owner or setting.scope.kind is not SessionKind.MAIN:
            return Acted()
        told = verdict.correction
        if told is None:
            return self._look_again(text, setting)
        if is_command(text) or read(told.trigger).of(SentenceKind.FORGET):
            # neither a request to forget nor a command is a correction
            return Acted()
        language = language_of(told.trigger, text)
        if told.sure == "low" and bare(told.trigger).casefold() != told.trigger.strip().casefold():
            # "no, …" says that something is wrong, whatever the head thinks of the rest
            told = replace(told, sure="medium")
        self.before(setting)
        found = self._found(f"{told.trigger} {told.old}", setting)
        message = spoken(text)
        around = self._found(message, setting) if message.strip() != told.trigger and len(message) <= _WHOLE else []
        replaced = find_replaced([*found, *(one for one in around if one not in found)], told, message)
        if replaced is not None and replaced.sure:
            return self._put_right(replaced, told, setting, language)
        wrong, unsure = self._wrong(found, told)
        if wrong:
            return self._put_right(self._right(wrong, told), told, setting, language)
        if replaced is not None:
            unsure = [replaced.entries]
        elif told.sure == "low":
            # who only tells of a change is asked about what it would change, and about nothing that is merely alike
            right = bare(told.trigger)
            unsure = [one for one in unsure if _differ(one[0].text, right)] or _changed(_copies(found, told), right)
        if unsure:
            listed = "; ".join(f"{copies[0].text} ({copies[0].reference})" for copies in unsure[:_NAMED])
            # what was said is kept all the same: whoever does not answer has told it
            noted = Acted() if _contrasts(told) else self._note(told, setting, language)
            if len(unsure) == 1 and noted.written:
                older = tuple(one.id for one in unsure[0])
                self.asked[setting.session] = _Asked(older, noted.written[0].entry, language)
                return replace(noted, question=_STILL_ONE[language].format(all=listed))
            asked = _STILL if told.sure == "low" else _WHICH
            return replace(noted, question=asked[language].format(all=listed))
        again = next((one for one in found if _is_repeated(one, told)), None)
        if again is not None:
            # said once more, it is a mention
            return self._note(replace(told, trigger=again.text), setting, language)
        # who tells of a change of something that nobody knows states it, and that is kept as any statement
        return Acted() if told.sure == "low" else self._note(told, setting, language)

    def _look_again(self, text: str, setting: ToolContext) -> Acted:
        """What is no correction by its words may be one by what is known: it gives something another value. Asks nothing."""
        message = spoken(text).strip()
        if len(message) > _WHOLE or not read_quantities(message) or is_command(text) or not _states(message):
            return Acted()
        self.before(setting)
        told = Correction("hint", message, likely=hint_of_correction(message))
        replaced = find_replaced(self._found(message, setting), told, message)
        if replaced is None or not replaced.sure:
            return Acted()
        return self._put_right(replaced, told, setting, language_of(message))

    def _close(self, asked: _Asked) -> Acted:
        """The owner says that it no longer holds. What was closed, changed or forgotten since the question stays as it is."""
        newer = self.memory.catalog.find(asked.newer)
        older = [one for name in asked.older if (one := self.memory.catalog.find(name)) is not None and not one.closed]
        if newer is None or newer.closed or not older:
            return Acted()
        change = ""
        for one in older:
            change = self.memory.supersede(one.id, newer.id)
        done = _DONE[asked.language].format(old=older[0].text, new=newer.text, where=newer.reference)
        return Acted((Written("corrected", newer.text, newer.reference, newer.id, change),), (done,))

    def _wrong(self, found: list[Entry], told: Correction) -> tuple[Copies, Sequence[Copies]]:
        """The entry that is wrong with all that say the same, or those of which one may be."""
        # phrases like "not me" occur in many entries
        if _contrasts(told):
            # "the old cat Mira" is known as "Mira": where nothing holds all the words, the last one is tried
            for old in dict.fromkeys((told.old, told.old.split()[-1])):
                holding = [entry for entry in found if _holds(entry.text, old)]
                if holding:
                    return _choose_holding(_copies(holding, told), replace(told, old=old))
        return self._choose_alike(_copies(found, told), told)

    def _choose_alike(self, found: list[Copies], told: Correction) -> tuple[Copies, Sequence[Copies]]:
        """The one entry that gives the same thing another value. Closed only where that is all that tells them apart: two that share most
        of their words may both hold, and so may two that are alike; those are asked about."""
        right = bare(told.trigger)
        said = _terms(right)
        # an entry that only says what is right is not wrong
        other = [copies for copies in found if _terms(copies[0].text) - said]
        valued = [copies for copies in other if contradicts(copies[0].text, right)]
        if valued:
            return (valued[0], ()) if len(valued) == 1 and told.sure != "low" else ((), valued)
        shares = [(_share(said, _terms(copies[0].text)), copies) for copies in other]
        most = max((share for share, _ in shares), default=0.0)
        best = [copies for share, copies in shares if most and share == most]
        if not best and other and said:
            best = self._alike(right, other)
        if len(best) == 1 and told.sure == "high" and differ_in_one_word(best[0][0].text, right):
            return best[0], ()
        return (), best

    def _alike(self, right: str, other: list[Copies]) -> list[Copies]:
        """Those that mean about the same; where none does, those that it may be another value of, the likeliest first; else those that have
        most words in common."""
        scores = self.alike(right, [copies[0].text for copies in other])
        best = [copies for copies, score in zip(other, scores, strict=True) if score >= MATCH]
        return best or _changed(other, right) or _nearest(other, right)

    def _found(self, query: str, setting: ToolContext) -> list[Entry]:
        request = RecallRequest(
            query, limit=_LOOKED_AT, min_score=0.0, scope=setting.scope, recorded=False, counted=False
        )
        ids = dict.fromkeys(hit.entry for hit in self.recall.search(request).hits if hit.entry)
        entries = [entry for one in ids if (entry := self.memory.catalog.find(one)) is not None]
        known = [one for one in entries if not one.closed and one.tier is not Tier.SOUL]
        return [part for one in known if not place(one.path).humans_only for part in _parts(one, query)]

    def _right(self, wrong: Copies, told: Correction) -> Replaced:
        """What is written in the place of what is wrong: the first of the entries with the right words, or what was said."""
        right = bare(told.trigger)
        restated = _restated(wrong[0].text, told)
        rest = [(one, untouched(one.text, told.trigger)) for one in wrong] if not restated else []
        return Replaced(wrong, right, restated or right, True, tuple((one, left) for one, left in rest if left))

    def _put_right(self, replaced: Replaced, told: Correction, setting: ToolContext, language: Language) -> Acted:
        wrong, right = replaced.entries, replaced.text
        first = wrong[0]
        # other people's text does not become the owner's: nothing of their entry is kept
        theirs = any(rank(self.memory.trust(one)) < rank(HAND) for one in wrong)
        if theirs and not _tells(replaced.words):
            return Acted(question=_WHAT[language])
        if theirs:
            right = replaced.words
        rest = () if theirs else replaced.rest
        # what a note of the agent quotes stays by itself
        left = [part_of(one, words, kept(one)) for one, words in rest if is_human(one.source) and not is_chatter(words)]
        copies = tuple(one.id for one in wrong[1:])
        trigger, sure = told.trigger, _confidence(told)
        try:
            made = self.memory.correct(
                first.id, right, _origin(setting), said=first.text, trigger=trigger, sure=sure, copies=copies, kept=left
            )
        except (RefusedByRule, NotFound):
            return Acted(question=_WHAT[language])
        entry = self.memory.catalog.get(made.entry)
        done = _DONE[language].format(old=first.text, new=entry.text, where=entry.reference)
        written = Written("corrected", entry.text, entry.reference, made.entry, made.change, made.redacted)
        return Acted((written,), (done, *_left_out(made.redacted, language)))

    def _note(self, told: Correction, setting: ToolContext, language: Language) -> Acted:
        """Nothing is known that could be wrong. What was said is kept where it says something, in the words it was said in."""
        said = bare(told.trigger)
        if not _tells(said):
            return Acted(question=_WHAT[language])
        key = f"correcting:{setting.message}"
        try:
            made = self.memory.remember(NewEntry(told.trigger, _origin(setting), "correction", key=key))
        except RefusedByRule:
            return Acted()
        entry = self.memory.catalog.find(made.entry)
        where, words = (entry.reference, entry.text) if entry is not None else (made.path, told.trigger)
        done = _KEPT[language].format(new=words, where=where)
        written = Written("remembered", words, where, made.entry, made.change, made.redacted)
        return Acted((written,), (done, *_left_out(made.redacted, language)))


def _parts(entry: Entry, said: str) -> Iterator[Entry]:
    """A note without what it quotes of the same, where the wrong value would stand a second time, or that in its place where it is nearer
    to what is said now; what it quotes of something else is another statement."""
    claim, quoted = parts_of(entry.text) if entry.source == AGENT else (entry.text, "")
    other = apart_from(quoted, claim)
    same = [one for one in (claim, "" if other else quoted) if one]
    yield entry._replace(text=max(same, key=lambda one: len(words_in_common(one, said)) / max(1, count_words(one))))
    if other:
        yield entry._replace(text=other)


def _confidence(told: Correction) -> str:
    """As the record has it: the seed knows two."""
    return "high" if told.sure == "high" else "medium"


def _left_out(secrets: tuple[str, ...], language: Language) -> tuple[str, ...]:
    return (reply("left_out", language),) if secrets else ()


def _origin(setting: ToolContext) -> Origin:
    """A message that triage reads as a correction is the owner's own: nobody else's gets here."""
    return stated_by_owner("chat", f"msg:{setting.message}")


def _is_repeated(entry: Entry, told: Correction) -> bool:
    """Whether a correction says only what another one put right before."""
    return entry.source == CORRECTION and says_again(entry.text, bare(told.trigger))


def _states(message: str) -> bool:
    """Whether all of it is stated."""
    found = read(message)
    return bool(found.of(*KEPT)) and not found.of(SentenceKind.QUESTION, SentenceKind.FORGET)


def _tells(said: str) -> bool:
    return len(_terms(said)) >= _TELLING and bool(read(said).of(SentenceKind.STATEMENT))


def _copies(found: Sequence[Entry], told: Correction) -> list[Copies]:
    """What says the same taken together, in the order in which it was found. Copies have the same in common with what was said: the head
    takes the brother's birthday for the sister's, and who corrects the one says nothing of the other."""
    said = _terms(told.trigger)
    made: list[Copies] = []
    for entry in found:
        shared = said & _terms(entry.text)
        at = next(
            (
                at
                for at, (first, *_) in enumerate(made)
                if said & _terms(first.text) == shared and same_fact(first.text, entry.text)
            ),
            None,
        )
        if at is None:
            made.append((entry,))
        else:
            made[at] = (*made[at], entry)
    return made


def _choose_holding(found: list[Copies], told: Correction) -> tuple[Copies, Sequence[Copies]]:
    """Of the entries that hold the wrong words, the one that is about the same."""
    fresh = [copies for copies in found if not _holds(copies[0].text, told.new)]
    topic = {term for term in _terms(told.trigger) if not _within(term, told.old) and not _within(term, told.new)}
    shared = [len(topic & _terms(copies[0].text)) for copies in fresh]
    most = max(shared, default=0)
    best = [copies for copies, count in zip(fresh, shared, strict=True) if count == most]
    if most:
        return (best[0], ()) if len(best) == 1 else ((), best)
    # nothing but the word itself: a name that stands in one entry only can be meant, a number or a weekday could be anything's
    if len(fresh) == 1 and not topic and len(told.old) >= _SPECIFIC and not any(char.isdigit() for char in told.old):
        return fresh[0], ()
    return (), best


def _changed(found: list[Copies], said: str) -> list[Copies]:
    """What a change that is told in other words may change, the likeliest first; nothing where no encoder can say what is related. Who
    gives a value names what it is of: whatever the head says, a day of delivery is no change of the place of a bakery."""
    if read_quantities(said):
        found = [copies for copies in found if words_shared(said, copies[0].text)]
    vectors = encoder.embed([said, *(copies[0].text for copies in found)])
    if vectors is None:
        return []
    near = [float(vectors[0] @ one) for one in vectors[1:]]
    related = [copies for copies, one in zip(found, near, strict=True) if one >= _RELATED]
    judged = [(replaces(said, copies[0].text), at) for at, copies in enumerate(related)]
    likely = [(one.likely, at) for one, at in judged if one.may and not same_fact(said, related[at][0].text)]
    return [related[at] for _, at in sorted(likely, key=lambda pair: -pair[0])]


def _nearest(found: list[Copies], said: str) -> list[Copies]:
    """What has most words in common with what was said: one names the subject, another what is said of it."""
    shared = [len(words_in_common(said, copies[0].text)) for copies in found]
    most = max(shared, default=0)
    return [copies for copies, count in zip(found, shared, strict=True) if count == most >= _IN_COMMON]


def _differ(known: str, said: str) -> bool:
    return differ_in_one_word(known, said) or bool(contradicts(known, said))


def _restated(known: str, told: Correction) -> str:
    """The entry with the right value in the place of the wrong one; empty where that is not sure to say what was said."""
    if _contrasts(told):
        old = told.old if _holds(known, told.old) else told.old.split()[-1]
        return _swapped(known, old, told.new) if _holds(known, old) and _is_like(told, old, known) else ""
    found = contradicts(known, bare(told.trigger))
    aligned = found and find_difference(known, bare(told.trigger)) is not None
    if not found or aligned or not _holds(known, found.older):
        return ""
    return _swapped(known, found.older, found.newer)


def _is_like(told: Correction, old: str, known: str) -> bool:
    """Whether the new words are the like of the wrong ones, and not of something else that both speak of: in "Jonas isn't my running buddy,
    it's Lena" the new name takes the place of the old one."""
    within, wrong, right = (words_of(text) for text in (known, old, told.new))
    if len(wrong) <= len(right):
        return True
    beside = [one for one in words_of(told.trigger) if one in within and one not in (*wrong, *right)]
    vectors = encoder.embed([" ".join(right), " ".join(wrong), *beside])
    if vectors is None:
        return len(wrong) <= len(right) + 1
    likeness = [float(vectors[0] @ one) for one in vectors[1:]]
    return likeness[0] >= max(likeness[1:], default=-1.0)


def _share(said: set[str], known: set[str]) -> float:
    """The share of common words; none where it is less than half of either."""
    shared = len(said & known)
    enough = shared and shared >= _SHARED * len(known) and shared >= _SHARED * len(said)
    return shared / len(said | known) if enough else 0.0


def _terms(text: str) -> set[str]:
    """The words that say something: neither stop words nor single characters of a script that is read in pairs."""
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    return {term.alternatives[0] for term in read_query(text).terms if term.kind not in kinds}


def _contrasts(told: Correction) -> bool:
    """Whether the wrong words say something. Judged within the sentence: alone, "Mia" is Italian for "my"."""
    return bool(told.new) and any(_within(term, told.old) for term in _terms(told.trigger))


def _within(term: str, words: str) -> bool:
    return term in fold_in_place(words).casefold()


def _holds(text: str, words: str) -> bool:
    return _place(text, words) >= 0


def _place(text: str, words: str) -> int:
    """Where the words stand in a text as whole words; -1 where they do not, or more than once."""
    within, sought = fold_in_place(text).casefold(), fold_in_place(words).casefold()
    if not sought or len(within) != len(text):
        return -1
    places = [at for at in range(len(within)) if within.startswith(sought, at) and _whole(within, at, at + len(sought))]
    return places[0] if len(places) == 1 else -1


def _whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    split = not (before.isascii() and before.isalnum() and text[start].isalnum())
    return split and not (after.isascii() and after.isalnum() and text[end - 1].isascii() and text[end - 1].isalnum())


def _swapped(text: str, old: str, new: str) -> str:
    """The text with the new words in the place of the old; what stands there anyway is not said twice."""
    at = _place(text, old)
    before, after = text[:at], text[at + len(old) :]
    words = new.split(" ")
    for count in range(len(words) - 1, 0, -1):
        lead, tail = " ".join(words[:count]), " ".join(words[-count:])
        if before.casefold().rstrip().endswith(lead.casefold()):
            words = words[count:]
            break
        if after.casefold().lstrip().startswith(tail.casefold()):
            words = words[:-count]
            break
    return before + " ".join(words) + after
