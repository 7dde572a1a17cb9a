"""Output of `everself memory bank`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.entries import left_out
from everself.interfaces.rendering.lines import entries_of
from everself.interfaces.rendering.view import Look, View
from everself.memory.memory import Remembered
from everself.memory.memory_bank import BankPage, PageName


def _listed(pages: tuple[PageName, ...], _: Look) -> Iterable[str]:
    return [_line(page) for page in pages] or ['The bank is empty. To begin: everself memory bank add world "…"']


def _line(page: PageName) -> str:
    aliases = f", also {', '.join(page.aliases)}" if page.aliases else ""
    return f"{page.name:<20}  {page.title}{aliases}  ({page.path}, {entries_of(page.entries)})"


def _told(page: BankPage, _: Look) -> Iterator[str]:
    yield f"{page.title}  ({page.path})"
    if not page.items:
        yield "  The page is empty."
    for item in page.items:
        held = f"  held at {item.held:g}" if item.held is not None else ""
        closed = "  closed" if item.entry.closed else ""
        first, *rest = item.words.splitlines() or [""]
        yield f"  {item.entry.id}  {item.confidence:.2f}  {first}{held}{closed}"
        yield from (f"      {line.strip()}" for line in rest)


def _added(done: Remembered, _: Look) -> list[str]:
    return [f"{'Known already' if done.mention else 'Written'} in {done.path} as entry {done.entry}."]


VIEWS: Final = {
    "memory.bank.list": View(_listed),
    "memory.bank.show": View(_told),
    "memory.bank.add": View(_added, notices=left_out),
}
