"""A switch for tests: while it is off, no model outside this process is called."""

from everself.errors import RefusedByRule


class _Calls:
    allowed = True


CALLS = _Calls()


def check_allowed() -> None:
    """Call this before a request is sent to a model. Raises RefusedByRule while the switch is off."""
    if not CALLS.allowed:
        raise RefusedByRule("Model calls are disabled.")
