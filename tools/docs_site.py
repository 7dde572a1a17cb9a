"""Build the documents as a site that needs no network: `make docs`, then open build/site/index.html.

usage: python -m tools.docs_site [--out FOLDER]

The pages are those of docs/ and the top folder, unchanged; docs/README.md gives their order. Everything the site needs,
including its search, is in the folder. A warning of the generator is an error.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tools.docs_reference import PAGES, render_pages
from tools.interpreters import TOP

REFERENCE = "Reference"

# files outside docs/ that pages link to
BESIDE = (
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "GLOSSARY.md",
    "README.md",
    "SECURITY.md",
    "LICENSE",
)
_LINK = re.compile(r"^- \[([^\]]+)\]\(([^)#]+\.md)\)", re.MULTILINE)
_CONF = """
project = "Everself"
author = copyright = "The Everself developers"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Everself"
exclude_patterns = []
myst_heading_anchors = 4
myst_links_external_new_tab = True
# a transcript of a terminal is no Python session, and a tree of files no code
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]
html_show_sphinx = False
html_copy_source = False
"""


@dataclass(frozen=True)
class Part:
    """A heading in the list of pages, its text, and its pages as (title, path from docs/)."""

    title: str
    words: str
    pages: tuple[tuple[str, str], ...]


def read_parts(text: str) -> list[Part]:
    """The parts of docs/README.md, in order."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = section.partition("\n")
        words = rest.strip().partition("\n\n")[0] if not rest.strip().startswith("- ") else ""
        found.append(Part(title.strip(), words, tuple(_LINK.findall(rest))))
    return found


def render_index(parts: Sequence[Part]) -> str:
    """The first page; the README for newcomers is one of the pages it lists."""
    lines = [
        "# Everself",
        "",
        "Everself gives an AI agent an identity and a memory that last, in plain Markdown files.",
        "",
    ]
    lines += ["```{toctree}", ":hidden:", "", "Read me first <README>", "All pages <docs/README>", "```", ""]
    for part in parts:
        lines += [f"## {part.title}", "", part.words, "", "```{toctree}", f":caption: {part.title}", ":maxdepth: 1", ""]
        lines += [f"{title} </{_document(path)}>" for title, path in part.pages]
        lines += ["```", ""]
    return "\n".join(lines)


def _document(path: str) -> str:
    """The generator's name of a page that docs/README.md links."""
    return str(Path("docs", path)).removesuffix(".md") if not path.startswith("../") else path[3:].removesuffix(".md")


def _with_reference(parts: Sequence[Part]) -> list[Part]:
    """Add the generated pages to the part with the other reference pages."""
    made = tuple((title, f"reference/{name}.md") for name, title in PAGES.items())
    return [replace(one, pages=(*one.pages, *made)) if one.title == REFERENCE else one for one in parts]


def stage(folder: Path) -> None:
    """Copy the pages for the generator into the same folder structure, so that the links between them work."""
    shutil.copytree(TOP / "docs", folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in BESIDE:
        shutil.copy(TOP / name, folder / name)
    listed = (folder / "docs/README.md").read_text(encoding="utf-8")
    (folder / "index.md").write_text(render_index(_with_reference(read_parts(listed))), encoding="utf-8")
    (folder / "docs/reference").mkdir()
    for name, text in render_pages().items():
        (folder / f"docs/reference/{name}.md").write_text(text, encoding="utf-8")
    (folder / "conf.py").write_text(_CONF, encoding="utf-8")
    for collection in ("decisions", "example"):
        first = folder / "docs" / collection / "README.md"
        below = sorted(page.stem for page in first.parent.glob("*.md") if page != first)
        tree = "\n".join(["", "```{toctree}", ":hidden:", "", *below, "```", ""])
        first.write_text(first.read_text(encoding="utf-8") + tree, encoding="utf-8")
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        # the generator needs a document for each link, and a folder is not one
        page.write_text(
            re.sub(r"\[([^\]]+)\]\((?:docs|example|docs/example|docs/web)/\)", r"\1", text), encoding="utf-8"
        )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.docs_site", description="Build the documents as a site.")
    parser.add_argument("--out", metavar="FOLDER", default=str(TOP / "build/site"))
    out = Path(parser.parse_args(arguments).out)
    source = out.parent / "site-source"
    for folder in (out, source):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    stage(source)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(source), str(out)], check=False
    )
    if done.returncode == 0:
        print(f"{sum(1 for _ in out.rglob('*.html'))} pages without a warning: {out / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
