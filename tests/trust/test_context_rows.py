"""S15 at CI size, as far as prompts and search go, and whether it notices what it is there for."""

import pytest
from tests.trust.rows.s15 import run_s15

from everself.conversation.context import _sources as sources
from everself.conversation.context import delta
from everself.operations import files
from everself.search import sharing
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import SharingRules

pytestmark = pytest.mark.trust


def test_s15_no_canary_reaches_a_session_that_may_not_see_it(seed: int) -> None:
    print(run_s15(5, seed))


def test_a_kind_that_is_believed_over_the_person_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sharing, sources, delta):
        monkeypatch.setattr(module, "effective", lambda scope: scope)
    with pytest.raises(AssertionError, match="S15 seed"):
        run_s15(1, 1)


def test_a_label_that_lets_everybody_in_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sharing.shared_lines

    def careless(data: bytes, _: SessionKind) -> tuple[tuple[int, int], ...]:
        return tuple(span for kind in SessionKind for span in real(data, kind))

    monkeypatch.setattr(sharing, "shared_lines", careless)
    with pytest.raises(AssertionError, match="S15 seed"):
        run_s15(1, 1)


def test_a_group_that_gets_the_memory_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    given = SharingRules(frozenset({(SessionKind.GROUP, "MEMORY.md")}))
    monkeypatch.setattr("everself.search.sharing.read_rules", lambda _: given)
    with pytest.raises(AssertionError, match=r"MEMORY.md .* group"):
        run_s15(1, 1)


def test_changes_that_are_told_to_everybody_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = delta.DocumentReader.again

    def careless(self: sources.DocumentReader, _: sources.Viewer, paths: object) -> object:
        return real(self, sources.Viewer(Scope(SessionKind.MAIN)), paths)  # type: ignore[arg-type] # broken on purpose

    monkeypatch.setattr(delta.DocumentReader, "again", careless)
    with pytest.raises(AssertionError, match="S15 seed"):
        run_s15(1, 1)


def test_a_search_for_the_wrong_person_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = delta.effective

    def careless(scope: Scope) -> Scope:
        found = real(scope)
        return Scope(found.kind, "mia") if found.person == "jun" else found

    monkeypatch.setattr(delta, "effective", careless)
    with pytest.raises(AssertionError, match="S15 seed"):
        run_s15(1, 1)


def test_a_file_tool_that_shows_everything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "visible", lambda _, __, data, ___: data)
    with pytest.raises(AssertionError, match="in a talk of"):
        run_s15(1, 1)


def test_a_sub_agent_with_the_owners_tools_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "is_owner", lambda _: True)
    with pytest.raises(AssertionError, match="in a talk of"):
        run_s15(1, 1)
