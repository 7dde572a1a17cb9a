"""Access to the sentence encoder of the package, for heads that can use it: sentences in, vectors out.

Nothing is loaded here. The conversation offers an encoder; until then nothing is embedded, and the heads judge by n-grams and layout alone.
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

# At most this many sentences of a message are embedded; a longer message is pasted, and its layout shows it.
MOST: Final = 32
_HELD: Final = 2_048

Encode = Callable[[Sequence[str]], "Vectors"]


class _Offered:
    """The encoder of this process, because weights of this size are loaded only once."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._encode: Encode | None = None
        self._held: OrderedDict[str, Floats] = OrderedDict()
        # changes whenever another encoder is offered
        self.generation = 0

    def set(self, encode: Encode | None) -> Encode | None:
        with self._lock:
            before, self._encode = self._encode, encode
            if before is not encode:
                self._held.clear()
                self.generation += 1
            return before

    def embed(self, texts: Sequence[str]) -> "list[Floats] | None":
        """One vector per text; None if there is no encoder, or if it fails."""
        if not texts or self._encode is None:
            return None
        read = [without_surrogates(shortened(text)) for text in texts]
        with self._lock:
            new = list(dict.fromkeys(text for text in read if text not in self._held))[:MOST]
            if new and self._encode is not None:
                try:
                    rows = self._encode(new)
                except EmbeddingFailed:
                    # never tried again in this process, because a missing package stays missing
                    self.set(None)
                    return None
                self._held.update(zip(new, rows, strict=True))
            found = [self._held[text] for text in read if text in self._held]
            while len(self._held) > _HELD:
                self._held.popitem(last=False)
        return found if len(found) == len(read) and all(len(one) == EMBEDDED for one in found) else None


_OFFERED: Final = _Offered()
# from now on the heads use this encoder, or none
offer = _OFFERED.set
embed = _OFFERED.embed


@contextmanager
def offering(encode: Encode | None) -> Iterator[None]:
    """Offer an encoder within a context."""
    before = _OFFERED.set(encode)
    try:
        yield
    finally:
        _OFFERED.set(before)


def generation() -> int:
    return _OFFERED.generation
