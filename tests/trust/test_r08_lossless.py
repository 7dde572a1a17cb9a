"""R8 at CI size, and the row itself put to the test."""

import pytest
from tests.trust.rows import r08

from everself.text.markdown.blocks import Scan, scan


@pytest.mark.trust
def test_r8_parsing_and_rendering_change_no_byte(request: pytest.FixtureRequest) -> None:
    print(r08.run_r8(5_000, request.config.getoption("--seed", 1)))


@pytest.mark.trust
def test_r8_notices_a_scanner_that_loses_the_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(data: bytes) -> Scan:
        whole = scan(data)
        return Scan(data, whole.blocks[:-1], whole.closer)

    monkeypatch.setattr(r08, "scan", careless)
    with pytest.raises(AssertionError, match="R8 seed 1, document"):
        r08.run_r8(50, 1)


@pytest.mark.trust
def test_r8_notices_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def fragile(data: bytes) -> Scan:
        data.decode()
        return scan(data)

    monkeypatch.setattr(r08, "scan", fragile)
    with pytest.raises(AssertionError, match="UnicodeDecodeError"):
        r08.run_r8(50, 1)
