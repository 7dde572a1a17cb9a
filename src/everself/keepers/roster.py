"""The list of keepers. A new keeper is one line here."""

from everself.keepers.keeper import Keeper


def all_keepers() -> tuple[Keeper, ...]:
    """In the order of their day. Imported when asked for: a list of names needs none of what they know."""
    from everself.keepers.compactor import Compactor
    from everself.keepers.conflicts import Detector
    from everself.keepers.miner import Miner
    from everself.keepers.soul.keeper import SoulKeeper
    from everself.keepers.validator import Validator

    return (SoulKeeper(), Compactor(), Miner(), Detector(), Validator())
