"""Prints figures of the package after its tests."""

from pathlib import Path

import pytest
from tests.architecture.fences import summary

TOP = Path(__file__).resolve().parents[2]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    # where the tests are spread over processes, the whole package would be read once more, in the end and alone
    if config.pluginmanager.hasplugin("dsession"):
        return
    terminalreporter.write_line(f"package: {summary(TOP / 'src' / 'everself')}")
