"""`everself memory bank`: typed pages about the world, experience, opinions and entities."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.cli.parameters import words_of
from everself.interfaces.rendering.entries import left_out
from everself.interfaces.rendering.words import entries_of

if TYPE_CHECKING:
    from everself.memory.bank import BankPage


@click.group(
    "bank",
    cls=Family,
    examples=[
        ("everself memory bank list", "every page there is"),
        ('everself memory bank add "Alice Chen" "Works on the parser"', "a page for somebody"),
    ],
)
@json_option
@click.pass_context
def bank(context: click.Context) -> None:
    """Keep typed pages: world, experience, opinions, and one for each entity."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@bank.command("list", cls=Verb, examples=[("everself memory bank list", "pages, with the names they are found by")])
@agent_option
@json_option
def list_command(agent: str) -> None:
    """List the pages of the bank."""
    with opened(agent) as app:
        pages = app.bank.pages()
        notices = recovery_notices(app)
    lines = []
    for page in pages:
        aliases = f", also {', '.join(page.aliases)}" if page.aliases else ""
        lines.append(f"{page.name:<20}  {page.title}{aliases}  ({page.path}, {entries_of(page.entries)})")
    answer(pages, lines or ['The bank is empty. To begin: everself memory bank add world "…"'], notices)


@bank.command(
    "show",
    cls=Verb,
    examples=[
        ("everself memory bank show opinions", "with how strongly each is held"),
        ('everself memory bank show "Alice Chen"', "an entity by its name or an alias"),
    ],
)
@click.argument("page")
@agent_option
@json_option
def show(page: str, agent: str) -> None:
    """Show one page: world, experience, opinions, or an entity by any of its names."""
    with opened(agent) as app:
        found = app.bank.read(page)
        notices = recovery_notices(app)
    answer(found, list(_told(found)), notices)


@bank.command(
    "add",
    cls=Verb,
    examples=[
        (
            'everself memory bank add opinions "Tabs are better" --confidence 0.7',
            "an opinion, and how strongly it is held",
        ),
        ('everself memory bank add 小林花子 "Likes tea"', "to an entity's page, which is made where it is missing"),
    ],
)
@click.argument("page")
@click.argument("text")
@click.option("--confidence", type=click.FloatRange(0, 1), help="How strongly an opinion is held.")
@agent_option
@json_option
def add(page: str, text: str, confidence: float | None, agent: str) -> None:
    """Add an entry to a page; with -, it is read from standard input.

    A PAGE that is not world, experience or opinions is the name of an entity.
    """
    from everself.memory.provenance import stated_by_owner

    words = words_of(text)
    with opened(agent) as app:
        done = app.bank.write(page, words, stated_by_owner("terminal"), held=confidence)
        notices = [*recovery_notices(app), *left_out(done)]
    did = "Known already" if done.mention else "Written"
    answer(done, [f"{did} in {done.path} as entry {done.entry}."], notices)


def _told(page: "BankPage") -> Iterator[str]:
    yield f"{page.title}  ({page.path})"
    if not page.items:
        yield "  Nothing stands there yet."
    for item in page.items:
        held = f"  held at {item.held:g}" if item.held is not None else ""
        closed = "  closed" if item.entry.closed else ""
        first, *rest = item.words.splitlines() or [""]
        yield f"  {item.entry.id}  {item.confidence:.2f}  {first}{held}{closed}"
        yield from (f"      {line.strip()}" for line in rest)
