"""Half a surrogate pair, from a JSON escape or a file name that is no UTF-8: refused in words, or remembered as U+FFFD."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.errors import NotFound, UnsafePath, WrongUse
from everself.memory.memory_bank import Bank
from everself.memory.provenance import OWNER
from everself.memory.selection import Selection, list_entries
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

HALVES = ("..\udcc0\udcaf..", "a \ud800 b", "\udfff")


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


@pytest.mark.parametrize("name", HALVES)
def test_no_page_is_called_so(name: str, mind: Mind, tmp_path: Path) -> None:
    bank = Bank(mind.memory)
    with pytest.raises((WrongUse, UnsafePath)):
        bank.write(name, "x", origin_of("owner"))
    with pytest.raises((NotFound, UnsafePath)):
        bank.read(name)
    assert not (tmp_path / "workspace" / "bank").exists()


@pytest.mark.parametrize("words", HALVES)
def test_words_are_remembered_once(words: str, mind: Mind) -> None:
    first = mind.memory.remember(NewEntry(f"said {words}", origin_of(OWNER)))
    again = mind.memory.remember(NewEntry(f"said {words}", origin_of(OWNER)))
    assert (again.entry, again.mention) == (first.entry, True)
    assert "\ufffd" in mind.catalog.get(first.entry).text
    assert mind.catalog.get(first.entry).vouched


@pytest.mark.parametrize("words", HALVES)
@pytest.mark.parametrize("field", ["category", "who", "person", "project", "key", "lineage"])
@pytest.mark.parametrize("explicit", [False, True])
def test_what_stands_beside_the_words_breaks_nothing_that_comes_later(
    explicit: bool, field: str, words: str, mind: Mind
) -> None:
    if field == "lineage":
        new_entry = NewEntry("likes tea", origin_of(OWNER, words), explicit=explicit)
    else:
        new_entry = replace(NewEntry("likes tea", origin_of(OWNER), explicit=explicit), **{field: words})
    done = mind.memory.remember(new_entry)
    assert mind.memory.remember(NewEntry("likes coffee", origin_of(OWNER))).change
    entry = mind.catalog.get(done.entry)
    assert (entry.text, entry.vouched) == ("likes tea", True)
    # whatever is told of it can be told
    (entry.who + entry.project + entry.category + entry.path).encode()


@pytest.mark.parametrize("words", HALVES)
def test_the_other_verbs_take_it_too(words: str, mind: Mind) -> None:
    done = mind.memory.remember(NewEntry("lives in Berlin", origin_of(OWNER)))
    mind.memory.edit(done.entry, f"lives in {words}", origin_of("owner"))
    corrected = mind.memory.correct(done.entry, f"lived in {words}", origin_of("owner"), said=words, trigger=words)
    assert mind.catalog.get(corrected.entry).text.startswith("lived in")
    mine = origin_of("owner")
    for call in (
        lambda: mind.memory.edit(words, words, mine),
        lambda: mind.memory.supersede(words, words),
        lambda: mind.memory.correct(words, words, mine),
    ):
        with pytest.raises(NotFound):
            call()
    for field in ("source", "person", "project", "path"):
        list_entries(mind.memory, Selection(**{field: words}))


def test_a_comment_with_half_a_character_hides_no_other_memory(mind: Mind, tmp_path: Path) -> None:
    """Anybody who can write into a file could otherwise keep the agent from remembering anything."""
    page = tmp_path / "workspace" / "MEMORY.md"
    page.write_bytes(b"# Memory\n\n- one <!-- everself: id=AAAAAAAAAAAA who=%ED%A0%80 -->\n- two \xff\n")
    assert [entry.text.partition(" ")[0] for entry in mind.catalog.all()] == ["one", "two"]
    assert mind.memory.remember(NewEntry("three", origin_of(OWNER))).change
