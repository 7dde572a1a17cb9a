"""Labelled lines: whatever stands around them, reading finds them and filling in touches nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from everself.text.markdown.labels import fill_labels, read_labels

_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_documents = st.lists(
    st.one_of(
        st.sampled_from(
            ["- **Name:** _(who)_", "- **Emoji:**", "# Head", "```", "<!--", "-->", "- **Name:**\n  x", ""]
        ),
        _words,
    ),
    max_size=8,
).flatmap(lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines).encode()))


@given(_documents)
def test_reading_never_fails_and_spans_stay_inside(data: bytes) -> None:
    for label in read_labels(data):
        assert 0 <= label.start <= label.end <= label.line_end <= len(data)


@given(_documents)
def test_filling_in_changes_nothing_but_the_values(data: bytes) -> None:
    """Whatever stands before, between and after the labels that are filled in is still there, byte for byte."""
    before = {label.name: label for label in reversed(read_labels(data))}
    filled = fill_labels(data, {"Name": "Aria"})
    if "name" in before:
        at = before["name"]
        assert filled.startswith(data[: at.start])
        assert filled.endswith(data[at.end :])
        assert filled[at.start : len(filled) - len(data) + at.end].strip() in (b"Aria", data[at.start : at.end])
    else:
        more = len(filled) - len(data)
        assert any(filled[:at] + filled[at + more :] == data for at in range(len(data) + 1))
        assert b"- **Name:** Aria" in filled


BLANK = b"# Me\n\n- **Name:** _(what you are called)_\n- **Creature:** _(a fox?)_\n- **Emoji:** _(one)_\n\nmore\n"


def test_values_take_the_place_of_placeholders_and_new_labels_come_last() -> None:
    filled = fill_labels(BLANK, {"Name": "Aria", "Emoji": "🌿", "Theme": "forest"})
    assert filled.decode() == (
        "# Me\n\n- **Name:** Aria\n- **Creature:** _(a fox?)_\n- **Emoji:** 🌿\n- **Theme:** forest\n\nmore\n"
    )
    assert fill_labels(filled, {"name": "Aria"}) == filled


def test_a_document_without_labels_gets_them_at_its_end() -> None:
    assert fill_labels(b"", {"Name": "Aria"}) == b"- **Name:** Aria\n"
    assert fill_labels(b"# Me", {"Name": "Aria"}) == b"# Me\n\n- **Name:** Aria\n"
    assert fill_labels(b"# Me\r\n", {"Name": "Aria"}) == b"# Me\r\n\r\n- **Name:** Aria\r\n"


def test_a_label_without_a_value_gets_one() -> None:
    assert fill_labels(b"- **Name:**\n- **Emoji:**  \n", {"Name": "Aria"}) == b"- **Name:** Aria\n- **Emoji:**  \n"
    assert fill_labels(b"- **Name:**  \n", {"Name": "Aria"}) == b"- **Name:** Aria  \n"
    assert fill_labels(b"- **Name**: <!-- who -->\n", {"Name": "Aria"}) == b"- **Name**: Aria <!-- who -->\n"
