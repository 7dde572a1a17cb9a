"""The positions of the sentences and quotations of a text, and its language. Pure."""

from collections.abc import Iterator
from typing import Final, Literal

from everself.text.normalise import without_surrogates
from everself.text.patterns import LazyPattern

# the languages of replies
Language = Literal["en", "zh", "ko", "ja"]

# limit of characters read of a sentence
_LOOKED_AT: Final = 1_000
# limit of characters read to detect the language
_SEEN: Final = 4_000
# minimum length of an id of a program
_NAMELESS: Final = 12
# quotation marks that open and close differently, and the straight one
_QUOTES: Final = {"“": "”", "„": '“”"', "«": "»", "「": "」", "『": "』", "《": "》", "‘": "’", '"': '"'}
# a quotation that is not closed within this length is ignored
_LONGEST_QUOTE: Final = 4_000
_BOOK: Final = 50_000
# limit of nested quotations
_DEEPEST: Final = 8


def language_of(text: str, around: str = "") -> Language:
    """The language by letters: kana is Japanese, hangul Korean, other Han Chinese unless the surrounding text is Japanese, the rest
    English."""
    if text.isascii():
        return "en"
    found = _LETTERS.findall(without_surrogates(text[:_SEEN]))
    kana = sum(one[0] != "" for one in found)
    hangul = sum(one[1] != "" for one in found)
    han = sum(one[2] != "" for one in found)
    latin = sum(one[3] != "" for one in found)
    if hangul and hangul >= kana and 3 * hangul >= latin:
        return "ko"
    if kana and 4 * (kana + han) >= latin:
        return "ja"
    if not han or 4 * han < latin:
        return "en"
    return "ja" if around and language_of(around) == "ja" else "zh"


# a Latin word weighs as much as one character of a script without spaces
_LETTERS: Final = LazyPattern(r"([\p{Hiragana}\p{Katakana}ー])|(\p{Hangul})|(\p{Han})|([\p{Latin}0-9']+)")
# closing quotes and emoji belong to the sentence before them
_ENDS: Final = LazyPattern(r"\n+|[。！？!?]+[”’」』）)\"'\pS]*\s*|[.…]+[”’)\"']*(?:\s+|$)")
_ABBREVIATED: Final = LazyPattern(
    r"(?i)(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|approx|ca|inc|ltd|jr|sr|\p{L}|\d{1,2})\.$"
)


def split(text: str) -> Iterator[tuple[int, int]]:
    """The position of each sentence, without surrounding blanks. A sentence does not end inside a quotation."""
    text = without_surrogates(text)
    # a book is imported, not said
    quoted = quotations(text) if len(text) <= _BOOK else []
    at = 0
    start = 0
    for found in _ENDS.finditer(text):
        while at < len(quoted) and quoted[at][1] <= found.start():
            at += 1
        if at < len(quoted) and quoted[at][0] < found.start() and _stays(text, quoted[at][1], found.end()):
            continue
        if "\n" in found.group():
            if _goes_on(text, start, found.start(), found.end()):
                continue
        elif _is_inside(text, start, found.start(), found.end(), found.group()):
            continue
        yield from _trimmed(text, start, found.end())
        start = found.end()
    yield from _trimmed(text, start, len(text))


def _stays(text: str, close: int, end: int) -> bool:
    """Whether the sentence with a quotation continues after a mark: inside the quotation, or after its end."""
    if end < close:
        return True
    after = text[end : end + 1]
    return after.islower() or (ord(after) > 0x2E7F and not text[end - 1].isspace() if after else False)


def _is_inside(text: str, start: int, at: int, end: int, mark: str) -> bool:
    """Whether a dot or mark is part of an abbreviation, an address or a name, as in a?b=c."""
    bare = mark.strip()
    if bare == "." and _ABBREVIATED.search(text[max(start, at - 12) : at + 1]):
        return True
    return bare[0] in "!?" and end < len(text) and not mark[-1].isspace() and text[end].isascii()


# minimum length of a line that was wrapped at the screen width
_WRAPPED: Final = 50


def _goes_on(text: str, start: int, at: int, end: int) -> bool:
    """Whether a sentence continues in the next line: the line was wrapped, ends with a comma, or is a word or two. Otherwise the second
    half of "Never⏎send it to anyone" would be a sentence."""
    if end - at > 1 or end >= len(text):
        return False
    line = text[max(start, text.rfind("\n", 0, at) + 1) : at].strip()
    after = text[end]
    if not line or line[-1] in ":：" or _is_marked(line) or _is_marked(text[end : end + 8].lstrip()):
        return False
    if line[-1] in ",，、;；":
        return True
    dense = ord(line[-1]) > 0x2E7F
    if dense:
        return len(line) <= 2
    return (len(line) >= _WRAPPED and after.islower()) or (line.isalpha() and after.islower())


def _is_marked(line: str) -> bool:
    """Whether a line is a list item, a heading or a quoted line."""
    return line[:1] in "-*•·–—>#|+" or line[:3].rstrip(".)、 ").isdecimal()


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    words = text[start:end]
    bare = words.strip()
    mark = _ITEM_MARK.search(bare)
    if mark is not None:
        bare = bare[mark.end() :]
    if bare:
        first = start + words.index(bare)
        yield first, first + len(bare)


# the prefix of a list item or a quoted line
_ITEM_MARK: Final = LazyPattern(r"^(?:(?:[-*–+>]|[•·‣◦①-⑳]|\[[ xX]\])\s+)+")


def breaths(sentence: str) -> list[int]:
    """Likely sentence ends in text without punctuation, last first: a blank in a script without spaces, a blank after a Korean verb
    ending, laughter and tears, emoji."""
    return [found.end() for found in _BREATHS.finditer(without_surrogates(sentence[:_LOOKED_AT]))][-_MOST_BREATHS:][
        ::-1
    ]


_MOST_BREATHS: Final = 6
# the syllables with the consonant of the past tense; followed by one of the endings, they end a Korean sentence
_PAST: Final = "".join(chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28))
_BREATHS: Final = LazyPattern(
    rf"(?:[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}ー〜~…]|[{_PAST}][어다음네지]|니다|[어아여해에예]요"
    rf"|[ㅋㅎㅠㅜ]{{2,}}|[\p{{So}}])[ \t\x{{3000}}]+"
)


def quotations(text: str) -> list[tuple[int, int]]:
    """The start and end of each quotation with its marks, without nested ones, in one pass."""
    closed: list[tuple[int, int]] = []
    opened: list[int] = []
    for found in _MARKS.finditer(text):
        at, mark = found.start(), found.group()
        depth = next((one for one in range(len(opened) - 1, -1, -1) if mark in _QUOTES[text[opened[one]]]), None)
        if depth is not None and _closes(text, at):
            if at - opened[depth] < _LONGEST_QUOTE:
                closed.append((opened[depth], at + 1))
            del opened[depth:]
        elif mark in _QUOTES and len(opened) < _DEEPEST and _opens(text, at):
            opened.append(at)
    outer: list[tuple[int, int]] = []
    for start, end in sorted(closed):
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer


_MARKS: Final = LazyPattern("[" + "".join(sorted({*_QUOTES, *"".join(_QUOTES.values())})) + "]")


def _opens(text: str, at: int) -> bool:
    """Whether a mark opens a quotation: a straight one does before a word, not after one, as in 6"."""
    if text[at] not in '"‘':
        return True
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not after.isspace() and after != "" and not (before.isascii() and before.isalnum())


def _closes(text: str, at: int) -> bool:
    """Whether a mark closes a quotation: an apostrophe does not."""
    return text[at] != "’" or not text[at + 1 : at + 2].isalpha()


def letters_in(words: str) -> int:
    """The number of letters; a character of a script without spaces counts as three."""
    return sum((3 if char > "\u2e7f" else 1) for char in words[:_LOOKED_AT] if char.isalnum())


def has_words(words: str) -> bool:
    """Whether the text contains words. Numbers, and a single long token such as an id, do not count."""
    seen = words[:_LOOKED_AT]
    if not any(char.isalpha() for char in seen):
        return False
    nameless = len(seen) >= _NAMELESS and seen.isascii() and not any(char.isspace() for char in seen)
    return not (nameless and any(char.isdigit() for char in seen))
