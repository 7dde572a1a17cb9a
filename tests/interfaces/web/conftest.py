"""Gateways with a browser before them, one of each kind for the tests of a module."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.interfaces.web.chromium import Site, a_browser, a_site
from tests.interfaces.web.workspaces import fill_days, fill_hostile


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with a_browser() as found:
        yield found


@pytest.fixture(scope="module")
def empty(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A workspace that was just made, before the first conversation."""
    with a_site(tmp_path_factory.mktemp("empty"), browser, met=False) as site:
        yield site


@pytest.fixture(scope="module")
def days(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One of two hundred days."""
    with a_site(tmp_path_factory.mktemp("days"), browser, fill_days) as site:
        yield site


@pytest.fixture(scope="module")
def strange(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One that holds a stranger's texts."""
    with a_site(tmp_path_factory.mktemp("strange"), browser, fill_hostile) as site:
        yield site
