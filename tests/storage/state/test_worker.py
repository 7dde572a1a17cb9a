import gc
import threading
import weakref

import apsw
import pytest

from everself.errors import StoreBusy, WrongUse
from everself.storage._writer_thread import Worker
from everself.storage.connection import DatabasePlace, patiently


def test_work_is_done_in_order_on_one_thread_and_answered():
    worker = Worker("w")
    assert [worker.run(lambda n=n: n * n) for n in range(5)] == [0, 1, 4, 9, 16]
    assert worker.run(threading.get_ident) == worker.run(threading.get_ident) != threading.get_ident()
    worker.close()
    with pytest.raises(WrongUse):
        worker.run(lambda: 1)


def test_where_no_thread_can_be_started_the_work_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch):
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    worker = Worker("w")
    assert worker.run(threading.get_ident) == threading.get_ident()
    worker.close()


def test_neither_results_nor_errors_are_held_after_they_were_handed_back():
    class Thing:
        pass

    class Odd(Exception):
        pass

    worker = Worker("w")
    kept: list[weakref.ref[object]] = []

    def make() -> Thing:
        thing = Thing()
        kept.append(weakref.ref(thing))
        return thing

    def fail() -> None:
        error = Odd()
        kept.append(weakref.ref(error))
        raise error

    worker.run(make)
    with pytest.raises(Odd):
        worker.run(fail)
    worker.run(lambda: None)
    gc.collect()
    assert [ref() for ref in kept] == [None, None]
    worker.close()


def test_a_busy_answer_is_followed_by_another_try():
    answers = iter([apsw.BusyError, apsw.LockedError, apsw.ProtocolError, None])

    def step() -> str:
        answer = next(answers)
        if answer is not None:
            raise answer("not now")
        return "done"

    assert patiently(DatabasePlace("a.db"), step) == "done"


def test_patience_ends_with_store_busy():
    def step() -> None:
        raise apsw.BusyError("never")

    with pytest.raises(StoreBusy):
        patiently(DatabasePlace("a.db", busy_timeout=0.05), step)
