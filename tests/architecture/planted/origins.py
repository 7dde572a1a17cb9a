"""Violations against the fences around origins."""

from tests.architecture.planted.case import one

ORIGINS = (
    one(
        "an origin made up",
        "stamps",
        ("memory/m.py", "from everself.values import Origin\nMINE = Origin('owner', 'chat')"),
        ("entries/trust.py", "from everself.values import Origin\nMINE = Origin('owner', 'chat')"),
        line=3,
    ),
    one(
        "a voucher made up",
        "stamps",
        ("transfer/t.py", "import everself.values\nMINE = everself.values.Voucher('E', 'owner', '', 'ff')"),
        ("transfer/t.py", "from everself.values import Voucher\nKIND = Voucher"),
        line=3,
    ),
    one(
        "words that are called the owner's",
        "owners-words",
        ("promotion/p.py", "from everself.entries.trust import stated_by_owner"),
        ("promotion/p.py", "from everself.entries.trust import concluded_in"),
    ),
    one(
        "a method that writes a bare text",
        "writers",
        ("memory/m.py", "class Memory:\n    def jot(self, text: str) -> None: ..."),
        ("memory/m.py", "class Memory:\n    def jot(self, text: str, origin: Origin) -> None: ..."),
        line=3,
    ),
    one(
        "a function that writes a bare text",
        "writers",
        ("archiving/a.py", "def jot(draft: Draft, words: str) -> None: ..."),
        ("archiving/a.py", "def jot(draft: Draft, words: str, thought: Thought) -> None: ..."),
    ),
)
