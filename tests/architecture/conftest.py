"""Prints the house in figures after its tests."""

from pathlib import Path

import pytest
from tests.architecture.fences import summary

TOP = Path(__file__).resolve().parents[2]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    # where the tests are spread over processes, all of the house would be read once more, in the end and alone
    if config.pluginmanager.hasplugin("dsession"):
        return
    terminalreporter.write_line(f"house: {summary(TOP / 'src' / 'everself')}")
