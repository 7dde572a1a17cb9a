"""Reads the files that come with this package. Not by importlib.resources: importing that takes ten milliseconds of a command."""

from pkgutil import get_data


def read_packaged(name: str) -> str:
    """The text of a file beneath this package, by its path with forward slashes."""
    found = get_data("everself.search", name)
    if found is None:
        raise FileNotFoundError(name)
    return found.decode("utf-8")
