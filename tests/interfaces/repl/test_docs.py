"""The page about the conversation lists the commands that exist."""

from pathlib import Path

from everself.interfaces.repl.commands import COMMANDS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "conversation.md").read_text("utf-8")


def test_every_command_stands_in_the_page_in_its_order() -> None:
    listed = [line.split("`")[1] for line in PAGE.splitlines() if line.startswith("| `/")]
    assert listed == [f"{name} {one.takes}".rstrip().replace("|", "\\|") for name, one in COMMANDS.items()]
