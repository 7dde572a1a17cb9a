"""The sentence encoder that comes with the package, for those who have it loaded: sentences in, vectors out.

Nothing is opened here. Whoever converses offers an encoder; until then nobody embeds, and the heads judge by n-grams and layout alone.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from everself.classify.features import EMBEDDED, shortened
from everself.errors import EmbeddingFailed
from everself.text.normalise import without_surrogates

if TYPE_CHECKING:
    from everself.classify.features import Floats
    from everself.models.embedding.protocol import Vectors

# Of one message no more sentences are embedded than this; it is pasted, and its layout says so.
MOST: Final = 32
_HELD: Final = 2_048

Encode = Callable[[Sequence[str]], "Vectors"]


class _Offered:
    """One for the process: weights of this size are loaded once, whoever uses them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._encode: Encode | None = None
        self._held: OrderedDict[str, Floats] = OrderedDict()
        # changes whenever another encoder answers
        self.generation = 0

    def set(self, encode: Encode | None) -> Encode | None:
        with self._lock:
            before, self._encode = self._encode, encode
            if before is not encode:
                self._held.clear()
                self.generation += 1
            return before

    def embed(self, texts: Sequence[str]) -> "list[Floats] | None":
        """A vector a text; None where there is no encoder, or where it fails."""
        if not texts or self._encode is None:
            return None
        read = [without_surrogates(shortened(text)) for text in texts]
        with self._lock:
            new = list(dict.fromkeys(text for text in read if text not in self._held))[:MOST]
            if new and self._encode is not None:
                try:
                    rows = self._encode(new)
                except EmbeddingFailed:
                    # of this process nobody asks again: a package that is missing stays so
                    self.set(None)
                    return None
                self._held.update(zip(new, rows, strict=True))
            found = [self._held[text] for text in read if text in self._held]
            while len(self._held) > _HELD:
                self._held.popitem(last=False)
        return found if len(found) == len(read) and all(len(one) == EMBEDDED for one in found) else None


_OFFERED: Final = _Offered()
# from now on the heads see what these vectors say, or no longer
offer = _OFFERED.set
embed = _OFFERED.embed


@contextmanager
def offering(encode: Encode | None) -> Iterator[None]:
    """The same for a while."""
    before = _OFFERED.set(encode)
    try:
        yield
    finally:
        _OFFERED.set(before)


def generation() -> int:
    return _OFFERED.generation
