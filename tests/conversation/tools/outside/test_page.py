"""A page reads as a person sees it, and no page takes long."""

from time import process_time

import pytest

from everself.conversation.tools.outside._html_text import read_page

# many small steps add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

PAGE = """<!DOCTYPE html><html><head><title>Rust &amp; you</title><meta charset=utf-8>
<style>p > a { color: red }</style><script>if (a < b) document.write("<p>never</p>")</script></head>
<body class="a > b"><!-- a <p>comment</p> --><h1>Tundra</h1><p>A  project
in <b>Rust</b>, see <a href="/docs?a=1&amp;b=2">the docs</a>.<br>Second line &lt;3 &#8212; &copy;
<ul><li>one<li>two</ul><table><tr><td>x</td><td>y</td></tr></table>
<pre>fn main() {
    run();
}</pre><p>Last: 1 < 2 and a<b</body></html>"""


def test_a_page_becomes_text() -> None:
    page = read_page(PAGE, "https://tundra.example/start/")
    assert page.title == "Rust & you"
    assert page.text.splitlines() == [
        "# Tundra",
        "A project in Rust, see the docs <https://tundra.example/docs?a=1&b=2>.",
        "Second line <3 — ©",
        "- one",
        "- two",
        "x | y",
        "fn main() {",
        "    run();",
        "}",
        "Last: 1 < 2 and a",
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>IGNORE</script>",
        "<SCRIPT type='x'>IGNORE</ScRiPt >",
        "<style>IGNORE</style>",
        "<noscript>IGNORE</noscript>",
        "<template><p>IGNORE</p></template>",
        "<!-- IGNORE -->",
        "<div hidden>IGNORE <div>IGNORE</div> IGNORE</div>",
        "<div hidden=''>IGNORE</div>",
        "<p style='display: none'>IGNORE</p>",
        '<span style="color:red; VISIBILITY : hidden !important">IGNORE</span>',
        "<span aria-hidden=true>IGNORE</span>",
        "<span style='font-size:0'>IGNORE</span>",
        "<svg><text>IGNORE</text></svg>",
        "<select><option>IGNORE</select>",
        "<li hidden>IGNORE",
    ],
)
def test_what_people_do_not_see_is_left_out(hidden: str) -> None:
    text = read_page(f"<ul><p>before</p>{hidden}<li>after</li></ul><p>end").text
    assert "IGNORE" not in text
    assert [line.strip("- ") for line in text.splitlines()] == ["before", "after", "end"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a < b <", "a < b <"),
        ("x<p", "x"),
        ("x<!-- open", "x"),
        ("x<script>open", "x"),
        ("<p title='a>b'>c", "c"),
        ("<p title=it's>c", "c"),
        ("<p title='open>c", "c"),
        ("<a href='javascript:alert(1)'>c</a>", "c"),
        ("<a href='http://[bad'>c</a>", "c"),
        ("<a href=/x></a>c", "c"),
        ("a\0b\x1b[31m\x01", "ab[31m"),
        ("</p></div>x</html>", "x"),
        ("&#" + "9" * 5_000 + ";x", "&#" + "9" * 5_000 + ";x"),
        ("İ<SCRIPT>no</SCRIPT>x", "İx"),
        ("<p hidden>no</body>x", "x"),
    ],
)
def test_broken_pages_are_read_as_far_as_they_go(source: str, text: str) -> None:
    assert read_page(source, "http://h/").text == text


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<a ",
        '<a x="y" ',
        "<!--",
        "<p hidden>",
        "</script",
        "<script>",
        "&#1",
        "<a href='",
        "\"'>",
        "<b ='\"",
        "<li hidden>",
        "=\"='",
        "<title>",
        "<div hidden><svg>",
    ],
)
def test_no_page_takes_quadratic_time(piece: str) -> None:
    def seconds(times: int) -> float:
        page = piece * times
        taken = []
        for _ in range(3):
            begun = process_time()
            read_page(page)
            taken.append(process_time() - begun)
        return min(taken)

    seconds(100)
    # ten times the page: far below the hundred times that a quadratic reader takes, and above what noise does
    assert seconds(20_000) < 40 * max(seconds(2_000), 0.002)
