"""What a comparison of two statements comes to."""

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["attribute", "number", "date", "negation", "antonym"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` says in what they contradict, and is None where they do not; `sure` is between 0 and 1."""

    kind: Kind | None
    sure: float = 0.0
    why: str = ""

    def __bool__(self) -> bool:
        return self.kind is not None


AGREE: Final = Verdict(None)
