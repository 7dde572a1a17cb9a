"""The history that is read on from where it was read last is the one that would be read from the beginning."""

from random import Random

import pytest

from everself.conversation.sessions.history import SettledHistory, tokens_of, turns_of
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.session import Message, Session
from everself.models.chat.protocol import ModelTurn, ToolTurn, Turn, UserTurn


class Reading:
    """A log that notes how many messages each reading gave."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.read: list[int] = []

    def messages(self, session: Session, after: int = 0) -> tuple[Message, ...]:
        found = self.log.messages(session, after)
        self.read.append(len(found))
        return found

    def message(self, name: str) -> Message | None:
        return self.log.message(name)


def whole(log: SessionLog, session: Session) -> tuple[Turn, ...]:
    return turns_of(log.messages(session, session.compacted), session.summary, session.summary_source)


def exchange(log: SessionLog, session: Session, number: int, *, calls: int = 0, returns: int = 0) -> None:
    log.add(session, "user", f"Question {number}?")
    for step in range(calls):
        name = f"c{number}-{step}"
        log.add(session, "assistant", "", meta={"calls": [[name, "memory_search", "{}"]], "done": ["Noted."]})
        if step < returns:
            log.add(session, "tool", f"Result {number}", meta={"call": name, "name": "memory_search", "stamp": "web"})
    log.add(session, "assistant", f"Answer {number}.")


def test_it_equals_what_is_read_from_the_beginning(log: SessionLog, seed: int) -> None:
    random = Random(seed)
    session, settled = log.begin(), SettledHistory(log)
    for number in range(40):
        calls = random.randrange(3)
        exchange(log, session, number, calls=calls, returns=random.randrange(calls + 1))
        if random.random() < 0.7:
            log.add(session, "user", f"And {number}?")
        now = log.fresh(session)
        found = settled.read(now, 0)
        assert found.turns == whole(log, now)
        assert found.tokens == sum(map(tokens_of, found.turns))


def test_a_turn_reads_the_last_exchange_alone(log: SessionLog) -> None:
    reading = Reading(log)
    session, settled = log.begin(), SettledHistory(reading)  # type: ignore[arg-type]
    for number in range(30):
        exchange(log, session, number, calls=1, returns=1)
        settled.read(log.fresh(session), 0)
    assert max(reading.read) <= 8


def test_a_result_that_came_late_stands_with_its_call(log: SessionLog) -> None:
    session, settled = log.begin(), SettledHistory(log)
    exchange(log, session, 1, calls=1, returns=0)
    exchange(log, session, 2)
    assert "broken off" in str(settled.read(session, 0).turns)
    log.add(session, "tool", "Late.", meta={"call": "c1-0", "name": "memory_search"})
    found = settled.read(session, 0).turns
    assert found == whole(log, session)
    assert "Late." in str(found[2])


@pytest.mark.parametrize("change", ["forgotten", "deleted", "compacted"])
def test_what_changed_is_read_anew(log: SessionLog, change: str) -> None:
    session, settled = log.begin(), SettledHistory(log)
    for number in range(4):
        exchange(log, session, number)
    settled.read(log.fresh(session), 0)
    generation = 0
    if change == "forgotten":
        # as a forgetting does it: another text under the same id, and the generation rises
        log._messages._engine.write(lambda writer: writer.run("UPDATE messages SET content = '…' WHERE seq = 1"))
        generation = 1
    elif change == "deleted":
        log.delete(session)
        for number in range(5):
            exchange(log, session, 10 + number)
    else:
        log.mark(session, compacted=4, summary="They talked.", summary_source="web")
    now = log.fresh(session)
    found = settled.read(now, generation).turns
    assert found == whole(log, now)
    assert "Question 0?" not in str(found)


def test_the_summary_carries_its_source(log: SessionLog) -> None:
    session = log.begin()
    exchange(log, session, 1, calls=1, returns=1)
    log.mark(session, compacted=1, summary="Of a page.", summary_source="web")
    first, *rest = SettledHistory(log).read(log.fresh(session), 0).turns
    assert isinstance(first, UserTurn)
    assert first.text.startswith("[source: web]")
    assert [type(one) for one in rest] == [ModelTurn, ToolTurn, ModelTurn]
