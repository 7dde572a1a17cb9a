"""The kinds of sentences in a message. Values only; `read` is in statements.py."""

from dataclasses import dataclass
from enum import StrEnum

from everself.text.sentences import Language
from everself.values import Tag


class SentenceKind(StrEnum):
    """`STATEMENT`: worth keeping in the person's words. `ORDER`: an instruction for now. `OTHER`: none of these."""

    STATEMENT = "statement"
    QUESTION = "question"
    GREETING = "greeting"
    THANKS = "thanks"
    ORDER = "order"
    REMEMBER = "remember"
    FORGET = "forget"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is the person's own words; `what` is the part to be remembered or forgotten if the kind is REMEMBER or FORGET."""

    text: str
    kind: SentenceKind
    language: Language
    tag: Tag = Tag.KNOWLEDGE
    what: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """`asks`: the message mainly asks for information."""

    sentences: tuple[Sentence, ...]
    asks: bool = False

    def of(self, *kinds: SentenceKind) -> tuple[Sentence, ...]:
        return tuple(one for one in self.sentences if one.kind in kinds)
