"""Output of `everself config`."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from everself.config.display import SettingReport
from everself.interfaces.rendering.json_form import to_json
from everself.interfaces.rendering.lines import Line, count_of, paint
from everself.interfaces.rendering.view import Look, View, without
from everself.operations.settings import SavedReport, SettingsReport


def _value(found: SettingReport, _: Look) -> Iterable[Line]:
    # a value of several lines is printed unchanged
    return _shown(found).split("\n")


def _listed(found: SettingsReport, _: Look) -> Iterable[Line]:
    nothing = "Nothing is set; all defaults are in force (everself config show --all)."
    return [line for one in found.settings for line in _described(one, found.documented)] or [nothing]


def _remarked(found: SettingsReport) -> list[str]:
    count = len(found.remarks)
    return [f"{count_of(count, 'remark')} about the settings: everself doctor"] if count else []


def _set(saved: SavedReport, _: Look) -> Iterable[Line]:
    return _told(saved, f"{saved.key} is set in {saved.file}")


def _unset(saved: SavedReport, _: Look) -> Iterable[Line]:
    return _told(saved, f"{saved.key} is no longer set in {saved.file}")


def _told(saved: SavedReport, words: str) -> Iterator[Line]:
    yield f"{words if saved.changed else f'{saved.key} was so already; nothing was written'}."
    if saved.secrets_file:
        yield f"The secret itself is in {saved.secrets_file}, which only you can read."


def saved_notices(saved: SavedReport) -> list[str]:
    return [f"{one.message} {one.mend}".strip() for one in saved.remarks]


def _described(found: SettingReport, documented: bool) -> Iterator[Line]:
    yield f"{found.key} = {_shown(found)}  ({found.origin})"
    if documented:
        yield paint(f"    {found.doc}", dim=True)


def _shown(found: SettingReport) -> str:
    """The value in the format of `config set`."""
    if isinstance(found.value, str):
        return found.value
    return json.dumps(to_json(found.value), ensure_ascii=False)


VIEWS: Final = {
    "config.get": View(_value),
    "config.show": View(_listed, data=without("documented"), notices=_remarked),
    "config.set": View(_set, notices=saved_notices),
    "config.unset": View(_unset, notices=saved_notices),
    "config.path": View(lambda found, _: [found.path]),
}
