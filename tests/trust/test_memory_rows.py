"""The trust rows of memory at CI size, and the registry they run over."""

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Iterator

import pytest
from tests.trust.rows.r05_memory import run_r5_memory
from tests.trust.rows.r06_memory import run_r6_memory
from tests.trust.rows.r07 import run_r7
from tests.trust.rows.r12_memory import run_r12_memory
from tests.trust.rows.s07 import run_s7
from tests.trust.rows.s08 import run_s8
from tests.trust.walks import LOOKING, OPERATIONS, VERBS

import everself.memory
import everself.memory.archive
import everself.memory.forgetting
import everself.memory.promotion
import everself.memory.transfer
from everself.memory.forgetting.forgetting import Forgetting
from everself.memory.memory import Memory
from everself.memory.memory_bank import Bank

ROOMS = (
    everself.memory,
    everself.memory.forgetting,
    everself.memory.transfer,
    everself.memory.promotion,
    everself.memory.archive,
)
VERB_HOLDERS = (Memory, Bank, Forgetting)


def _verbs() -> Iterator[str]:
    """Everything public that can be done with a memory: methods, and functions that are given one."""
    for holder in VERB_HOLDERS:
        yield from (f"{holder.__name__}.{name}" for name, _ in inspect.getmembers(holder, inspect.isfunction))
    for room in ROOMS:
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            module = importlib.import_module(found.name)
            for name, value in inspect.getmembers(module, inspect.isfunction):
                hints = typing.get_type_hints(value) if value.__module__ == found.name else {}
                if Memory in [kind for argument, kind in hints.items() if argument != "return"]:
                    yield f"{found.name.rpartition('.')[2]}.{name}"


def test_every_verb_of_memory_is_walked_through_or_only_looks() -> None:
    found = {verb for verb in _verbs() if not verb.rpartition(".")[2].startswith("_")}
    assert found - set(VERBS) - LOOKING == set(), "add an operation to tests/trust/walks.py"
    assert set(VERBS) - found == set()
    assert {name for names in VERBS.values() for name in names} <= set(OPERATIONS)


@pytest.mark.trust
def test_r5_eight_processes_remember_at_once_and_what_all_say_is_one_entry(seed: int) -> None:
    print(run_r5_memory(50, seed))


@pytest.mark.trust
def test_r6_a_person_saves_while_memory_writes_and_loses_nothing(seed: int) -> None:
    print(run_r6_memory(50, seed))


@pytest.mark.trust
def test_r12_what_is_remembered_stands_in_the_persons_day(seed: int) -> None:
    print(run_r12_memory(60, seed))


@pytest.mark.trust
def test_r7_every_acknowledged_entry_is_in_exactly_one_place(seed: int) -> None:
    print(run_r7(200, seed, 30))


@pytest.mark.trust
def test_s7_nothing_is_trusted_more_than_its_weakest_origin(seed: int) -> None:
    print(run_s7(500, seed))


@pytest.mark.trust
def test_s8_no_text_breaks_out_of_its_entry_or_forges_what_is_said_of_it(seed: int) -> None:
    print(run_s8(500, seed))
