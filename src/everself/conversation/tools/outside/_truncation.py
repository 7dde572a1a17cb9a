"""Shortens long output in the middle, because programs print what matters at the start or the end. Pure."""


def clip(text: str, most: int) -> str:
    """The text if it fits, otherwise two thirds from its beginning and the rest from its end."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    return f"{text[:head]}\n[… {len(text) - most:,} characters left out …]\n{text[len(text) - tail :]}"


def plain(text: str, most: int) -> str:
    """One line of somebody else's text without control characters, for a name, a description or a notice."""
    kept = "".join(char if char.isprintable() else " " for char in text[: most * 4])
    line = " ".join(kept.split())
    return line if len(line) <= most else line[: most - 1] + "…"
