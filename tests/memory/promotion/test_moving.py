"""An entry that is promoted stands on its page afterwards, and nowhere else: the same entry, with the same dates and the same trust."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.errors import WrongUse
from everself.memory.archive.days import archive_days
from everself.memory.promotion.moves import Pick, Promotion, apply_moves
from everself.memory.provenance import AGENT, HAND, IMPORT, OWNER, TOOL, WEB
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of
from everself.values import Applied, Author, Change, Create, Remove, Replace, Tag, Tier, digest

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

LOG = "memory/2026-03-12.md"
DECISIONS = "memory/decisions.md"


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as made:
        yield made


def write(mind: Mind, path: str, text: str) -> None:
    outcome = mind.bench.workspace.apply(Change(Author.HAND, "saved", (Create(path, text.encode()),)))
    assert isinstance(outcome, Applied)


def read(mind: Mind, path: str) -> str:
    found = mind.bench.workspace.find(path)
    return "" if found is None else found.data.decode()


def promote(mind: Mind, *picks: Pick, author: Author = Author.OWNER) -> Promotion:
    return apply_moves(mind.memory, picks, author)


def only(mind: Mind, words: str) -> str:
    found = [one.id for one in mind.catalog.all() if words in one.text]
    assert len(found) == 1, f"{words!r} stands {len(found)} times"
    return found[0]


def test_what_the_owner_said_moves_with_its_id_source_and_day(mind: Mind) -> None:
    write(mind, LOG, "# Memory Log: 2026-03-12\n")
    made = mind.memory.remember(
        NewEntry("We decided on Postgres.", origin_of(OWNER), category="decision", tag=Tag.DECISION)
    )
    before = mind.catalog.get(made.entry)
    done = promote(mind, Pick(made.entry, DECISIONS))
    after = mind.catalog.get(made.entry)
    assert [one.entry for one in done.moved] == [made.entry]
    assert (after.path, after.tier) == (DECISIONS, Tier.CORE)
    kept = ("text", "tag", "source", "base", "mentions", "day", "seen", "lineage", "vouched")
    assert {name: getattr(after, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert "Postgres" not in read(mind, before.path)


def test_a_later_mention_does_not_become_the_day(mind: Mind) -> None:
    write(
        mind,
        LOG,
        "# Log\n\n## [09:30:00] note\n\nTea at four.\n<!-- everself: id=7K3QX9M2ABCD src=agent seen=2026-03-18 n=1 -->\n",
    )
    promote(mind, Pick("7K3QX9M2ABCD", "MEMORY.md"))
    after = mind.catalog.get("7K3QX9M2ABCD")
    assert (after.day, after.seen) == (date(2026, 3, 12), date(2026, 3, 18))
    assert "at=2026-03-12T09:30:00" in read(mind, "MEMORY.md")


def test_the_owners_promotion_makes_a_hands_words_theirs(mind: Mind) -> None:
    write(mind, LOG, "# Log\n\n- We agreed on tea\n- Another thing\n")
    identity = only(mind, "agreed")
    assert mind.catalog.get(identity).source == HAND
    done = promote(mind, Pick(identity, DECISIONS))
    after = mind.catalog.get(identity)
    assert (after.source, after.vouched, after.day) == (OWNER, True, date(2026, 3, 12))
    assert done.moved[0].confirmed == (identity,)
    assert mind.catalog.get(only(mind, "Another")).source == HAND


def test_a_keeper_does_not_promote_what_a_hand_wrote(mind: Mind) -> None:
    write(mind, LOG, "# Log\n\n- We agreed on tea\n")
    before = read(mind, LOG)
    done = promote(mind, Pick(only(mind, "agreed"), DECISIONS), author=Author.KEEPER)
    assert (done.moved, done.change) == ((), "")
    assert "outside Everself" in done.left[0].reason
    assert read(mind, LOG) == before


@pytest.mark.parametrize("source", [WEB, TOOL, IMPORT, "person:bob"])
@pytest.mark.parametrize("named", [False, True])
def test_nothing_from_outside_is_promoted_by_a_keeper_nor_unnamed(mind: Mind, source: str, named: bool) -> None:
    made = mind.memory.remember(NewEntry("The museum shop closes at six.", origin_of(source)))
    assert promote(mind, Pick(made.entry, DECISIONS, named), author=Author.KEEPER).moved == ()
    assert promote(mind, Pick(made.entry, DECISIONS)).moved == ()
    assert promote(mind, Pick(made.entry, "MEMORY.md", named)).moved == ()
    assert mind.catalog.get(made.entry).tier is Tier.WORKING


def test_what_the_owner_names_moves_but_is_trusted_no_more(mind: Mind) -> None:
    made = mind.memory.remember(NewEntry("The museum closes at six.", origin_of(WEB)))
    promote(mind, Pick(made.entry, "memory/notes.md", named=True))
    after = mind.catalog.get(made.entry)
    assert (after.path, after.source, mind.memory.trust(after)) == ("memory/notes.md", WEB, WEB)


def test_a_summary_of_a_page_is_held_like_the_page(mind: Mind) -> None:
    page = mind.memory.remember(NewEntry("The owner wants red.", origin_of(WEB)))
    first = mind.memory.remember(NewEntry("They like red.", origin_of(AGENT, f"entry:{page.entry}")))
    second = mind.memory.remember(NewEntry("Decided: red.", origin_of(OWNER, f"entry:{first.entry}")))
    assert promote(mind, Pick(second.entry, DECISIONS), author=Author.KEEPER).moved == ()
    assert promote(mind, Pick(second.entry, DECISIONS)).moved == ()


def test_a_keeper_promotes_what_the_owner_said(mind: Mind) -> None:
    made = mind.memory.remember(NewEntry("We decided on oak.", origin_of(OWNER)))
    assert promote(mind, Pick(made.entry, DECISIONS), author=Author.KEEPER).moved
    assert mind.catalog.get(made.entry).path == DECISIONS


def test_a_log_entry_with_sub_headings_moves_whole(mind: Mind) -> None:
    body = "We decided on Postgres.\n\n### Why\n\n- it is known\n- it is cheap\n\n### Not\n\nMySQL.\n"
    comment = "<!-- everself: id=7K3QX9M2ABCD src=agent n=1 -->\n"
    write(mind, LOG, f"# Log\n\n## [09:30:00] decision\n\n{body}{comment}\n## [10:00:00] note\n\nStays.\n")
    before = mind.catalog.get("7K3QX9M2ABCD").text
    promote(mind, Pick("7K3QX9M2ABCD", DECISIONS))
    assert mind.catalog.get("7K3QX9M2ABCD").text == before
    assert body in read(mind, DECISIONS)
    assert read(mind, LOG) == "# Log\n\n## [10:00:00] note\n\nStays.\n"


def test_a_section_moves_with_its_lists_and_sub_sections_and_no_more(mind: Mind) -> None:
    note = "memory/2026-03-12-database.md"
    inside = "### Database\n\nWe decided on Postgres.\n\n- it is known\n\n#### Rejected\n\nMySQL, by Ann.\n"
    write(mind, note, f"# Talk\n\n## Before\n\nHello.\n\n## Results\n\nSome.\n\n{inside}\n### Lunch\n\nSoup.\n")
    whole = {one.text: one.id for one in mind.catalog.all()}
    done = promote(mind, Pick(only(mind, "decided"), DECISIONS))
    assert set(done.moved[0].along) == {whole["it is known"], whole["MySQL, by Ann."]}
    assert {one.text: one.id for one in mind.catalog.all()} == whole
    assert {one.text for one in mind.catalog.of(DECISIONS)} == {
        "We decided on Postgres.",
        "it is known",
        "MySQL, by Ann.",
    }
    assert {one.text for one in mind.catalog.of(note)} == {"Hello.", "Some.", "Soup."}
    page = read(mind, DECISIONS)
    assert "\n## Database\n" in page
    assert "\n### Rejected\n" in page


def test_a_section_is_as_trusted_as_the_least_of_it(mind: Mind) -> None:
    note = "memory/2026-03-12-database.md"
    write(
        mind,
        note,
        "# Talk\n\n## Database\n\nWe decided on Postgres.\n\n- so says a page <!-- everself: id=7K3QX9M2ABCD src=web -->\n",
    )
    assert promote(mind, Pick(only(mind, "decided"), DECISIONS)).moved == ()
    assert read(mind, DECISIONS) == ""


def test_a_days_only_text_leaves_the_title_behind(mind: Mind) -> None:
    write(mind, LOG, "# 2026-03-12\n\nWe decided on tea.\n")
    promote(mind, Pick(only(mind, "tea"), DECISIONS))
    assert read(mind, LOG).startswith("# 2026-03-12\n")
    assert read(mind, DECISIONS).startswith("# Decisions\n\n## 2026-03-12\n\n- We decided on tea.")


def test_a_heading_that_is_there_already_keeps_all_it_had(mind: Mind) -> None:
    page = "# Decisions\n\n## 2026-03-12\n\n- Blue door\n\n## Database\n\nOracle, in 2019.\n\n## Later\n\nMore.\n"
    write(mind, DECISIONS, page)
    write(mind, "memory/2026-03-12-database.md", "# Talk\n\n## Database\n\nWe decided on Postgres.\n\n- it is known\n")
    write(mind, LOG, "# Log\n\n- Agreed on tea\n")
    promote(mind, Pick(only(mind, "decided"), DECISIONS), Pick(only(mind, "tea"), DECISIONS))
    texts = [one.text for one in mind.catalog.of(DECISIONS)]
    assert sorted(texts) == sorted(
        ["Blue door", "Agreed on tea", "Oracle, in 2019.", "More.", "We decided on Postgres.", "it is known"]
    )
    assert [one.heading[-1] for one in mind.catalog.of(DECISIONS) if "tea" in one.text] == ["2026-03-12"]


def test_the_same_words_twice_are_two_entries_before_and_after(mind: Mind) -> None:
    write(mind, DECISIONS, "# Decisions\n\n- We agreed on tea\n")
    write(mind, LOG, "# Log\n\n- We agreed on tea\n")
    there, here = mind.catalog.of(DECISIONS)[0].id, mind.catalog.of(LOG)[0].id
    promote(mind, Pick(here, DECISIONS))
    assert {one.id for one in mind.catalog.of(DECISIONS)} == {there, here}


def test_promoting_twice_changes_nothing_the_second_time(mind: Mind) -> None:
    made = mind.memory.remember(NewEntry("We decided on oak.", origin_of(OWNER)))
    promote(mind, Pick(made.entry, DECISIONS), Pick(made.entry, DECISIONS))
    first = read(mind, DECISIONS)
    again = promote(mind, Pick(made.entry, DECISIONS))
    assert again.change == ""
    assert "already" in again.left[0].reason
    assert read(mind, DECISIONS) == first
    assert first.count("oak") == 1


def test_what_belongs_to_a_person_stays_with_them(mind: Mind) -> None:
    made = mind.memory.remember(NewEntry("We decided on oak.", origin_of("person:bob"), person="bob"))
    assert promote(mind, Pick(made.entry, DECISIONS, named=True)).moved == ()
    assert promote(mind, Pick(made.entry, f"users/bob/{DECISIONS}"), author=Author.KEEPER).moved


def test_a_list_that_is_shared_with_groups_gains_nothing_private(mind: Mind) -> None:
    write(mind, DECISIONS, "# Decisions\n\n## 2026-03-12\n<!-- share: group -->\n\n- Blue door\n")
    write(mind, LOG, "# Log\n\n- Agreed on a salary\n")
    promote(mind, Pick(only(mind, "salary"), DECISIONS))
    page = read(mind, DECISIONS)
    assert page.index("salary") > page.rindex("## 2026-03-12") > page.index("share")


def test_a_page_that_is_shared_as_a_whole_is_refused(mind: Mind) -> None:
    write(mind, DECISIONS, "# Decisions\n<!-- share: group -->\n\n- Blue door\n")
    write(mind, LOG, "# Log\n\n- Agreed on a salary\n")
    assert "sharing" in promote(mind, Pick(only(mind, "salary"), DECISIONS)).left[0].reason
    assert "salary" in read(mind, LOG)


@pytest.mark.parametrize(
    "target",
    [
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        LOG,
        "memory/archive/2026-Q1.md",
        "notes.txt",
        "quarantine/x.md",
        "../x.md",
        "",
    ],
)
def test_only_core_memory_is_a_target(mind: Mind, target: str) -> None:
    made = mind.memory.remember(NewEntry("We decided on oak.", origin_of(OWNER)))
    with pytest.raises(WrongUse):
        promote(mind, Pick(made.entry, target))


def test_undoing_brings_it_back_as_it_was(mind: Mind) -> None:
    from tests.operations.changes import Changes

    write(mind, LOG, "# Log\n\n- We agreed on tea\n")
    before, identity = read(mind, LOG), only(mind, "agreed")
    promote(mind, Pick(identity, DECISIONS))
    Changes(mind.bench.workspace).undo(mind.bench.workspace.changes(1)[0].id)
    assert (read(mind, LOG), read(mind, DECISIONS)) == (before, "")
    assert mind.catalog.get(identity).source == HAND


def test_undoing_leaves_whole_what_was_written_there_since(mind: Mind) -> None:
    from tests.operations.changes import Changes

    log = "# Log\n\n## [09:30:00] note\n\n{}\n"
    since = "Three things:\n\n- one\n- two\n\n## [09:40:00] note\n\nNothing else"
    write(mind, LOG, log.format("Rain again\n\n## [09:30:00] note\n\nWe agreed on tea"))
    promote(mind, Pick(only(mind, "agreed"), DECISIONS, named=True))
    (change,) = mind.bench.workspace.changes(1)
    now = mind.bench.workspace.read(LOG).data
    written = log.format(since).encode()
    mind.bench.workspace.apply(Change(Author.HAND, "saved", (Replace(LOG, digest(now), 0, len(now), written),)))
    Changes(mind.bench.workspace).undo(change.id)
    assert sorted(one.text for one in mind.catalog.all()) == [
        "Nothing else",
        "Three things:\n\n- one\n- two",
        "We agreed on tea",
    ]


def test_the_copy_of_its_day_says_it_no_more_and_undoing_brings_both_back(mind: Mind) -> None:
    from tests.operations.changes import Changes

    new_entry = mind.memory.remember(NewEntry("We agreed on tea", origin_of(OWNER))).entry
    log, archive = mind.catalog.get(new_entry).path, "memory/archive/2026-Q1.md"
    mind.memory.remember(NewEntry("Rain", origin_of(OWNER)))
    archive_days(mind.memory, [log], remove=False)
    day, copied = read(mind, log), read(mind, archive)
    promote(mind, Pick(new_entry, DECISIONS))
    assert "Rain" in read(mind, archive)
    assert "agreed" not in read(mind, archive)
    undone = Changes(mind.bench.workspace).undo(mind.bench.workspace.changes(1)[0].id)
    assert (undone.conflicts, read(mind, log), read(mind, archive)) == ((), day, copied)
    promote(mind, Pick(new_entry, DECISIONS))
    mind.bench.workspace.apply(Change(Author.HAND, "gone", (Remove(log, mind.bench.workspace.read(log).hash),)))
    assert sorted((one.text, one.path) for one in mind.catalog.all()) == [
        ("Rain", archive),
        ("We agreed on tea", DECISIONS),
    ]


ODD = {
    "a comment of another tool": "- We decided on tea <!-- todo: 7 -->\n",
    "a fence in an item": "- We decided\n\n  ```sh\n  # not a heading\n  ls\n  ```\n",
    "windows line ends": "- We decided\r\n  on tea\r\n- more\r\n",
    "an open fence": "## [09:30:00] note\n\nWe decided\n\n```\n# code\n",
    "a table": "## [09:30:00] note\n\nWe decided\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "a quotation": "## 14:30 With Ann\n\n> We decided\n> on tea\n",
    "a heading underlined": "Database\n--------\n\nWe decided on tea.\n\n- and more\n",
    "a task": "- [x] We decided on tea\n  - with milk\n",
    "a deep section": "## A\n\n### B\n\n#### C\n\nWe decided on tea.\n\n##### D\n\nMore.\n",
    "words that look like a heading": "- \\# We decided\n",
    "a number that begins a list": "We decided\n2026. It was a good year.\n",
}


def test_words_that_had_to_be_closed_are_vouched_for_as_they_stand(mind: Mind) -> None:
    write(mind, LOG, f"# Log\n\n{ODD['an open fence']}")
    identity = only(mind, "We decided")
    promote(mind, Pick(identity, DECISIONS))
    after = mind.catalog.get(identity)
    assert after.text.endswith("```")
    assert (after.source, after.vouched) == (OWNER, True)


def told(mind: Mind) -> list[tuple[str, str]]:
    """A line takes the ends of the page it comes to, and a fence left open is closed."""
    return sorted((one.id, one.text.replace("\r\n", "\n").removesuffix("\n```")) for one in mind.catalog.all())


@pytest.mark.parametrize("name", ODD)
def test_whatever_it_looks_like_it_is_neither_lost_nor_doubled(mind: Mind, name: str) -> None:
    write(mind, LOG, f"# Log\n\nIntro.\n\n{ODD[name]}")
    write(mind, DECISIONS, "# Decisions\n\n- Blue door\n\n## 2026-03-12\n\nPlain words.\n")
    before = told(mind)
    done = promote(mind, Pick(only(mind, "We decided"), DECISIONS))
    assert told(mind) == before
    assert done.moved, done.left
    everything = read(mind, LOG) + read(mind, DECISIONS)
    assert everything.count("We decided") == 1
    assert everything.count("todo: 7") == ("todo" in ODD[name])
    assert mind.catalog.get(done.moved[0].entry).path == DECISIONS
