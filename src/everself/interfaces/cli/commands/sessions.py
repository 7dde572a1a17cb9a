"""`everself sessions`: what was said."""

from everself.interfaces.cli.operation_group import family_of

sessions = family_of(
    "sessions",
    "Look at what was said, export it, delete it.",
    order=("list", "show", "search", "export", "delete"),
    examples=(
        ("everself sessions list", "the one that was spoken in last first"),
        ("everself sessions show last", "what was said in it"),
        ("everself sessions search harbour fee", "messages with all of these words"),
    ),
)
