"""Bad manners to plant."""

from tests.architecture.planted.case import one

MANNERS = [
    *(
        one(
            f"catching by {clause}",
            "broad-excepts",
            ("operations/a.py", f"import contextlib\ntry:\n    x = 1\n{clause}:\n    x = 2"),
            ("operations/a.py", "try:\n    x = 1\nexcept (OSError, ValueError):\n    x = 2"),
            line=5,
        )
        for clause in (
            "except Exception",
            "except BaseException as e",
            "except",
            "except (OSError, Exception)",
            "except* Exception",
        )
    ),
    one(
        "suppressing everything",
        "broad-excepts",
        ("operations/a.py", "import contextlib\nwith contextlib.suppress(Exception):\n    x = 1"),
        ("operations/a.py", "import contextlib\nwith contextlib.suppress(OSError):\n    x = 1"),
        line=3,
    ),
    one("an assert", "asserts", ("operations/a.py", "assert True"), ("testing/t.py", "assert True")),
    *(
        one(
            f"{bad} without a reason",
            "excuses",
            ("operations/a.py", f"x = 1  {bad}"),
            ("operations/a.py", f"x = 1  {bad}{why}"),
        )
        for bad, why in (
            ("# type: ignore", "  # apsw ships no stubs"),
            ("# type: ignore[misc]", "  # apsw ships no stubs"),
            ("# noqa", "  # the name is the protocol's"),
            ("# noqa: BLE001", " the outermost fence"),
            ("# noqa: A001, B002  # type: ignore[x]", "  # the name is the protocol's"),
            ("# pragma: no cover", " - only on macOS"),
        )
    ),
    one(
        "a comment that puts off work",
        "promises",
        ("operations/a.py", "# TODO: later"),
        ("operations/a.py", "# Todos of a person are entries."),
    ),
    one(
        "a docstring that puts off work",
        "promises",
        ("operations/a.py", 'def f():\n    """FIXME: slow."""'),
        ("operations/a.py", 'def f():\n    """Mends."""'),
    ),
    one(
        "a body that is not there",
        "promises",
        ("operations/a.py", "raise NotImplementedError"),
        ("operations/a.py", "X = NotImplemented"),
    ),
]
