"""Prints the house in figures after its tests."""

from pathlib import Path

import pytest
from tests.architecture.fences import summary

TOP = Path(__file__).resolve().parents[2]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"house: {summary(TOP / 'src' / 'everself')}")
