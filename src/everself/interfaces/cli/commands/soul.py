"""`everself soul`: who the agent is at heart, how that grows, and the way back."""

from everself.interfaces.cli.operation_group import family_of

soul = family_of(
    "soul",
    "Read the soul, decide how it grows, and take any step of it back.",
    order=("show", "history", "digest", "diff", "propose", "approve", "refuse", "rollback", "test", "verify"),
    examples=(
        ("everself soul show", "the soul, and what waits for your yes"),
        ("everself soul approve last", "let the newest proposal become part of it"),
        ("everself soul rollback last", "make it what it was before"),
    ),
)
