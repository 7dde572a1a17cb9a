"""Decides the kind of one sentence. Pure; knows nothing of whole messages."""

from typing import Final, Literal

from everself.classify._requests import meant, routes
from everself.classify.model import Scores, score
from everself.classify.sentence_kinds import Sentence, SentenceKind
from everself.text.sentences import Language, has_words, language_of, letters_in
from everself.values import Tag

_TAGS: Final = (("correction", Tag.CORRECTION), ("decision", Tag.DECISION), ("plan", Tag.EVENT))
# a request to forget with no more letters than this names nothing
_NAMING_NOTHING: Final = 15
KEPT: Final = frozenset({SentenceKind.STATEMENT, SentenceKind.REMEMBER})


def judge(words: str, own: Language, *, deep: bool = True) -> Sentence:
    """The sentence with its kind. `own` is the language of its message. `deep=False` embeds nothing."""
    language = language_of(words)
    if language == "zh" and own == "ja":
        language = own
    if not has_words(words):
        return Sentence(words, SentenceKind.OTHER, language)
    scores = score(words, deep=deep)
    kind = _kind(words, scores)
    what = ""
    if kind is SentenceKind.REMEMBER:
        what = meant(words, "remember")
    elif kind is SentenceKind.FORGET:
        what = meant(words, "forget")
        # "forget it" names nothing
        kind = kind if what or letters_in(words) > _NAMING_NOTHING else SentenceKind.OTHER
    return Sentence(words, kind, language, tag_of(scores) if kind in KEPT else Tag.KNOWLEDGE, what)


def _kind(words: str, scores: Scores) -> SentenceKind:
    """The surest of the acts that are likely enough; if there is none, a statement if worth keeping, otherwise OTHER. Small talk around
    something worth keeping does not count against it."""
    asked = [name for name in _ACTS if scores.says(name)]
    # what may be a request and has the form of one is one
    asked += [name for name in _WISHES if name not in asked and scores.may(name) and meant(words, name)]
    if "memory" in routes(words) and "question" not in asked:
        # "important: …" is such a request as well
        return SentenceKind.REMEMBER
    if any(map(scores.may, _WISHES)) and meant(words, "forget") and not meant(words, "remember"):
        # the heads recognise a request, and its form says which one: "forget that I eat no fish" mentions fish like a request to remember
        return SentenceKind.FORGET
    social = _social(scores)
    if social is not SentenceKind.OTHER and not scores.says("keep"):
        # "how are you?" asks nothing
        return social
    if asked:
        best = max(asked, key=lambda name: scores[name] - scores.possible[name])
        kept = scores["keep"] - scores.possible["keep"] if scores.says("keep") else 0.0
        if best in _WISHES or scores[best] - scores.possible[best] >= kept:
            return _ACTS[best]
    return SentenceKind.STATEMENT if scores.says("keep") or is_nothing_else(scores) else SentenceKind.OTHER


def is_nothing_else(scores: Scores) -> bool:
    """Whether a sentence may be worth keeping and is nothing else: it is kept rather than lost."""
    return scores.deep and scores["keep"] >= _PERHAPS and all(scores[name] < _HARDLY for name in NOT_KEPT)


def _social(scores: Scores) -> SentenceKind:
    likeliest = max(_SOCIAL, key=scores.__getitem__)
    clear = scores[likeliest] >= _CLEARLY or (scores.says(likeliest) and scores.says("smalltalk"))
    return _SOCIAL[likeliest] if clear else SentenceKind.OTHER


# an explicit request is not taken for a statement, however much it says
_WISHES: Final[tuple[Literal["remember", "forget"], ...]] = ("remember", "forget")
_ACTS: Final = {
    "question": SentenceKind.QUESTION,
    "task": SentenceKind.ORDER,
    "remember": SentenceKind.REMEMBER,
    "forget": SentenceKind.FORGET,
}
_CLEARLY: Final = 0.5
# chosen on tests/corpora/grounded/train: .015 more is kept of what should be, and .007 more of small talk
_PERHAPS, _HARDLY = 0.3, 0.1
NOT_KEPT: Final = ("smalltalk", "task", "question", "quoted", "forget")
_SOCIAL: Final = {"greeting": SentenceKind.GREETING, "thanks": SentenceKind.THANKS}


def tag_of(scores: Scores) -> Tag:
    return next((tag for act, tag in _TAGS if scores.says(act)), Tag.KNOWLEDGE)
