"""What waits for the owner and what they say to it at a terminal, for tests that are about what it does."""

from dataclasses import dataclass, replace

from everself.operations import review
from everself.operations.caller import AT_TERMINAL, Caller
from everself.operations.review import AcceptRequest, Decided, EditRequest, ListRequest, Queue, RefuseRequest
from everself.operations.review_queue import Waiting
from everself.runtime import Runtime


@dataclass(frozen=True)
class Word:
    """What a person says to one thing: which answer, from 0, or their own `text`."""

    answer: int = 0
    text: str = ""
    why: str = ""
    seen: str = ""
    present: bool = True

    @property
    def caller(self) -> Caller:
        return replace(AT_TERMINAL, present=self.present)


def list_waiting(app: Runtime) -> Queue:
    return review.list_waiting(app, AT_TERMINAL, ListRequest())


def find_waiting(app: Runtime, identity: str) -> Waiting | None:
    return next((one for one in list_waiting(app).waiting if one.id == identity), None)


def accept_waiting(app: Runtime, name: str, word: Word = Word()) -> Decided:  # noqa: B008 it is frozen
    return review.accept_waiting(app, word.caller, AcceptRequest(name=name, answer=word.answer + 1, seen=word.seen))


def edit_waiting(app: Runtime, name: str, word: Word) -> Decided:
    return review.edit_waiting(app, word.caller, EditRequest(name=name, text=word.text, seen=word.seen))


def refuse_waiting(app: Runtime, name: str, word: Word = Word()) -> Decided:  # noqa: B008 it is frozen
    return review.refuse_waiting(app, word.caller, RefuseRequest(name=name, why=word.why, seen=word.seen))
