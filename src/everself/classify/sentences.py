"""What kind of sentence a sentence is. Pure; knows nothing of whole messages."""

from typing import Final, Literal

from everself.classify._requests import meant, routes
from everself.classify.model import Scores, score
from everself.classify.sentence_kinds import Sentence, SentenceKind
from everself.text.sentences import Language, has_words, language_of, letters_in
from everself.values import Tag

_TAGS: Final = (("correction", Tag.CORRECTION), ("decision", Tag.DECISION), ("plan", Tag.EVENT))
# letters of a wish to forget that is nothing but that
_NAMING_NOTHING: Final = 15
KEPT: Final = frozenset({SentenceKind.STATEMENT, SentenceKind.REMEMBER})


def judge(words: str, own: Language, *, deep: bool = True) -> Sentence:
    """What kind of sentence it is; `own` is the language of the message that it stands in. `deep=False` embeds nothing."""
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
    """The act that is surest of those that are likely enough; where none is, something worth keeping or nothing. Small talk around
    something worth keeping does not make it less so."""
    asked = [name for name in _ACTS if scores.says(name)]
    # what may be a wish and has the form of one is one
    asked += [name for name in _WISHES if name not in asked and scores.may(name) and meant(words, name)]
    if "memory" in routes(words) and "question" not in asked:
        # "important: …" asks for it as well
        return SentenceKind.REMEMBER
    if any(map(scores.may, _WISHES)) and meant(words, "forget") and not meant(words, "remember"):
        # that it is a wish the heads say; which of the two, its form: "forget that I eat no fish" tells of fish as a wish to remember does
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
    # what is nothing else is rather kept than lost
    alone = scores.deep and scores["keep"] >= _PERHAPS and all(scores[name] < _HARDLY for name in _NOT_KEPT)
    return SentenceKind.STATEMENT if scores.says("keep") or alone else SentenceKind.OTHER


def _social(scores: Scores) -> SentenceKind:
    likeliest = max(_SOCIAL, key=scores.__getitem__)
    clear = scores[likeliest] >= _CLEARLY or (scores.says(likeliest) and scores.says("smalltalk"))
    return _SOCIAL[likeliest] if clear else SentenceKind.OTHER


# what somebody asks for in words is not taken for a statement, however much it tells
_WISHES: Final[tuple[Literal["remember", "forget"], ...]] = ("remember", "forget")
_ACTS: Final = {
    "question": SentenceKind.QUESTION,
    "task": SentenceKind.ORDER,
    "remember": SentenceKind.REMEMBER,
    "forget": SentenceKind.FORGET,
}
_CLEARLY: Final = 0.5
# chosen on tests/corpora/grounded/train: of what is to be kept .015 more is, of small talk .007
_PERHAPS, _HARDLY = 0.3, 0.1
_NOT_KEPT: Final = ("smalltalk", "task", "question", "quoted", "forget")
_SOCIAL: Final = {"greeting": SentenceKind.GREETING, "thanks": SentenceKind.THANKS}


def tag_of(scores: Scores) -> Tag:
    return next((tag for act, tag in _TAGS if scores.says(act)), Tag.KNOWLEDGE)
