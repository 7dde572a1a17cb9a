"""Sizes and names to plant."""

from tests.architecture.planted.case import Case, one

LONG_BODY = "\n".join("    x = 1" for _ in range(80))

MEASURES = [
    one("a long module", "module-size", ("operations/a.py", "\n" * 499), ("operations/a.py", "\n" * 498), line=1),
    one(
        "a long function",
        "function-size",
        ("operations/a.py", f"def f():\n{LONG_BODY}"),
        ("operations/a.py", f"def f():\n{LONG_BODY[10:]}"),
    ),
    one(
        "nine parameters",
        "parameters",
        (
            "operations/a.py",
            "class A:\n    def f(self, a, /, b, *c, d, **e): ...\n    def g(self, a, b, c, d, e, f, g, *h, **i): ...",
        ),
        ("operations/a.py", "class A:\n    def f(self, a, b, c, d, e, f, g, h): ..."),
        line=4,
    ),
    *(
        one(f"a module named {name}", "names", (f"operations/{name}.py", ""), ("operations/parts.py", ""), line=1)
        for name in (
            "utils",
            "helpers",
            "common",
            "manager",
            "base",
            "misc",
            "core",
            "path_utils",
            "_util",
            "base_entry",
        )
    ),
    one(
        "a folder named helpers",
        "names",
        ("operations/helpers/parts.py", ""),
        ("operations/basement/hardcore.py", ""),
        line=1,
    ),
    Case(
        "three files with one prefix",
        "prefixes",
        "storage:1",
        {"storage/ledger.py": "", "storage/ledger_row.py": "", "storage/ledger_chain.py": ""},
        {
            "storage/ledger/row.py": "",
            "storage/ledger/chain.py": "",
            "storage/ledger_row.py": "",
            "storage/ledger_x.py": "",
        },
    ),
]
