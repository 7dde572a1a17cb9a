"""A switch for tests: while it is off, no model outside this process is called."""

from everself.errors import RefusedByRule


class _Calls:
    allowed = True


CALLS = _Calls()


def check_allowed() -> None:
    """To be called before a request leaves for a model."""
    if not CALLS.allowed:
        raise RefusedByRule("Model calls are disabled.")
