"""The rows of memory are no ornament: break memory on purpose, and each break is found."""

from dataclasses import replace

import pytest
from tests.trust.rows.r06_memory import run_r6_memory
from tests.trust.rows.r07 import run_r7
from tests.trust.rows.s07 import run_s7
from tests.trust.rows.s08 import run_s8

from everself.memory import _entry_ids as naming
from everself.memory import memory
from everself.memory.catalog import Catalog
from everself.memory.writing import CleanedText
from everself.operations import changes
from everself.storage import writes
from everself.storage.filesystem import FileSystem
from everself.values import ProvenanceRecord

pytestmark = pytest.mark.trust


def test_a_catalog_that_loses_what_was_moved_by_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Catalog, "_came_from_elsewhere", lambda *_: False)
    with pytest.raises(AssertionError, match="R7 seed"):
        run_r7(200, 5, 50)


def test_names_that_forget_the_words_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming._Naming, "by_words", lambda *_: None)
    monkeypatch.setattr(naming._Naming, "by_likeness", lambda *_: None)
    monkeypatch.setattr(naming._Naming, "by_neighbours", lambda *_: None)
    with pytest.raises(AssertionError, match="R7 seed"):
        run_r7(200, 1, 50)


def test_an_undo_that_brings_entries_back_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_doubled", lambda *_: ())
    with pytest.raises(AssertionError, match="R7 seed"):
        run_r7(200, 6, 50)


def test_an_undo_that_leaves_the_voucher_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "provenance_before", lambda *_: ())
    with pytest.raises(AssertionError, match="S7 seed"):
        run_s7(300, 1)


def test_trust_that_asks_no_evidence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "weakest_source", lambda entry, _: entry.source)
    with pytest.raises(AssertionError, match="S7 seed"):
        run_s7(300, 1)


def test_a_catalog_that_counts_what_machines_repeat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.memory._row_form.is_human", lambda _: True)
    with pytest.raises(AssertionError, match="S7 seed"):
        run_s7(300, 1)


def test_text_that_is_written_as_it_came_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "clean", lambda text: CleanedText(text.strip()))
    with pytest.raises(AssertionError, match="S8 seed"):
        run_s8(300, 1)


def test_a_voucher_for_other_words_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = memory.add_entry

    def careless(*arguments: object) -> ProvenanceRecord:
        return replace(real(*arguments), text="")  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "add_entry", careless)
    with pytest.raises(AssertionError, match="S8 seed"):
        run_s8(50, 1)


def test_a_replacement_that_does_not_look_at_what_it_replaced_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def blunt(files: FileSystem, path: str, data: bytes, base: str, temporary: str) -> None:
        del base
        writes.write_new(files, temporary, data)
        files.rename(temporary, path)

    monkeypatch.setattr(writes, "replace", blunt)
    with pytest.raises(AssertionError, match=r"R6 \(memory\) seed"):
        run_r6_memory(600, 1)
