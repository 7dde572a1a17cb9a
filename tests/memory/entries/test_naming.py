"""Which entry is which after a person edited the files: the one that they would call the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.memory import _entry_ids as naming
from everself.memory._entry_ids import likeness, sketch
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of
from everself.text.normalise import fold


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    return tmp_path / "workspace"


def names(mind: Mind) -> dict[str, str]:
    return {entry.text: entry.id for entry in mind.catalog.all()}


def write(path: Path, *items: str) -> None:
    path.write_text("# Memory\n\n" + "".join(f"- {item}\n" for item in items), encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Allergic to peanuts, badly.", "Allergic to peanuts and cashews, badly."),
        ("Rent is due on the 5th.", "Rent is due on the 1st."),
        ("The office is on floor 7.", "~~The office is on floor 7.~~"),
        ("Hana lives in Busan.", "HANA lives in  Busan"),
        ("下周三上午十点和王老师见面。", "下周四上午十点和王老师见面。"),
        ("봄에는 산책을 자주 한다.", "봄에는 산책을 매일 한다."),
        ("Plays chess on Sundays.", "Plays chess on Sundays.\n  And on rainy Mondays."),
        ("Call the dentist.", "[x] Call the dentist."),
    ],
)
def test_a_reworded_entry_stays_the_same(mind: Mind, folder: Path, before: str, after: str) -> None:
    write(folder / "MEMORY.md", "The first of the list.", before, "Something else altogether.")
    first = mind.catalog.all()[1].id
    write(folder / "MEMORY.md", "The first of the list.", after, "Something else altogether.")
    assert mind.catalog.all()[1].id == first


def test_between_the_same_neighbours_much_may_change(mind: Mind, folder: Path) -> None:
    write(folder / "MEMORY.md", "The first of the list.", "Tea at four with Hana.", "The last of the list.")
    known = mind.catalog.all()[1].id
    write(folder / "MEMORY.md", "The first of the list.", "Coffee at nine with Hana.", "The last of the list.")
    assert mind.catalog.all()[1].id == known


def test_another_text_in_the_same_place_is_another_entry(mind: Mind, folder: Path) -> None:
    write(folder / "MEMORY.md", "The first of the list.", "Tea at four with Hana.", "The last of the list.")
    known = mind.catalog.all()[1].id
    write(folder / "MEMORY.md", "The first of the list.", "Printer ink is in drawer two.", "The last of the list.")
    assert mind.catalog.all()[1].id != known
    write(folder / "MEMORY.md", "The first of the list.", "Tea at four with Hana.", "The last of the list.")
    assert mind.catalog.all()[1].id == known


def test_moving_about_in_a_document_changes_no_name(mind: Mind, folder: Path) -> None:
    items = [f"Fact number {number} about {word}." for number, word in enumerate(("tea", "boats", "rain", "ink"))]
    write(folder / "MEMORY.md", *items)
    known = names(mind)
    write(folder / "MEMORY.md", *reversed(items))
    assert names(mind) == known


def test_a_text_moved_to_another_document_keeps_its_name_whichever_is_read_first(mind: Mind, folder: Path) -> None:
    write(folder / "MEMORY.md", "Hana lives in Busan.", "Prefers green tea.")
    known = names(mind)
    write(folder / "MEMORY.md", "Prefers green tea.")
    write(folder / "memory" / "people.md", "Hana lives in Busan.")
    assert [entry.id for entry in mind.catalog.of("memory/people.md")] == [known["Hana lives in Busan."]]
    write(folder / "memory" / "people.md")
    assert [entry.text for entry in mind.catalog.of("memory/people.md")] == []
    write(folder / "memory" / "family.md", "Hana lives in Busan.")
    assert names(mind) == known


def test_a_renamed_document_takes_its_entries_along(mind: Mind, folder: Path) -> None:
    write(folder / "memory" / "boats.md", "The boat lies at pier 4.", "Paint it in May.")
    known = names(mind)
    (folder / "memory" / "boats.md").rename(folder / "memory" / "ships.md")
    assert names(mind) == known


def test_the_same_words_twice_are_two_entries_and_stay_two(mind: Mind, folder: Path) -> None:
    write(folder / "MEMORY.md", "Tea.", "Tea.")
    first = [entry.id for entry in mind.catalog.all()]
    assert len(set(first)) == 2
    write(folder / "MEMORY.md", "Tea.", "Rain today.", "Tea.")
    assert [entry.id for entry in mind.catalog.all() if entry.text == "Tea."] == first


def test_a_copied_comment_names_only_the_first(mind: Mind, folder: Path) -> None:
    done = mind.memory.remember(NewEntry("Hana lives in Busan.", origin_of("owner"), explicit=True))
    line = next(line for line in (folder / "MEMORY.md").read_text().splitlines() if done.entry in line)
    (folder / "memory" / "copy.md").write_text(f"{line}\n{line.replace('Busan', 'Daegu')}\n")
    found = mind.catalog.all()
    assert [entry.path for entry in found if entry.id == done.entry] == ["MEMORY.md"]
    assert len({entry.id for entry in found}) == 3
    assert [entry.vouched for entry in found if entry.path == "memory/copy.md"] == [False, False]


def test_a_comment_carries_the_name_through_any_rewording(mind: Mind, folder: Path) -> None:
    done = mind.memory.remember(NewEntry("Hana lives in Busan.", origin_of("owner"), explicit=True))
    path = folder / "MEMORY.md"
    path.write_text(path.read_text().replace("Hana lives in Busan.", "Nothing of the kind was ever true."))
    assert mind.catalog.get(done.entry).text == "Nothing of the kind was ever true."


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("a b c d", "a b c d", 1.0, 1.0),
        ("a b c d", "a, b; c! (d)", 1.0, 1.0),
        ("a b c d", "e f g h", 0.0, 0.0),
        ("a b c d", "a b c e", 0.5, 0.7),
        ("", "a", 0.0, 0.0),
        ("我喜欢绿茶", "我喜欢红茶", 0.25, 0.6),
    ],
)
def test_likeness_is_the_share_of_common_words(one: str, other: str, least: float, most: float) -> None:
    assert least <= likeness(sketch(fold(one)), sketch(fold(other))) <= most


def test_a_file_of_other_lines_is_named_without_comparing_every_line_with_every_other(
    mind: Mind, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[float] = []
    compare = naming._likeness

    def counted(first: frozenset[bytes], second: frozenset[bytes]) -> float:
        compared.append(compare(first, second))
        return compared[-1]

    monkeypatch.setattr(naming, "_likeness", counted)
    write(folder / "MEMORY.md", *(f"He saw{n} bird{n} number{n} today." for n in range(600)))
    mind.catalog.refresh()
    write(folder / "MEMORY.md", *(f"She saw{n} bird{n} number{n + 300} today." for n in range(600)))
    mind.catalog.refresh()
    assert 600 <= len(compared) < 3_000
    monkeypatch.setattr(naming, "_COMPARISONS", 6_000)
    compared.clear()
    write(folder / "MEMORY.md", *(f"The same many words again and again and not{n}" for n in range(600)))
    mind.catalog.refresh()
    write(folder / "MEMORY.md", *(f"The same many words again and again and now{n}" for n in range(600)))
    mind.catalog.refresh()
    assert 600 <= len(compared) <= 600 * naming._COMPARED_AT_LEAST
    assert len({entry.id for entry in mind.catalog.all()}) == 600


def test_the_same_words_a_thousand_times_are_counted_on_not_from_the_start(
    mind: Mind, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[bytes] = []
    digest = naming.digest

    def counted(data: bytes) -> str:
        hashed.append(data)
        return digest(data)

    monkeypatch.setattr(naming, "digest", counted)
    write(folder / "MEMORY.md", *["tea"] * 1_000)
    assert len({entry.id for entry in mind.catalog.all()}) == 1_000
    assert len(hashed) == 1_000
