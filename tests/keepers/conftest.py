"""The mind that keepers work on."""

from collections.abc import Iterator

import pytest
from tests.keepers.minds import BERLIN, Hour, Mind

from everself.clock import Clock
from everself.testing.workspaces import real_workspace


@pytest.fixture
def mind(tmp_path) -> Iterator[Mind]:
    hour = Hour()
    with real_workspace(str(tmp_path), clock=Clock(BERLIN, hour)) as bench:
        yield Mind(bench, str(tmp_path), hour)
