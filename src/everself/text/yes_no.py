"""Detects whether an answer means yes or no, in widely spoken languages.

The words are those of Unicode's locale data (CLDR, `yesstr` and `nostr`) and English synonyms. An answer counts only if it is nothing but
such a word: "yes, but not the second" is neither.
"""

import unicodedata
from typing import Final

_YES: Final = (
    "y yes yep yeah yup sure ok okay ja j oui sí sim da да tak ano evet igen ya vâng نعم हाँ हां ใช่ はい "
    "うん ええ 是 是的 好 好的 对 네 예 응"
)
_NO: Final = (
    "n no nope nah nein non não нет nie nej nei nee hayır nem không لا नहीं ไม่ いいえ いや 否 不 不是 不要 不行 아니 "
    "아니요 아니오"
)


def read_answer(said: str) -> bool | None:
    """True for yes, False for no, None for anything else. An empty answer is a no: Enter alone never agrees."""
    word = _bare(said)
    if not word or word in _BARE_NO:
        return False
    return True if word in _BARE_YES else None


def _bare(said: str) -> str:
    """The text without accents, case and surrounding punctuation."""
    plain = unicodedata.normalize("NFKD", said)
    letters = "".join(char for char in plain if not unicodedata.combining(char) or ord(char) > 0x36F)
    return unicodedata.normalize("NFC", letters).casefold().strip(" \t\r\n.!,。！、")


_BARE_YES: Final = frozenset(map(_bare, _YES.split()))
_BARE_NO: Final = frozenset(map(_bare, _NO.split()))
