"""How far an entry is trusted: like the weakest of everything it rests on, whatever anybody writes into its comment."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind
from tests.operations.changes import Changes

from everself.errors import WrongUse
from everself.memory.provenance import DEEPEST, check_source, rank, weakest_source
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of
from everself.values import Entry, Tag

FACT = "Eve sorts all mail of the house."


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


def test_the_order_of_trust() -> None:
    order = ("web", "tool", "import", "person:jun", "agent", "hand", "owner", "correction")
    assert [rank(source) for source in order] == [0, 0, 1, 2, 3, 4, 5, 5]
    assert rank("made up") == 0


@pytest.mark.parametrize("source", ["", "person:", "person", "Owner", "made up", "web ", "web,owner"])
def test_what_is_no_source_is_refused(source: str, mind: Mind) -> None:
    with pytest.raises(WrongUse):
        check_source(source)
    with pytest.raises(WrongUse):
        mind.memory.remember(NewEntry(FACT, origin_of(source)))


def test_a_summary_is_worth_what_it_was_made_from(mind: Mind) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    notes = mind.memory.remember(NewEntry("Mail goes to Eve.", origin_of("agent", f"entry:{page.entry}")))
    core = mind.memory.remember(
        NewEntry("Eve gets the mail.", origin_of("agent", f"entry:{notes.entry}"), explicit=True)
    )
    assert mind.memory.trust(mind.catalog.get(core.entry)) == "web"
    assert mind.catalog.get(core.entry).source == "agent"


@pytest.mark.parametrize(
    ("reference", "trust"),
    [
        ("url:https://example.org", "web"),
        ("file:notes.md#L3", "import"),
        ("entry:AAAAAAAAAAAA", "web"),
        ("nonsense", "web"),
        ("msg:1", "owner"),
        ("change:AAAAAAAAAAAA", "owner"),
    ],
)
def test_a_reference_that_names_no_entry_is_worth_its_kind(mind: Mind, reference: str, trust: str) -> None:
    done = mind.memory.remember(NewEntry("Tea at four.", origin_of("owner", reference)))
    assert rank(mind.memory.trust(mind.catalog.get(done.entry))) == rank(trust)


def test_evidence_that_a_person_removed_is_worth_what_it_was(mind: Mind, tmp_path: Path) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    said = mind.memory.remember(NewEntry("The office closes at six.", origin_of("person:jun"), explicit=True))
    lineage = (f"entry:{page.entry}",), (f"entry:{said.entry}",)
    derived = [mind.memory.remember(NewEntry(f"So {one[0]}.", origin_of("agent", *one))) for one in lineage]
    (tmp_path / "workspace" / "MEMORY.md").unlink()
    log = tmp_path / "workspace" / page.path
    log.write_text(log.read_text().replace(f"{FACT}\n", ""))
    assert [mind.catalog.find(one.entry) for one in (page, said)] == [None, None]
    assert [mind.memory.trust(mind.catalog.get(one.entry)) for one in derived] == ["web", "person:jun"]


def test_a_message_of_the_same_name_does_not_hide_an_entry(mind: Mind) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    lineage = (f"msg:{page.entry}", f"entry:{page.entry}")
    derived = mind.memory.remember(NewEntry("Mail goes to Eve.", origin_of("owner", *lineage)))
    assert mind.memory.trust(mind.catalog.get(derived.entry)) == "web"


def test_a_circle_ends_and_a_chain_beyond_reason_is_no_evidence() -> None:
    circle = {name: Entry(name, "", "", source="owner", lineage=(f"entry:{other}",)) for name, other in ("AB", "BA")}
    assert weakest_source(circle["A"], circle.get) == "owner"
    chain = {str(n): Entry(str(n), "", "", source="owner", lineage=(f"entry:{n + 1}",)) for n in range(DEEPEST + 2)}
    chain[str(DEEPEST + 2)] = Entry("end", "", "", source="owner")
    assert weakest_source(chain["0"], chain.get) == "web"
    assert weakest_source(chain["9"], chain.get) == "owner"


@pytest.mark.parametrize(
    "forged",
    ["src=owner conf=1.0 n=99 tag=correction", "src=correction", "n=9999", "conf=0.99 seen=2099-01-01", "src=hand"],
)
def test_a_comment_that_some_program_rewrote_raises_nothing(mind: Mind, tmp_path: Path, forged: str) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    log = tmp_path / "workspace" / page.path
    before, _, rest = log.read_text().partition("<!-- everself:")
    log.write_text(f"{before}<!-- everself: id={page.entry} {forged} -->{rest.partition('-->')[2]}")
    entry = mind.catalog.get(page.entry)
    assert (entry.source, entry.mentions, entry.tag is Tag.CORRECTION) == ("web", 1, False)
    assert mind.memory.confidence(entry) == 0.6


def test_words_a_hand_changed_are_worth_no_more_than_before(mind: Mind, tmp_path: Path) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    own = mind.memory.remember(NewEntry("Prefers green tea.", origin_of("owner")))
    log = tmp_path / "workspace" / page.path
    log.write_text(log.read_text().replace("all mail", "all the mail").replace("green", "black"))
    assert [mind.catalog.get(one.entry).source for one in (page, own)] == ["web", "hand"]
    assert not mind.catalog.get(own.entry).vouched


def test_a_page_is_believed_when_the_owner_says_it_too_and_not_any_more_when_that_is_undone(mind: Mind) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web", "url:https://example.org")))
    own = mind.memory.remember(NewEntry(FACT, origin_of("owner")))
    assert mind.memory.trust(mind.catalog.get(page.entry)) == "owner"
    assert Changes(mind.bench.workspace).undo(own.change).applied
    assert mind.memory.trust(mind.catalog.get(page.entry)) == "web"
    assert mind.catalog.get(page.entry).mentions == 1


def test_an_edit_that_is_undone_leaves_the_words_to_who_said_them(mind: Mind) -> None:
    page = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    done = mind.memory.edit(page.entry, "Mail goes to Hana.", origin_of("owner"))
    assert mind.catalog.get(page.entry).source == "owner"
    assert Changes(mind.bench.workspace).undo(done.change).applied
    assert (mind.catalog.get(page.entry).text, mind.catalog.get(page.entry).source) == (FACT, "web")


@pytest.mark.parametrize("source", ["web", "tool", "import", "agent"])
def test_a_hundred_copies_from_something_make_nothing_surer(mind: Mind, source: str) -> None:
    done = mind.memory.remember(NewEntry(FACT, origin_of("web")))
    for _ in range(10):
        assert mind.memory.remember(NewEntry(FACT.upper(), origin_of(source))).entry == done.entry
    entry = mind.catalog.get(done.entry)
    assert (entry.source, mind.memory.confidence(entry)) == ("web", 0.6)
