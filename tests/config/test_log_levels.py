"""EVERSELF_LOG and -v: which logger logs how much."""

import pytest

from everself.config.log_levels import read_log_levels
from everself.errors import BadConfig


@pytest.mark.parametrize(
    ("text", "verbose", "levels"),
    [
        ("", 0, {}),
        (" , ", 0, {}),
        ("debug", 0, {"everself": "DEBUG"}),
        ("Warning", 0, {"everself": "WARNING"}),
        ("", 1, {"everself": "INFO"}),
        ("", 2, {"everself": "DEBUG"}),
        ("", 7, {"everself": "DEBUG"}),
        ("warning", 1, {"everself": "INFO"}),
        (
            "search=debug, everself.models.chat = info",
            0,
            {"everself.search": "DEBUG", "everself.models.chat": "INFO"},
        ),
        ("search=debug", 1, {"everself": "INFO", "everself.search": "DEBUG"}),
        ("everself=info,storage.lock=error", 0, {"everself": "INFO", "everself.storage.lock": "ERROR"}),
    ],
)
def test_levels_by_logger(text: str, verbose: int, levels: dict[str, str]) -> None:
    assert read_log_levels({"EVERSELF_LOG": text}, verbose) == levels


@pytest.mark.parametrize("text", ["debgu", "search=debgu", "search:debug", "=debug=", "search="])
def test_what_is_no_level_is_told_with_the_ones_there_are(text: str) -> None:
    with pytest.raises(BadConfig, match="EVERSELF_LOG") as told:
        read_log_levels({"EVERSELF_LOG": text})
    assert "debug, info, warning, error" in told.value.mend
