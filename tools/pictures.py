"""Draw the README's terminal from a real run of `everself demo`, in a light and a dark theme; `tools.web_pictures` draws the web page.

usage: python -m tools.pictures [--check]

Ids are random; in the pictures they are replaced by fixed ones, so that a picture changes only if its content does.
`--check` draws nothing and fails if a picture differs from what a run shows now.
"""

import re
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from xml.sax.saxutils import escape

from tools.interpreters import TOP

from everself.interfaces.cli.commands.demo import lines_of
from everself.interfaces.cli.demo.stage import open_stage
from everself.interfaces.cli.demo.story import Piece, play
from everself.interfaces.rendering.lines import Line, Painted
from everself.values import CROCKFORD

FOLDER = TOP / "docs/pictures"
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{12}\b")
_COLUMNS = 104
_LINE, _WIDTH, _EDGE = 20, 8.43, 18
_NAMES = ("paper", "ink", "dim", "green", "magenta", "yellow", "cyan", "red")
_LIGHT = ("#ffffff", "#24292f", "#6e7781", "#116329", "#8250df", "#7d4e00", "#1b7c83", "#cf222e")
_DARK = ("#0d1117", "#e6edf3", "#8b949e", "#3fb950", "#bc8cff", "#d29922", "#39c5cf", "#ff7b72")
_LOOKS = {"light": dict(zip(_NAMES, _LIGHT, strict=True)), "dark": dict(zip(_NAMES, _DARK, strict=True))}


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    colour: str
    bold: bool = False


def scenes(pieces: Iterable[Piece]) -> list[Piece]:
    """The shown parts of the month: the correction, the explanation of an answer, and the end of the proof of forgetting."""
    chapter, shown = "", []
    for piece in pieces:
        if piece.kind == "title":
            chapter = str(piece.lines[0])[:1]
        if chapter in ("3", "4") and not str(piece.lines[0]).startswith("everself memory list"):
            shown.append(piece)
        elif chapter == "7" and piece.kind == "output":
            shown.append(Piece("output", ("…", *piece.lines[-2:])))
        elif chapter == "7":
            shown.append(piece)
    # omit the table that belongs to the command left out above
    return [one for at, one in enumerate(shown) if not (one.kind == "output" and shown[at - 1].kind == "reply")]


def spans_of(line: Line) -> Iterator[Span]:
    for text, look in line.parts if isinstance(line, Painted) else ((line, None),):
        colour = "ink" if look is None else look.fg or ("dim" if look.dim else "ink")
        yield Span(text, colour, bold=bool(look and look.bold))


def wrapped(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Lines of the terminal's width; the rest of a longer line continues below, slightly indented."""
    text = "".join(span.text for span in spans)
    if len(text) <= _COLUMNS:
        yield list(spans)
        return
    inset = " " * (len(text) - len(text.lstrip()) + 4)
    for at, part in enumerate(textwrap.wrap(text, _COLUMNS, subsequent_indent=inset, drop_whitespace=False)):
        first = spans[0]
        if at == 0 and len(spans) > 1 and part.startswith(first.text):
            yield [first, Span(part[len(first.text) :], spans[1].colour, spans[1].bold)]
        else:
            yield [Span(part, spans[-1].colour, spans[-1].bold)]


def draw(lines: Sequence[Sequence[Span]], look: str) -> str:
    colours = _LOOKS[look]
    width, height = _COLUMNS * _WIDTH + 2 * _EDGE, len(lines) * _LINE + 2 * _EDGE
    rows = []
    for number, spans in enumerate(lines):
        parts = "".join(_tspan(span, colours) for span in spans)
        rows.append(f'<text x="{_EDGE}" y="{_EDGE + 14 + number * _LINE}" xml:space="preserve">{parts}</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img">',
            "<title>A correction, why the agent answers so, and forgetting with proof, in a terminal</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{colours["paper"]}" stroke="{colours["dim"]}" stroke-opacity="0.35"/>',
            '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">',
            *rows,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _tspan(span: Span, colours: Mapping[str, str]) -> str:
    weight = ' font-weight="700"' if span.bold else ""
    return f'<tspan fill="{colours.get(span.colour, colours["ink"])}"{weight}>{escape(span.text)}</tspan>'


def steady(line: Line, known: dict[str, str]) -> Line:
    """The line with its ids replaced by fixed ones, in order of appearance."""

    def replaced(text: str) -> str:
        return _ID.sub(lambda found: known.setdefault(found[0], _made(len(known))), text)

    return (
        replaced(line) if isinstance(line, str) else Painted(tuple((replaced(text), look) for text, look in line.parts))
    )


def _made(number: int) -> str:
    value = int.from_bytes(sha256(str(number).encode()).digest()[:8], "big")
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(0, 60, 5))


def render_pictures() -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder, open_stage(folder) as stage:
        shown = scenes(play(stage))
    known: dict[str, str] = {}
    lines = [steady(line, known) for piece in shown for line in lines_of(piece)]
    rows = [row for line in lines[1:] for row in wrapped(list(spans_of(line)))]
    return {f"conversation-{look}.svg": draw(rows, look) for look in _LOOKS}


def main(arguments: Sequence[str]) -> int:
    check = "--check" in arguments
    old = []
    for name, picture in render_pictures().items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != picture:
            old.append(name)
            if not check:
                path.write_text(picture, encoding="utf-8")
    if old:
        print(f"{'Not current' if check else 'Drawn'}: {', '.join(old)}")
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
