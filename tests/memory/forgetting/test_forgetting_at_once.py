"""Two processes forget at once: one waits for the other, and neither takes the other's work for damage or for what a dead one left."""

import threading
from pathlib import Path

import pytest

from everself.memory.catalog import Catalog
from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
from everself.memory.forgetting.proof import Target
from everself.memory.memory import Memory
from everself.memory.writing import NewEntry
from everself.storage.lock import FileLock
from everself.testing.origins import origin_of
from everself.testing.workspaces import Bench, real_workspace
from everself.workspace.assembly import WorkspaceOptions

FIRST, SECOND = "The vault code is KESTREL-4471.", "The garden gate needs oil in spring."


def forgetting_of(bench: Bench, top: Path) -> Forgetting:
    catalog = Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock)
    return Forgetting(
        catalog,
        ForgettingResources(bench.workspace, bench.state, bench.storage, lock=FileLock(f"{top}/forget.lock")),
        bench.clock,
    )


def other_process(top: Path, words: str, failures: list[BaseException]) -> threading.Thread:
    def run() -> None:
        try:
            with real_workspace(str(top), WorkspaceOptions(background=False)) as bench:
                forgetting = forgetting_of(bench, top)
                forgetting.carry_out(forgetting.plan(Target(words=words)))
        except BaseException as error:  # noqa: BLE001 — told to the test
            failures.append(error)

    return threading.Thread(target=run)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["plan", "prove"])
def test_history_that_another_process_rewrites_is_not_called_damaged(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[BaseException] = []
    threads: list[threading.Thread] = []
    with real_workspace(str(tmp_path), WorkspaceOptions(background=False)) as bench:
        forgetting = forgetting_of(bench, tmp_path)
        memory = Memory(
            bench.workspace,
            Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock),
            bench.clock,
        )
        for text in (FIRST, SECOND, "Something else that stays."):
            memory.remember(NewEntry(text, origin_of("owner")))
        bench.workspace.close()

        def meanwhile(*_: object) -> None:
            if not threads:
                threads.append(other_process(tmp_path, SECOND, failures))
                threads[0].start()
                # whoever does not wait is through by then
                threads[0].join(3.0)

        plan = forgetting.plan(Target(words=FIRST), tell=meanwhile if moment == "plan" else None)
        if moment == "prove":
            from everself.memory.forgetting import _byte_search as search

            looked = search.search_documents

            def look(*given: object) -> object:
                meanwhile()
                return looked(*given)  # type: ignore[arg-type] # handed on as they came

            monkeypatch.setattr(search, "search_documents", look)
        proof = forgetting.carry_out(plan)
        threads[0].join(60.0)
        assert failures == []
        assert proof.gone
        assert [one.text for one in memory.catalog.all()] == ["Something else that stays."]
        assert bench.state.scrub.unfinished() == []


def test_what_another_process_is_forgetting_is_not_taken_for_what_a_dead_one_left(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path), WorkspaceOptions(background=False)) as bench:
        forgetting = forgetting_of(bench, tmp_path)
        memory = Memory(
            bench.workspace,
            Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock),
            bench.clock,
        )
        memory.remember(NewEntry(FIRST, origin_of("owner")))
        plan = forgetting.plan(Target(words=FIRST))
        lock = FileLock(f"{tmp_path}/forget.lock")
        held: list[bool] = []
        forgetting.carry_out(plan, tell=lambda *_: held.append(lock.is_held()))
        assert held
        assert all(held)
        assert not lock.is_held()
