"""`everself memory add`, `edit`, `correct` and `supersede`: the owner says something, says it otherwise, or puts it right."""

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.parameters import huge_words, words_of

if TYPE_CHECKING:
    from everself.memory.memory import Remembered

_TAGS = ("event", "knowledge", "skill", "decision")


class Adding(TypedDict):
    """What `add` is given, as click hands it over."""

    text: str
    category: str
    tag: str
    remember: bool
    about: str
    person: str
    project: str
    key: str
    agent: str


@click.command(
    "add",
    cls=Verb,
    examples=[
        ('everself memory add "Prefers green tea"', "into today's log"),
        ('everself memory add "We ship on Fridays" --tag decision --remember', "for good, into MEMORY.md"),
        ("everself memory add - < note.txt", "from a file, so that no shell keeps it"),
    ],
)
@click.argument("text")
@click.option("--category", metavar="WORD", default="note", show_default=True, help="What the log calls it.")
@click.option("--tag", type=click.Choice(_TAGS), default="knowledge", show_default=True, help="What kind it is.")
@click.option("--remember", is_flag=True, help="Keep it for good, in MEMORY.md.")
@click.option("--about", metavar="WHO", default="", help="The person it is about.")
@click.option("--person", metavar="NAME", default="", help="The person it belongs to; only they are told.")
@click.option("--project", metavar="NAME", default="", help="The project it belongs to.")
@click.option(
    "--key", metavar="KEY", default="", help="With the same key it is added once, however often it is asked for."
)
@agent_option
@json_option
def add(**given: Unpack[Adding]) -> None:
    """Remember something; with -, it is read from standard input.

    What is known already is counted as a mention. Secrets, and what stands between <private> and </private>, are left out.
    """
    from everself.values import Tag

    words = words_of(given["text"])
    with opened(given["agent"]) as app:
        done = app.remember(
            words,
            category=given["category"],
            tag=Tag(given["tag"]),
            explicit=given["remember"],
            who=given["about"],
            person=given["person"],
            project=given["project"],
            key=given["key"],
        )
        notices = [*recovery_notices(app), *left_out(done)]
    answer(done, [_became(done)], notices)


@click.command(
    "edit",
    cls=Verb,
    examples=[
        ('everself memory edit 7K3QX9M2ABCD "Prefers green tea, no sugar"', "other words; it stays the same entry")
    ],
)
@click.argument("identity", metavar="ID")
@click.argument("text")
@agent_option
@json_option
def edit(identity: str, text: str, agent: str) -> None:
    """Give an entry other words; with -, they are read from standard input."""
    from everself.memory.provenance import stated_by_owner

    words = words_of(text)
    with opened(agent) as app:
        done = app.memory.edit(identity, words, stated_by_owner("terminal"))
        notices = [*recovery_notices(app), *left_out(done)]
    said = f"Changed in {done.path} as change {done.change}." if done.change else "It said so already."
    answer(done, [said], notices)


@click.command(
    "correct",
    cls=Verb,
    examples=[
        ('everself memory correct "Lives in Berlin" "Lives in Oslo"', "by its words"),
        ('everself memory correct 7K3QX9M2ABCD "Lives in Oslo" --trigger "No, I moved"', "by its id"),
    ],
)
@click.argument("old")
@click.argument("new")
@click.option("--trigger", metavar="WORDS", default="", help="What was said when it was noticed.")
@agent_option
@json_option
def correct(old: str, new: str, trigger: str, agent: str) -> None:
    """Put something right: OLD is an entry's id or its exact words.

    The old entry is closed, not deleted; the new one is as sure as can be and does not decay. CORRECTIONS.md tells of both.
    """
    from everself.memory.provenance import stated_by_owner

    words = words_of(new)
    with opened(agent) as app:
        done = app.memory.correct(old, words, stated_by_owner("terminal"), trigger=trigger)
        notices = [*recovery_notices(app), *(f"Taken out before it was written: {kind}" for kind in done.redacted)]
    closed = ", ".join(done.closed) or "nothing"
    answer(done, [f"Closed {closed}; what is right is entry {done.entry}."], notices)


@click.command(
    "supersede",
    cls=Verb,
    examples=[("everself memory supersede 7K3QX9M2ABCD 9M2ABCD7K3QX", "the second took the place of the first")],
)
@click.argument("old")
@click.argument("new")
@agent_option
@json_option
def supersede(old: str, new: str, agent: str) -> None:
    """Close an entry that another one replaces; both are named by their ids."""
    with opened(agent) as app:
        change = app.memory.supersede(old, new)
        notices = recovery_notices(app)
    data = {"closed": old, "by": new, "change": change}
    answer(data, [f"{old} no longer holds; {new} took its place."], notices)


def left_out(done: "Remembered") -> list[str]:
    """What was not written, or not looked at, and why."""
    notices = [f"Taken out before it was written: {kind}" for kind in done.redacted]
    notices += ["What was marked private was left out."] if done.private else []
    return [*notices, *(f"{huge_words(path)} Split it into several files." for path in done.unread)]


def _became(done: "Remembered") -> str:
    if not done.mention:
        return f"Remembered in {done.path} as entry {done.entry}."
    return f"Known already in {done.path} as entry {done.entry}" + ("; counted once more." if done.change else ".")
