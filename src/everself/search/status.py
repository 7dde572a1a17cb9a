"""The status of an index. Values only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """`stale` documents differ on disk from what is indexed; `pending` chunks have no vector of `model` yet."""

    documents: int
    chunks: int
    dead: int
    embedded: int
    pending: int
    size: int
    stale: int
    model: str
    in_memory: bool
    notices: tuple[str, ...]
