"""Pictures are drawn from what a run shows, and change only when that does."""

from xml.etree import ElementTree

from tools.pictures import Span, draw, scenes, spans_of, steady, wrapped

from everself.interfaces.cli.demo.story import Piece
from everself.interfaces.rendering.lines import paint


def test_a_picture_holds_the_text_and_is_well_formed() -> None:
    picture = draw([[Span("$ ", "yellow"), Span("a < b & c", "ink", bold=True)], [Span("", "ink")]], "dark")
    text = "".join(ElementTree.fromstring(picture).itertext())
    assert "$ a < b & c" in text
    assert draw([], "light") != draw([], "dark")


def test_ids_are_the_same_in_every_run() -> None:
    def seen(first: str, second: str) -> str:
        known: dict[str, str] = {}
        return "".join(span.text for span in spans_of(steady(paint(f"{first} then {second}, {first}"), known)))

    assert seen("7K3QX9M2ABCD", "ZZ3QX9M2ABCD") == seen("000QX9M2ABCD", "111QX9M2ABCD")
    assert "7K3QX9M2ABCD" not in seen("7K3QX9M2ABCD", "ZZ3QX9M2ABCD")


def test_long_lines_go_on_below_and_keep_every_word() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    rows = list(wrapped([Span("  agent ", "magenta"), Span(words, "ink")]))
    assert len(rows) > 1
    assert rows[0][0] == Span("  agent ", "magenta")
    assert " ".join("".join(span.text for row in rows for span in [*row, Span(" ", "ink")]).split()) == f"agent {words}"


def test_the_picture_shows_a_correction_its_reason_and_a_proof() -> None:
    told = [
        Piece("title", ("2. Search",)),
        Piece("command", ("everself memory search x",)),
        Piece("title", ("3. A correction",)),
        Piece("said", ("No.",)),
        Piece("reply", ("Corrected.",)),
        Piece("command", ("everself memory list --closed",)),
        Piece("output", ("a table",)),
        Piece("title", ("7. Forgetting",)),
        Piece("output", ("one", "two", "three")),
    ]
    shown = [piece.lines for piece in scenes(told)]
    assert shown == [("3. A correction",), ("No.",), ("Corrected.",), ("7. Forgetting",), ("…", "two", "three")]
