"""The page lists exactly the settings there are, with their defaults and meanings."""

import json
from pathlib import Path

from everself.config.schema import get_spot, split_key
from everself.config.sections import SETTINGS

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def rows() -> dict[str, tuple[str, str, str]]:
    found: dict[str, tuple[str, str, str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 4:
            key = cells[0].strip("`")
            assert key not in found, key
            found[key] = (cells[1].strip("`"), cells[2], cells[3])
    return found


def test_the_page_lists_exactly_the_settings() -> None:
    assert rows().keys() == {setting.key for setting in SETTINGS}


def test_the_page_gives_each_default_place_and_meaning() -> None:
    listed = rows()
    for setting in SETTINGS:
        default, where, meaning = listed[setting.key]
        assert default == ("secret" if setting.secret else json.dumps(setting.default, ensure_ascii=False)), setting.key
        assert ("CONFIG.md" in where) == (setting.place == "both"), setting.key
        assert ("per agent" in where) == bool(setting.own), setting.key
        assert meaning == setting.doc, setting.key


def test_every_setting_is_documented_once_and_in_a_sentence() -> None:
    keys = [setting.key for setting in SETTINGS]
    assert len(keys) == len(set(keys))
    assert all(setting.doc.endswith(".") and len(setting.doc) > 10 for setting in SETTINGS)


def test_every_setting_can_be_reached_by_its_key() -> None:
    for setting in SETTINGS:
        key = setting.key.replace("[]", ".aria").replace("*", "name")
        assert get_spot(key).setting == setting
        assert split_key(key)
        if setting.own:
            assert get_spot(f"agents.list.aria.{setting.own.replace('*', 'name')}").setting == setting
