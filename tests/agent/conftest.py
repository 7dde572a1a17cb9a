"""A home for agents that are made from Python."""

from pathlib import Path

import pytest
from tests.agent.homes import share_weights


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with nothing in it but the weights of the embedder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("EVERSELF_HOME", "EVERSELF_CONFIG", "EVERSELF_KEYS", "EVERSELF_PROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    share_weights(tmp_path / ".everself")
    return tmp_path
