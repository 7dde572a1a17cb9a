"""`everself memory vouch` and `release`: what only the owner can do for an entry."""

import sys

import click

from everself.errors import Interrupted, WrongUse
from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices, this_call
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.words import entries_of


@click.command(
    "vouch",
    cls=Verb,
    examples=[
        ("everself memory vouch --all", "for everything in a workspace you brought along"),
        ("everself memory vouch 7K3QX9M2ABCD", "for one entry"),
    ],
)
@click.argument("identities", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Everything that nobody vouches for, quarantine aside.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def vouch(identities: tuple[str, ...], everything: bool, yes: bool, agent: str) -> None:
    """Vouch for entries: that they come from where they say, or else from you.

    No file is changed. An import becomes yours. What comes from the web, a tool or somebody else stays so.
    """
    from everself.memory.adoption import vouch_for
    from everself.memory.selection import Selection, Standing, select
    from everself.memory.writing import is_quarantined

    if bool(identities) is everything:
        raise WrongUse("Name entries, or say --all.", mend="everself memory list --unvouched")
    with opened(agent) as app:
        if everything:
            wanted = Selection(standing=Standing.ANY, unvouched=True, aside=True)
            found = select(app.memory.catalog.all(), wanted, lambda _: 1.0)
            found = [entry for entry in found if not is_quarantined(entry.path)]
        else:
            found = [app.memory.catalog.get(identity) for identity in identities]
        asks = everything and found and not (yes or this_call().json) and sys.stdin.isatty()
        if asks and not click.confirm(f"Vouch for {entries_of(len(found))}?", err=True):
            raise Interrupted("Nothing was changed.")
        done = vouch_for(app.state, app.memory, found)
        notices = recovery_notices(app)
    said = f"Vouched for {entries_of(len(done))}." if done else "All of it was vouched for already."
    answer({"vouched": done}, [said], notices)


@click.command(
    "release",
    cls=Verb,
    examples=[("everself memory release 7K3QX9M2ABCD", "it may be recalled again, as trusted as it was")],
)
@click.argument("identity", metavar="ID")
@agent_option
@json_option
def release(identity: str, agent: str) -> None:
    """Let an entry out of quarantine, into today's log.

    Its source stays what it was: having looked at it makes it no truer.
    """
    from everself.memory.quarantine import release as let_out

    with opened(agent) as app:
        done = let_out(app.memory, identity)
        notices = recovery_notices(app)
    answer(done, [f"{done.entry} stands in {done.path} now; its source is still {done.source}."], notices)
