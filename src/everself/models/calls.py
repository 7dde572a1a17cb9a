"""One switch for whoever tests: no model beyond this process is called while it is off. Knows no model."""

from everself.errors import RefusedByRule


class _Calls:
    allowed = True


CALLS = _Calls()


def check_allowed() -> None:
    """To be called before a request leaves for a model."""
    if not CALLS.allowed:
        raise RefusedByRule("Model calls are disabled.")
