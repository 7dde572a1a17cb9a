"""Violations of the rules about origins."""

from tests.architecture.planted.case import one

ORIGINS = (
    one(
        "an origin made up",
        "stamps",
        ("memory/m.py", "from everself.values import Origin\nMINE = Origin('owner', 'chat')"),
        ("memory/provenance.py", "from everself.values import Origin\nMINE = Origin('owner', 'chat')"),
        line=3,
    ),
    one(
        "a voucher made up",
        "stamps",
        (
            "memory/transfer/t.py",
            "import everself.values\nMINE = everself.values.ProvenanceRecord('E', 'owner', '', 'ff')",
        ),
        ("memory/transfer/t.py", "from everself.values import ProvenanceRecord\nKIND = ProvenanceRecord"),
        line=3,
    ),
    one(
        "words that are called the owner's",
        "owners-words",
        ("memory/promotion/p.py", "from everself.memory.provenance import stated_by_owner"),
        ("memory/promotion/p.py", "from everself.memory.provenance import concluded_in"),
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
        ("memory/archive/a.py", "def jot(draft: Draft, words: str) -> None: ..."),
        ("memory/archive/a.py", "def jot(draft: Draft, words: str, new_entry: NewEntry) -> None: ..."),
    ),
)
