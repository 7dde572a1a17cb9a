"""Parses example commands in a help text: lines that begin with `$`, with an explanation after two spaces and `#`. Pure."""


def split_examples(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text without examples, and each command with its explanation."""
    lines = text.splitlines()
    shown = (line.removeprefix("$ ").partition("  # ") for line in lines if line.startswith("$ "))
    prose = "\n".join(line for line in lines if not line.startswith("$ "))
    return prose.strip(), tuple((command, meaning) for command, _, meaning in shown)
