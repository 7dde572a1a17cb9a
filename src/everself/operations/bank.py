"""Operations on the bank: typed pages about the world, experience, opinions and entities."""

from typing import Annotated

from everself.memory.bank import BankPage, PageName
from everself.memory.memory import Remembered
from everself.memory.provenance import stated_by_owner
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, NoRequest, Option, Request, owner_reads, owner_writes
from everself.runtime import Runtime


@owner_reads("memory.bank.list")
def list_pages(runtime: Runtime, _: Caller, __: NoRequest) -> tuple[PageName, ...]:
    """List the pages of the bank.

    $ everself memory bank list  # pages, with the names they are found by
    """
    return runtime.bank.pages()


class PageRequest(Request):
    page: Annotated[str, Argument("world, experience, opinions, or any name of an entity.")]


@owner_reads("memory.bank.show")
def show_page(runtime: Runtime, _: Caller, request: PageRequest) -> BankPage:
    """Show one page: world, experience, opinions, or an entity by any of its names.

    $ everself memory bank show opinions  # with how strongly each is held
    $ everself memory bank show "Alice Chen"  # an entity by its name or an alias
    """
    return runtime.bank.read(request.page)


class BankAddRequest(Request):
    page: Annotated[str, Argument("world, experience, opinions, or the name of an entity.")]
    text: Annotated[str, Argument("What to add.", stdin=True)]
    confidence: Annotated[float | None, Option("How strongly an opinion is held.", ge=0, le=1)] = None


@owner_writes("memory.bank.add")
def add_to_page(runtime: Runtime, _: Caller, request: BankAddRequest) -> Remembered:
    """Add an entry to a page; with -, it is read from standard input.

    A PAGE that is not world, experience or opinions is the name of an entity.

    $ everself memory bank add opinions "Tabs are better" --confidence 0.7  # an opinion, and how strongly it is held
    $ everself memory bank add 小林花子 "Likes tea"  # to an entity's page, which is made where it is missing
    """
    return runtime.bank.write(request.page, request.text, stated_by_owner("terminal"), held=request.confidence)
