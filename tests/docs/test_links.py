"""Every link of the documents leads somewhere, and the list of pages holds every page once."""

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tools.docs_reference import PAGES as MADE
from tools.docs_reference import render_pages
from tools.docs_site import BESIDE, REFERENCE, read_parts, render_index, stage

from everself.config.schema import SETTINGS
from everself.errors import EverselfError
from everself.operations.registry import all_operations

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
PAGES = sorted([*TOP.glob("*.md"), *DOCS.rglob("*.md"), *TOP.glob(".github/**/*.md")])
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} (.+?)\s*#*$", re.MULTILINE)


def prose(page: Path) -> str:
    return re.sub(r"`[^`\n]*`", lambda found: "x" * len(found[0]), FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def faults(page: Path) -> list[str]:
    wrong = []
    for target in (one or two for one, two in LINK.findall(prose(page))):
        parts = urlsplit(target)
        if parts.scheme:
            # other people's pages are not asked for; an address that cannot be one is found all the same
            if parts.scheme not in ("https", "mailto") or (parts.scheme == "https" and "." not in parts.netloc):
                wrong.append(target)
            continue
        there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not there.exists() or (parts.fragment and there.suffix == ".md" and parts.fragment not in anchors(there)):
            wrong.append(target)
    return wrong


@pytest.mark.parametrize("page", [pytest.param(one, id=str(one.relative_to(TOP))) for one in PAGES])
def test_every_link_leads_somewhere(page: Path) -> None:
    assert faults(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n[a](none.md) [b](#a-page) [c](#no) [d](http://x) `[e](none.md)`\n```\n[f](none.md)\n```\n"
    )
    assert faults(page) == ["none.md", "#no", "http://x"]


def test_the_list_of_pages_holds_every_page_once() -> None:
    listed = [path for part in read_parts((DOCS / "README.md").read_text("utf-8")) for _, path in part.pages]
    there = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    folders = {"decisions/README.md", "example/README.md"}
    above = {f"../{name}" for name in BESIDE if name.endswith(".md")} - {"../README.md"}
    assert Counter(listed) == Counter({*there, *folders, *above})


def test_the_readme_links_the_list_of_pages() -> None:
    assert "(docs/README.md)" in (TOP / "README.md").read_text("utf-8")


def test_the_site_holds_every_page_in_the_order_of_the_list(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    stage(tmp_path / "source")
    index = (tmp_path / "source/index.md").read_text("utf-8")
    parts = read_parts((DOCS / "README.md").read_text("utf-8"))
    assert [part.title for part in parts][:4] == ["Tutorial", "How to", REFERENCE, "Explanation"]
    assert render_index(parts).startswith("# Everself")
    assert all(f"</docs/reference/{name}>" in index for name in MADE)
    assert "</docs/tutorial>" in index
    named = re.findall(r"<(/?[\w/.-]+)>", index)
    assert [one for one in named if not (tmp_path / "source" / f"{one.lstrip('/')}.md").exists()] == []


def test_the_reference_names_every_operation_setting_and_error() -> None:
    made = render_pages()
    assert [one.name for one in all_operations() if f"### `{one.name}`\n" not in made["operations"]] == []
    assert [one.key for one in SETTINGS if f"| `{one.key}` |" not in made["settings"]] == []

    def tree(above: type) -> list[type]:
        return [above, *(one for each in above.__subclasses__() for one in tree(each))]

    ours = [one.__name__ for one in tree(EverselfError) if one.__module__ == "everself.errors"]
    assert [name for name in ours if f"| `{name}` |" not in made["errors"]] == []
