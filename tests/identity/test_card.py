"""Who says what the agent is called: the order of the sources, the limits, and IDENTITY.md as people write it."""

import pytest

from everself.config.sections import Identity
from everself.identity.card import DATA_CHARS, CardSource, avatar_fault, avatar_kind, name_fault, read_card, resolve
from everself.workspace.setup import templates

NOBODY = Identity("", "", "")
ARIA = (
    b"# Identity\n\n- **Name:** Aria\n- **Emoji:** \xf0\x9f\x8c\xbf\n- **Avatar:** avatars/aria.png\n- **Vibe:** calm\n"
)


def test_the_sources_are_asked_in_order() -> None:
    ui, own = Identity("Ui", "", ""), Identity("Own", "🦊", "")
    card = resolve(ui, own, ARIA)
    assert (card.name.value, card.name.source) == ("Ui", CardSource.UI)
    assert (card.emoji.value, card.emoji.source) == ("🦊", CardSource.OWN)
    assert (card.avatar.value, card.avatar.source) == ("avatars/aria.png", CardSource.FILE)
    assert (card.vibe.value, card.vibe.source) == ("calm", CardSource.FILE)
    assert (card.creature.value, card.creature.source) == ("", CardSource.DEFAULT)
    assert resolve(NOBODY, own, ARIA).name.source is CardSource.OWN
    assert card.notices == ()


def test_without_identity_the_agent_is_called_assistant() -> None:
    card = resolve(NOBODY, NOBODY, None)
    assert (card.name.value, card.avatar.value, card.emoji.value) == ("Assistant", "A", "")
    assert card.name.source is card.avatar.source is CardSource.DEFAULT
    assert card.missing
    assert card.notices == ("IDENTITY.md is missing.",)


def test_the_template_names_nobody() -> None:
    blank = dict(templates())["IDENTITY.md"]
    assert read_card(blank) == {}
    card = resolve(NOBODY, NOBODY, blank)
    assert card.name.value == "Assistant"
    assert not card.missing


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("- **Name:** Aria", "Aria"),
        ("- **NAME**: Aria", "Aria"),
        ("* __name:__   Aria  ", "Aria"),
        ("+ Name: Aria", "Aria"),
        ("**Name:** Aria", "Aria"),
        ("- **Name：** 小狐", "小狐"),
        ("- **Name:** **Aria**", "Aria"),
        ("- **Name:** `Aria`", "Aria"),
        ("- **Name:**\n  Aria", "Aria"),
        ("- **Name:** Aria <!-- chosen together -->", "Aria"),
        ("- **Name:** _(what you are called)_ Aria", "Aria"),
        ("- **Name:** Aria: the second", "Aria: the second"),
        ("- **Name:** (the) fox", "(the) fox"),
        ("- **Name:** _(what you are called)_\n- **name:** Aria", "Aria"),
        ("- **Name:** Aria\n- **Name:** Bo", "Aria"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_names_are_read_as_people_write_them(line: str, name: str, end: str) -> None:
    assert read_card(f"\ufeff# Me\n\n{line}\n".replace("\n", end).encode())["name"] == name


@pytest.mark.parametrize(
    "text",
    [
        "- **Name:**",
        "- **Name:** _(pick something)_",
        "- **Name:**\n  _(pick something you like)_",
        "- **Name:** *(yours)*",
        "- **Name:** <name>",
        "Name: Aria",
        "```\n- **Name:** Aria\n```",
        "<!--\n- **Name:** Aria\n-->",
        "> - **Name:** Aria",
    ],
)
def test_placeholders_code_comments_and_quotes_name_nobody(text: str) -> None:
    assert "name" not in read_card(text.encode())


def test_what_breaks_a_limit_is_passed_over_and_the_next_source_is_asked() -> None:
    ui, own = Identity("x" * 61, "🦊" * 17, "../../etc/passwd.png"), Identity("two\nlines", "", "SOUL.md")
    card = resolve(ui, own, ARIA)
    assert [told.source for told in (card.name, card.emoji, card.avatar)] == [CardSource.FILE] * 3
    assert len(card.notices) == 5
    assert "ui.assistant" in card.notices[0]
    assert "60" in card.notices[0]
    assert any("agents.list[].identity" in notice and "not a picture" in notice for notice in card.notices)


@pytest.mark.parametrize("name", ["x" * 60, "Ἀρία", "小狐", "Zoë O'Neil-Smith"])
def test_good_names(name: str) -> None:
    assert not name_fault(name)


@pytest.mark.parametrize("name", ["x" * 61, "a\nb", "a\x1b[31mb", "a\u202eb", "a\x85b", "a\u2028b"])
def test_bad_names(name: str) -> None:
    assert name_fault(name)


@pytest.mark.parametrize(
    ("avatar", "kind"),
    [
        ("avatars/aria.png", "file"),
        ("Bild ä.JPG", "file"),
        ("https://example.org/a.png?size=2", "url"),
        ("HTTP://example.org/a", "url"),
        ("data:image/png;base64,AAAA", "data"),
        ("data:image/svg+xml,%3Csvg/%3E", "data"),
        ("data:image/png;base64," + "A" * (DATA_CHARS - 22), "data"),
        ("A", "text"),
        ("🦊", "text"),
    ],
)
def test_good_avatars(avatar: str, kind: str) -> None:
    assert not avatar_fault(avatar)
    assert avatar_kind(avatar) == kind


@pytest.mark.parametrize(
    "avatar",
    [
        "../a.png",
        "/etc/a.png",
        "~/../a.png",
        "a/../../b.png",
        "%2e%2e/a.png",
        "C:\\a.png",
        "a\\..\\b.png",
        ".secret/a.png",
        "file:///etc/a.png",
        "javascript:alert(1)//a.png",
        "ftp://example.org/a.png",
        "MEMORY.md",
        "a\0.png",
        "https://",
        "https://example.org/" + "a" * 2_048,
        "https://me:secret@example.org/a.png",
        "https://example.org/a b.png",
        'https://example.org/"onload=',
        "http://[::1/a.png",
        "data:text/html,<script>",
        "data:image/png",
        "data:image/png;base64,",
        "data:image/png;base64," + "A" * DATA_CHARS,
        "data:image/png;base64,A A",
    ],
)
def test_bad_avatars(avatar: str) -> None:
    assert avatar_fault(avatar)
