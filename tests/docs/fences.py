"""The fenced blocks and the inline code of the pages, and the commands in them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# decision records are history: a command that they name may be gone
PAGES = sorted(
    [
        *TOP.glob("*.md"),
        *(TOP / "docs").glob("*.md"),
        *(TOP / "docs/example").glob("*.md"),
        *(TOP / "plugins").rglob("*.md"),
        *TOP.glob(".github/**/*.md"),
    ]
)
_FENCE = re.compile(r"^( *)(`{3,}|~{3,})([^\n`]*)\n(.*?)^ *\2 *$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
# "$(everself config path)"
_INNER = re.compile(r"\$\(([^()]*)\)")
_ENDS = {"&&", "||", "|", ";", "(", ")", "&"}
_SETS = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True)
class Fence:
    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def fences(page: Path) -> Iterator[Fence]:
    whole = page.read_text("utf-8")
    for found in _FENCE.finditer(whole):
        indent, _, info, text = found.groups()
        line = whole.count("\n", 0, found.start()) + 1
        language = info.split()[0] if info.strip() else ""
        yield Fence(str(page.relative_to(TOP)), line, language, re.sub(f"^{indent}", "", text, flags=re.MULTILINE))


def all_fences() -> list[Fence]:
    return [one for page in PAGES for one in fences(page)]


def indented_commands(page: Path) -> list[str]:
    """Commands in a block that is only indented, which has no language and which nothing would check."""
    outside = _FENCE.sub("", page.read_text("utf-8"))
    return re.findall(r"^(?: {4}|\t)(?:\$ |everself |make |pip |python3? ).*$", outside, re.MULTILINE)


def inline_code(page: Path) -> Iterator[tuple[int, str]]:
    """Each `piece of code` in a sentence or a table, with its line."""
    whole = _FENCE.sub(lambda found: re.sub(r"[^\n]", "", found[0]), page.read_text("utf-8"))
    for number, line in enumerate(whole.splitlines(), 1):
        for found in _CODE.finditer(line):
            yield number, found[1].replace("\\|", "|")


def commands(script: str) -> list[list[str]]:
    """The words of each command of a shell script, without assignments before it and redirections behind it."""
    script = re.sub(r"\\\n", " ", script)
    found = [words for inner in _INNER.findall(script) for words in commands(inner)]
    for line in script.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
        lexer.commenters = ""
        lexer.whitespace_split = True
        words: list[str] = []
        skip = False
        for word in [*_without_comment(lexer), ";"]:
            if word in _ENDS:
                while words and _SETS.match(words[0]):
                    del words[0]
                if words:
                    found.append(words)
                words = []
            elif word in {"<", ">", ">>", ">&"}:
                skip = True
            elif skip:
                skip = False
            else:
                words.append(word)
    return found


def _without_comment(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("#"):
            return
        yield word
