"""The bank's pages: written, read, and found by whatever an entity is called."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.errors import NotFound, UnsafePath, WrongUse
from everself.memory.memory_bank import Bank, parse_held
from everself.testing.origins import origin_of
from everself.values import Tag


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


@pytest.fixture
def bank(mind: Mind) -> Bank:
    return Bank(mind.memory)


def write_page(tmp_path: Path, path: str, text: str) -> None:
    file = tmp_path / "workspace" / "bank" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_a_page_is_made_with_its_title_and_its_entries_are_vouched_for(bank: Bank, mind: Mind) -> None:
    done = bank.write("world", "The office closes at six.", origin_of("owner"))
    assert done.path == "bank/world.md"
    text = mind.bench.workspace.read("bank/world.md").data.decode()
    assert text.startswith("# World\n\n- The office closes at six. <!-- everself: id=")
    entry = mind.catalog.get(done.entry)
    assert (entry.vouched, entry.source, entry.tag, entry.heading) == (True, "owner", Tag.KNOWLEDGE, ("World",))


def test_what_was_lived_through_is_an_event(bank: Bank, mind: Mind) -> None:
    assert mind.catalog.get(bank.write("experience", "Shipped the parser.", origin_of("owner")).entry).tag is Tag.EVENT


def test_an_opinion_says_visibly_how_strongly_it_is_held(bank: Bank, mind: Mind) -> None:
    done = bank.write("opinions", "Tabs are better.", origin_of("owner"), held=0.7)
    assert "- Tabs are better. (c=0.7) <!--" in mind.bench.workspace.read(done.path).data.decode()
    (item,) = bank.read("opinions").items
    assert (item.words, item.held, item.confidence) == ("Tabs are better.", 0.7, 0.95)


@pytest.mark.parametrize(
    ("text", "held"),
    [("a (c=0.7)", 0.7), ("a (c=1)", 1.0), ("a (c=2)", None), ("a (c=x)", None), ("a (c=0.5) b", None), ("a", None)],
)
def test_only_a_number_at_the_end_is_how_strongly_it_is_held(text: str, held: float | None) -> None:
    assert parse_held(text) == (text if held is None else "a", held)


@pytest.mark.parametrize(("page", "held"), [("opinions", 1.5), ("opinions", -0.1), ("world", 0.5)])
def test_a_confidence_that_makes_no_sense_is_wrong_use(bank: Bank, page: str, held: float) -> None:
    with pytest.raises(WrongUse):
        bank.write(page, "Something.", origin_of("owner"), held=held)


def test_the_same_on_a_page_again_is_a_mention_but_elsewhere_its_own_entry(bank: Bank, mind: Mind) -> None:
    first = bank.write("world", "The office closes at six.", origin_of("owner"))
    again = bank.write("world", "the office closes at SIX.", origin_of("owner"))
    assert (again.entry, again.mention) == (first.entry, True)
    assert mind.catalog.get(first.entry).mentions == 2
    assert not bank.write("experience", "The office closes at six.", origin_of("owner")).mention


def test_an_entity_gets_a_page_of_its_own(bank: Bank, mind: Mind) -> None:
    done = bank.write("Alice Chen", "Works on the parser.", origin_of("owner"))
    assert done.path == "bank/entities/alice-chen.md"
    assert mind.bench.workspace.read(done.path).data.startswith(b"# Alice Chen\n\n- Works on the parser.")
    assert bank.write("alice-chen", "Likes trains.", origin_of("owner")).path == done.path
    assert [item.words for item in bank.read("ALICE CHEN").items] == ["Works on the parser.", "Likes trains."]


@pytest.mark.parametrize("name", ["小林花子", "花子", "hanako", "Hanako K.", "ＨＡＮＡＫＯ"])
def test_an_entity_is_found_by_title_slug_and_alias_in_any_script(bank: Bank, tmp_path: Path, name: str) -> None:
    write_page(tmp_path, "entities/hanako-k.md", "# 小林花子\n\n- **Aliases:** Hanako、花子, Hanako K.\n- Likes tea\n")
    write_page(tmp_path, "entities/other.md", "# Somebody else\n\n- Likes coffee\n")
    found = bank.entity(name)
    assert found is not None
    assert (found.title, found.path) == ("小林花子", "bank/entities/hanako-k.md")


def test_two_names_of_another_script_get_two_pages(bank: Bank) -> None:
    paths = {bank.write(name, "Likes tea.", origin_of("owner")).path for name in ("小林花子", "田中太郎")}
    assert len(paths) == 2
    assert {page.title for page in bank.entities()} == {"小林花子", "田中太郎"}


def test_a_title_wins_over_an_alias(bank: Bank, tmp_path: Path) -> None:
    write_page(tmp_path, "entities/a.md", "# Anna\n\n- **Aliases:** Bo\n")
    write_page(tmp_path, "entities/b.md", "# Bo\n\n- Likes tea\n")
    found = bank.entity("bo")
    assert found is not None
    assert found.path == "bank/entities/b.md"


def test_pages_of_others_are_read_and_added_to_without_changing_a_byte_before(bank: Bank, tmp_path: Path) -> None:
    before = "Some words first.\n\n# The World\n\n* a fact\n\n## Details\n\ntext\n"
    write_page(tmp_path, "world.md", before)
    bank.write("world", "One more.", origin_of("owner"))
    after = (tmp_path / "workspace" / "bank" / "world.md").read_text(encoding="utf-8")
    assert "* a fact\n* One more. <!--" in after
    assert after.replace(next(line for line in after.splitlines(True) if "One more" in line), "") == before


def test_pages_are_listed_with_the_entities_last(bank: Bank) -> None:
    for page in ("Alice", "world", "opinions"):
        bank.write(page, "Something.", origin_of("owner"))
    assert [(page.name, page.entries) for page in bank.pages()] == [("opinions", 1), ("world", 1), ("alice", 1)]


def test_a_page_that_is_not_there_is_not_found(bank: Bank) -> None:
    with pytest.raises(NotFound):
        bank.read("nowhere")
    assert bank.entity("nobody") is None


@pytest.mark.parametrize("page", ["", "../SOUL", "bank/../SOUL.md", "a/b", "# x"])
def test_a_name_that_could_leave_the_bank_is_refused(bank: Bank, page: str) -> None:
    with pytest.raises((WrongUse, UnsafePath)):
        bank.write(page, "Something.", origin_of("owner"))
