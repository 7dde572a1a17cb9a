"""Commands to copy within a help text: lines that begin with `$`, each with what it does behind two blanks and a `#`. Pure."""


def split_examples(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The prose without them, and each command with its meaning."""
    lines = text.splitlines()
    shown = (line.removeprefix("$ ").partition("  # ") for line in lines if line.startswith("$ "))
    prose = "\n".join(line for line in lines if not line.startswith("$ "))
    return prose.strip(), tuple((command, meaning) for command, _, meaning in shown)
