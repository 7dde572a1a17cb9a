"""The command that adds an extra fits how Everself was installed."""

import pytest

from everself.config.installation import Installation, command_for, install_command, read_installation

PYTHON = "/venv/bin/python"


@pytest.mark.parametrize(
    ("found", "command"),
    [
        (Installation("clone", PYTHON, "/src/everself"), "make models"),
        (
            Installation("editable", PYTHON, "/src/ever self"),
            "/venv/bin/python -m pip install -e '/src/ever self[models]'",
        ),
        (Installation("pip", PYTHON), "/venv/bin/python -m pip install 'everself[models]'"),
        (
            Installation("pip", PYTHON, "/dist/e.whl"),
            "/venv/bin/python -m pip install 'everself[models] @ file:///dist/e.whl'",
        ),
        (Installation("uv-pip", PYTHON), "uv pip install --python /venv/bin/python 'everself[models]'"),
        (Installation("pipx", PYTHON), "pipx install --force 'everself[models]'"),
        (Installation("uv-tool", PYTHON), "uv tool install 'everself[models]'"),
        (Installation("uvx", PYTHON, "/e.whl"), "uvx --from 'everself[models] @ file:///e.whl' everself"),
    ],
)
def test_each_way_of_installing_has_its_command(found: Installation, command: str) -> None:
    assert command_for(found, "models", "/src/everself") == command


def test_elsewhere_make_is_told_where_the_clone_is() -> None:
    found = Installation("clone", PYTHON, "/src/ever self")
    assert command_for(found, "quality", "/home") == "make -C '/src/ever self' quality"
    assert command_for(found, "langgraph", "/home") == "/venv/bin/python -m pip install -e '/src/ever self[langgraph]'"


def test_this_installation_is_recognised() -> None:
    found = read_installation()
    # the tests run in an environment of a clone, the usual one or another
    assert found.kind in ("clone", "editable")
    assert install_command("models") == command_for(found, "models", __import__("os").getcwd())
