"""Going through a page without a mouse: with Tab to what has a name, and pressing it."""

from typing import Any


def press_to(page: Any, name: str, role: str = "") -> None:
    """Go to what has this name with Tab alone, as somebody without a mouse does."""
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => {
                const at = document.activeElement;
                const label = at.labels?.[0]?.textContent || at.getAttribute("aria-label") || at.textContent || at.value;
                const shown = getComputedStyle(at);
                const ring = shown.outlineStyle === "none" && shown.boxShadow === "none" ? "none" : "shown";
                return [label.trim().replace(/\\s+/g, " "), at.tagName, ring];
            }"""
        )
        if found[0].startswith(name) and (not role or found[1] == role):
            assert found[2] != "none", f"{name} is focused and does not show it"
            return
    raise AssertionError(f"Tab does not lead to {name}")


def press_on(page: Any, wanted: Any) -> None:
    """Go to one of several of the same name with Tab alone, and press Enter."""
    for _ in range(400):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            assert wanted.evaluate("one => getComputedStyle(one).outlineStyle") != "none", "the focus is not shown"
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab does not lead to {wanted}")


def press(page: Any, name: str, role: str = "") -> None:
    """Go there, and press Enter."""
    press_to(page, name, role)
    page.keyboard.press("Enter")


def fill(page: Any, name: str, words: str) -> None:
    """Go to a field, and write over what it holds."""
    press_to(page, name)
    page.keyboard.press("Control+A")
    page.keyboard.type(words)


def choose(page: Any, name: str, option: str) -> None:
    """Go to a list, and to one of its lines, as the arrow keys do."""
    press_to(page, name, "SELECT")
    page.keyboard.press("Home")
    for _ in range(60):
        if page.evaluate("document.activeElement.selectedOptions[0].textContent.trim()").startswith(option):
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"the keys do not lead to {option} in {name}")
