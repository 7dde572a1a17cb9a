"""The Memory Miner: what was said since it last looked, made into entries, once. Proposes only."""

from typing import Final

from everself.keepers.shape import Progress, Proposal, Tell
from everself.keepers.world import World

NAME: Final = "memory-miner"


class Miner:
    name = NAME
    title = "Memory Miner"
    schedule = "cron_memory_miner"

    async def propose(self, world: World, tell: Tell) -> Proposal:
        tell(Progress(0, 0, "messages"))
        return Proposal(upto=world.upto())
