"""Our reading of places agrees with the parser, and with a parser that keeps everything."""

from collections.abc import Iterator

import pyjson5
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json5.loader import ModelLoader, loads
from json5.model import JSONArray, JSONObject, Value

from everself.config.json5_positions import Where, locate


def paths(value: object, where: Where = ()) -> Iterator[Where]:
    yield where
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in members:
        yield from paths(inner, (*where, name))


def at(value: object, where: Where) -> object:
    for part in where:
        value = value[part]  # type: ignore[index]  # the path comes from this value
    return value


blanks = st.sampled_from(["", " ", "\n", "\t", "\r\n", " // } ] \" '\n", "/* , : { */", "\u00a0", "\ufeff"])
names = st.sampled_from(["a", "b_1", "$c", '"d e"', "'f'", '"\\u0067"', '"}"', '"//"', "\u00e9", '"a\\"b"'])
scalars = st.sampled_from(
    [
        "1",
        "-2.5",
        "+3",
        ".5",
        "0xF",
        "1e3",
        "true",
        "null",
        "Infinity",
        '"x"',
        "'y\\'z'",
        '"},"',
        '"a\\\nb"',
        '"\U0001f33f"',
    ]
)


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    def spaced(text: str) -> str:
        return draw(blanks) + text + draw(blanks)

    kind = draw(st.sampled_from(["{}", "[]", "scalar"])) if depth else "scalar"
    if kind == "scalar":
        return spaced(draw(scalars))
    inner = draw(st.lists(texts(depth - 1), max_size=3))
    if kind == "{}":
        keys = draw(st.lists(names, min_size=len(inner), max_size=len(inner)))
        inner = [f"{spaced(key)}:{value}" for key, value in zip(keys, inner, strict=True)]
    comma = "," + draw(blanks) if inner and draw(st.booleans()) else ""
    return spaced(kind[0] + draw(blanks) + ",".join(inner) + comma + kind[1])


@given(texts())
def test_every_place_is_found_and_encloses_its_value(text: str) -> None:
    data = pyjson5.decode(text)
    shape = locate(text)
    assert set(shape.spans) == set(paths(data))
    for where, span in shape.spans.items():
        piece = text[span.start : span.end]
        assert repr(pyjson5.decode(piece)) == repr(at(data, where))
        assert span.line == text.count("\n", 0, span.first) + 1


@given(texts())
def test_places_agree_with_a_parser_that_keeps_everything(text: str) -> None:
    shape = locate(text)
    if shape.repeated:
        return

    def compare(node: Value, where: Where) -> None:
        assert node._tok is not None
        assert shape.spans[where].start == node._tok.index
        if isinstance(node, JSONObject):
            keys = list(pyjson5.decode(text[shape.spans[where].start : shape.spans[where].end]))
            for key, value in zip(keys, node.values, strict=True):
                compare(value, (*where, key))
        elif isinstance(node, JSONArray):
            for index, value in enumerate(node.values):
                compare(value, (*where, index))

    compare(loads(text, loader=ModelLoader()).value, ())


def test_the_last_of_two_keys_has_the_place() -> None:
    shape = locate("{a: {x: 1},\n a: {y: 2}}")
    assert shape.repeated == [("a",)]
    assert shape.line_of(("a", "y")) == 2
    assert ("a", "x") not in shape.spans


def test_an_unknown_place_has_the_line_of_what_is_around_it() -> None:
    shape = locate("{\n a: {\n b: 1}}")
    assert [shape.line_of(where) for where in (("a", "b"), ("a", "nothing"), ("nothing",))] == [3, 2, 0]


@pytest.mark.parametrize("text", ["{}", " [ ] ", "1", '"x"', "// c\n{}"])
def test_small_texts_have_a_whole(text: str) -> None:
    span = locate(text).spans[()]
    assert text[span.start : span.end].strip() == text.split("\n")[-1].strip()
