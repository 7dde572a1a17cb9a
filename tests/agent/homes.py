"""Homes for agents that are made from Python."""

import json
import os
import tempfile
from pathlib import Path

from everself import Agent


def share_weights(home: Path) -> None:
    """Let a home of agents use the weights that the tests have prepared, once a machine."""
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "models").exists():
        (home / "models").symlink_to(Path(tempfile.gettempdir()) / f"everself-test-encoder-{os.getuid()}")


def plain_agent(home: Path, name: str = "") -> Agent:
    """An agent that searches by words and keeps no history, which is all that most tests need."""
    home.mkdir(parents=True, exist_ok=True)
    settings = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}, "history": {"enabled": False}}
    config = home / "everself.json5"
    if not config.exists():
        config.write_text(json.dumps(settings))
    return Agent.create(name or None, home=home, config=config, fresh=False)
