"""Hits as text for a model: what a number cites, which lines need none, and that a budget is kept."""

from hypothesis import given
from hypothesis import strategies as some

from everself.search.packing import pack, render
from everself.text.tokens import count
from everself.values import Hit

PATH = "memory/2026-03-19.md"
WORDS = ("kettle", "3 lamps", "7", "a longer text about the harbour and its boats", "- an item")


def hit(first: int, text: str, *, path: str = PATH, lines: int = 1, now: str = "") -> Hit:
    return Hit(path, first, first + lines - 1, 0.5, text, closed=bool(now), now=now)


def read_back(text: str) -> dict[tuple[str, int], str]:
    """The lines by path and number, read as the format is described."""
    found: dict[tuple[str, int], str] = {}
    path, number = "", 0
    for line in text.splitlines():
        head, _, rest = line.partition(" ")
        if line.startswith("memory/"):
            path = line
        elif head.isdecimal():
            number = int(head)
            found[path, number] = rest
        else:
            number += 1
            found[path, number] = line
    return found


def test_lines_that_adjoin_are_numbered_once() -> None:
    assert render([hit(7, "Tea."), hit(12, "Far."), hit(5, "Rain."), hit(6, "Wind.")]) == (
        f"{PATH}\n5 Rain.\nWind.\nTea.\n12 Far.\n"
    )


def test_documents_stand_in_the_order_of_their_best_hit() -> None:
    other = "memory/2026-03-18.md"
    assert render([hit(2, "One."), hit(1, "Two.", path=other), hit(3, "Three.")]) == (
        f"{PATH}\n2 One.\nThree.\n{other}\n1 Two.\n"
    )


def test_text_of_several_lines_is_cited_by_its_first_and_last() -> None:
    assert render([hit(3, "One.\nTwo.", lines=2), hit(5, "Three.")]) == f"{PATH}\n3-4 One.\nTwo.\nThree.\n"


def test_what_is_not_all_of_its_lines_is_numbered_and_so_is_what_follows() -> None:
    assert render([hit(3, "One and two.", lines=2), hit(5, "Three.")]) == f"{PATH}\n3-4 One and two.\n5 Three.\n"


def test_text_that_begins_with_a_digit_is_numbered() -> None:
    assert render([hit(3, "Lamps:"), hit(4, "3 in the hall.")]) == f"{PATH}\n3 Lamps:\n4 3 in the hall.\n"


def test_what_ended_is_numbered_beside_its_mark() -> None:
    ended = hit(4, "Tea.", now="Coffee.")
    assert render([hit(3, "Rain."), ended, hit(5, "Wind.")]) == (f"{PATH}\n3 Rain.\n4 ({ended.mark}) Tea.\n5 Wind.\n")


def test_a_neighbour_fits_where_it_would_not_with_a_number_of_its_own() -> None:
    hits = [hit(3, "Rain."), hit(4, "Wind.")]
    budget = count(render(hits))
    assert pack(hits, budget, count).kept == tuple(hits)
    assert len(pack([hit(3, "Rain."), hit(9, "Wind.")], budget, count).kept) == 1


@given(
    placed=some.lists(
        some.tuples(some.sampled_from((PATH, "memory/2026-03-18.md")), some.integers(1, 30)), unique=True, max_size=30
    ),
    said=some.lists(some.sampled_from(WORDS), min_size=30, max_size=30),
    budget=some.integers(0, 300),
)
def test_every_line_is_found_again_by_its_number_within_the_budget(
    placed: list[tuple[str, int]], said: list[str], budget: int
) -> None:
    hits = [hit(number, text, path=path) for (path, number), text in zip(placed, said, strict=False)]
    packed = pack(hits, budget, count)
    assert packed.tokens == count(packed.text) <= budget
    assert sorted([*packed.kept, *packed.left]) == sorted(hits)
    assert read_back(packed.text) == {(one.path, one.first_line): one.text for one in packed.kept}
