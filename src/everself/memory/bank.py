"""The memory bank: typed pages about the world, experiences and opinions, and one page for each entity.

Pages are ordinary documents whose items are entries. The strength of an opinion is part of its text and visible at its end, `(c=0.7)`. It
is independent of the confidence of the entry.
"""

from collections.abc import Iterator
from enum import StrEnum

from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.memory.memory import Memory, Remembered
from everself.memory.writing import NewEntry, PageSpot
from everself.text.markdown.blocks import scan
from everself.text.markdown.sections import sections
from everself.text.normalise import fold, slug, without_surrogates
from everself.values import Entry, Origin, Tag
from everself.workspace.layout import Kind, place

FOLDER = "bank"
ENTITIES = "entities"
ALIASES = ("aliases", "alias", "also known as", "别名", "別名", "별칭")
_SEPARATORS = ",;、，；"


class Page(StrEnum):
    """The pages that exist once."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINIONS = "opinions"


_TAGS = {Page.WORLD: Tag.KNOWLEDGE, Page.EXPERIENCE: Tag.EVENT, Page.OPINIONS: Tag.KNOWLEDGE}


class BankItem(Frozen):
    """One entry of a page. `held` is the strength of an opinion, if given; `words` is the text without it."""

    entry: Entry
    confidence: float
    words: str
    held: float | None = None


class BankPage(Frozen):
    path: str
    title: str
    aliases: tuple[str, ...]
    items: tuple[BankItem, ...]


class PageName(Frozen):
    """A page in a list, with its name, title and aliases."""

    name: str
    path: str
    title: str
    entries: int
    aliases: tuple[str, ...] = ()


class Bank:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def pages(self) -> tuple[PageName, ...]:
        """All pages, entities last."""
        found = [self._name(one.path) for one in self._memory.workspace.list(FOLDER) if one.path.endswith(".md")]
        return tuple(sorted(found, key=lambda page: (page.path.count("/"), page.path)))

    def entities(self) -> tuple[PageName, ...]:
        return tuple(page for page in self.pages() if page.path.startswith(f"{FOLDER}/{ENTITIES}/"))

    def entity(self, name: str) -> PageName | None:
        """The entity with that slug, title or alias, in any script and spelling."""
        wanted = fold(name)
        for page in self.entities():
            stem = page.path.rpartition("/")[2].removesuffix(".md")
            if wanted in (fold(page.title), fold(stem)) or stem == slug(name):
                return page
        return next((page for page in self.entities() if wanted in map(fold, page.aliases)), None)

    def read(self, page: str) -> BankPage:
        """A page by its kind, its path or the name of an entity."""
        found = self._find(page)
        if found is None:
            raise NotFound(f'bank page "{page[:80]}".', mend="everself memory bank list")
        items = tuple(self._item(entry) for entry in self._memory.catalog.of(found.path))
        return BankPage(found.path, found.title, found.aliases, items)

    def write(self, page: str, text: str, origin: Origin, *, held: float | None = None) -> Remembered:
        """Add an entry to a page, which is created if it is missing. Any name that is not a kind of page is an entity."""
        if held is not None and not 0 <= held <= 1:
            raise WrongUse(f"{held} is not a valid confidence.", mend="Use a number from 0 to 1.")
        if held is not None and page != Page.OPINIONS:
            raise WrongUse("Only opinions have a confidence.", mend="everself memory bank add opinions …")
        kind = Page(page) if page in set(Page) else None
        words = f"{text.strip()} (c={held:.2g})" if held is not None else text
        return self._memory.remember(
            NewEntry(words, origin, tag=_TAGS[kind] if kind else Tag.KNOWLEDGE, spot=self._spot(page))
        )

    def _spot(self, page: str) -> PageSpot:
        found = self._find(page)
        if found is not None:
            return PageSpot(found.path, found.title, found.title)
        title = page.capitalize() if page in set(Page) else " ".join(page.split())
        if not title or "/" in title or title.startswith("#") or without_surrogates(title) != title:
            raise WrongUse(
                f'"{page[:80]}" is not a valid page name.', mend="world, experience, opinions or an entity's name"
            )
        path = f"{FOLDER}/{page}.md" if page in set(Page) else f"{FOLDER}/{ENTITIES}/{slug(title)}.md"
        return PageSpot(path, title, title)

    def _find(self, page: str) -> PageName | None:
        for path in (f"{FOLDER}/{page}.md", page):
            if place(path).kind is Kind.BANK and self._memory.workspace.stat(path) is not None:
                return self._name(path)
        return self.entity(page)

    def _name(self, path: str) -> PageName:
        data = found.data if (found := self._memory.workspace.find(path)) is not None else b""
        stem = path.removeprefix(f"{FOLDER}/").removesuffix(".md")
        titles = sections(scan(data))
        entries = self._memory.catalog.of(path)
        aliases = tuple(alias for entry in entries for alias in _aliases(entry.text))
        title = titles[0].title if titles and titles[0].title else stem.rpartition("/")[2]
        return PageName(stem.removeprefix(f"{ENTITIES}/"), path, title, len(entries), aliases)

    def _item(self, entry: Entry) -> BankItem:
        words, held = parse_held(entry.text)
        return BankItem(entry, self._memory.confidence(entry), words, held)


def parse_held(text: str) -> tuple[str, float | None]:
    """`Tabs are better (c=0.7)` → the text and the number; other texts are returned unchanged."""
    words, mark, rest = text.rstrip().rpartition("(c=")
    if not mark or not rest.endswith(")"):
        return text, None
    try:
        held = float(rest[:-1])
    except ValueError:
        return text, None
    return (words.rstrip(), held) if 0 <= held <= 1 else (text, None)


def _aliases(text: str) -> Iterator[str]:
    """The names in `**Aliases:** Ali, 小艾`."""
    label, mark, names = text.partition(":**")
    if not mark:
        label, mark, names = text.partition("：**")
    if not mark or fold(label.removeprefix("**")) not in ALIASES:
        return
    for separator in _SEPARATORS:
        names = names.replace(separator, "\n")
    yield from (name.strip() for name in names.split("\n") if name.strip())
