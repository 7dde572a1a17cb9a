"""Undoing does to the entries of a document what the change did to them, backwards, and nothing to any other."""

import pytest

from everself.memory.undo import is_torn, says, surplus
from everself.values import FileChange

LOG = "memory/2026-03-12.md"
TEA = "- Tea at four <!-- everself: id=AAAAAAAAAAAA src=owner -->\n"
RAIN = "- Rain again <!-- everself: id=BBBBBBBBBBBB src=owner -->\n"
TITLE = "# Log\n\n"


def change(before: str, after: str, path: str = LOG) -> FileChange:
    return FileChange(path, before.encode(), after.encode())


@pytest.mark.parametrize(
    ("done", "undoing"),
    [
        (change(TITLE + TEA, TITLE), change(TITLE + RAIN, TITLE + RAIN + TEA)),
        (change(TITLE, TITLE + TEA), change(TITLE + TEA + RAIN, TITLE + RAIN)),
        # somebody changed the words that the change had changed
        (
            change(TITLE + TEA, TITLE + TEA.replace("four", "five")),
            change(TITLE + TEA.replace("Tea at four", "Black tea at five"), TITLE + TEA.replace("Tea", "Black tea")),
        ),
        # what no memory stands in is not judged here
        (change("a\n", "b\n", "SOUL.md"), change("b\n", "c\n", "SOUL.md")),
    ],
)
def test_what_only_takes_the_change_back_is_not_torn(done: FileChange, undoing: FileChange) -> None:
    assert not is_torn(done, undoing)


@pytest.mark.parametrize(
    "result",
    [
        TITLE + RAIN.replace("again", "again,\n  and Tea at four"),
        TITLE + TEA,
        TITLE + TEA + RAIN + RAIN,
        TITLE + TEA.replace(" <!--", "\n  Rain again <!--") + RAIN,
    ],
)
def test_what_does_anything_to_another_entry_is_torn(result: str) -> None:
    assert is_torn(change(TITLE + TEA, TITLE), change(TITLE + RAIN, result))


def test_what_was_moved_on_since_would_be_there_twice() -> None:
    there, gone = FileChange("memory/a.md", None, b"- Tea\n"), FileChange("memory/b.md", b"- Tea\n", None)
    back = FileChange("memory/b.md", None, b"- Tea\n")
    texts = surplus((there, gone), (back,))
    assert len(texts) == 1
    assert says(b"# Kept\n\n- Tea\n", texts)
    assert not says(b"# Kept\n\n- Coffee\n", texts)
    assert not surplus((there, gone), (back, FileChange("memory/a.md", b"- Tea\n", None)))
    # what was only removed comes back, whatever else says the same
    assert not surplus((gone,), (back,))
