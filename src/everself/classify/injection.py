"""Whether a text from outside tries to steer the agent, and by which signs. Pure, in linear time.

Three things are checked: hidden characters, known phrases (`data/injection/`), and the learned head (`injection_head.py`),
which may be less sure, as weak phrases are.

A label is a reason to look, never proof: it knows neither where the text came from nor how it is used. The owner's own words are not
checked, because owners tell the agent what to do all the time.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from everself.classify.injection_head import head
from everself.classify.pattern_sets import Match, load_set
from everself.text.folding import fold_in_place, hide_quoted, one_script
from everself.text.invisible import hiding
from everself.text.normalise import without_surrogates
from everself.text.unmasking import compiled, encoded, joined, masked_words, plain

Sight = Literal["override", "role", "delimiter", "persona", "agent", "tool", "exfiltration", "authority", "memory"]
Family = Sight | Literal["instruction", "hidden", "disguise"]
Where = Literal["text", "joined", "encoded"]

# one sure sign is enough, or two weak ones
_SURE: Final = 2
# The sets are matched one by one, because together they exceed the memory in which RE2 is fast. For scripts without blanks all blanks are
# removed: Chinese and Japanese need none, Korean sets them freely, and none may hide a word.
_SPACED: Final = ("injection/en", "injection/abroad")
_UNSPACED: Final = ("injection/zh", "injection/ja", "injection/ko")
_WEAK: Final = "-weak"
_ABOUT: Final = "about"
# texts about attacks are short; in a long text a quotation is the best place to hide one
_TALK: Final = 400
# scripts without blanks begin here; the same number of their characters says twice as much
_DENSE: Final = "\u2e7f"
# longer texts are read in pieces that overlap by a sentence
_PIECE: Final = 64_000
_OVERLAP: Final = 400
_EXCERPT: Final = 80
_SENTENCE: Final = 4
_FAMILIES: Final[dict[str, Family]] = {**{one: one for one in get_args(Sight)}, "disguise": "disguise"}


@dataclass(frozen=True, slots=True)
class Reason:
    """`where`: in the text as written, with its letters joined, or in something encoded. `words` is the beginning of the match."""

    family: Family
    where: Where
    words: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Label:
    """`reasons` may contain weak ones although the text is not suspicious. `normalised` is the copy that was checked."""

    suspicious: bool
    reasons: tuple[Reason, ...]
    normalised: str

    @property
    def why(self) -> str:
        """The families, surest first, as a short text for a person."""
        ordered = sorted(self.reasons, key=lambda reason: not reason.sure)
        return ", ".join(dict.fromkeys(reason.family for reason in ordered))


def label(text: str) -> Label:
    """The signs of an attack in a text. The text itself is not changed."""
    text = without_surrogates(text)
    read = plain(text)
    reasons = [*_unseen(text), *_read(read, "text")]
    together = joined(read)
    if together:
        reasons += _read(together, "joined")
    for hidden in encoded(text):
        # an encoded sentence is not written for a person to read; an encoded word or two may be an identifier
        whole = len(hidden.split()) >= _SENTENCE or not hidden.isascii()
        reasons.append(Reason("disguise", "encoded", hidden[:_EXCERPT], whole))
        reasons += _read(plain(hidden), "encoded")
    kept = tuple(dict.fromkeys(reasons))
    return Label(_weigh(kept) >= _SURE, kept, read)


def _unseen(text: str) -> list[Reason]:
    found: list[Reason] = []
    places = hiding(text)
    if places:
        codes = dict.fromkeys(f"U+{ord(text[at]):04X}" for at in places[:40])
        found.append(Reason("hidden", "text", " ".join(codes)[:_EXCERPT]))
    words = masked_words(text)
    if words:
        found.append(Reason("disguise", "text", words[0][:_EXCERPT], sure=False))
    return found


def _read(text: str, where: Where) -> list[Reason]:
    found: list[Reason] = []
    for start in range(0, max(1, len(text)), _PIECE):
        piece = text[max(0, start - _OVERLAP) : start + _PIECE]
        folded = fold_in_place(piece)
        found += _matched(_SPACED, folded, where, _TALK)
        if not folded.isascii() and max(folded) > _DENSE:
            close = one_script(folded.replace(" ", ""))
            found += _matched(_UNSPACED, close, where, _TALK // 2)
        if (order := head().order_in(piece)) is not None:
            # the family says only that the passage reads like an order to its reader
            found.append(Reason("instruction", where, _shown(order[0]), order[1]))
    return found


def _matched(sets: tuple[str, ...], text: str, where: Where, talk: int) -> list[Reason]:
    matches = [match for name in sets for match in load_set(name).matches(text)]
    if len(text) <= talk and any(match.name == _ABOUT for match in matches):
        # the text describes an attack: its quotations are not the writer's own words
        text = hide_quoted(text)
        matches = [match for name in sets for match in load_set(name).matches(text)]
    return [found for match in matches if (found := _reason(match, text, where)) is not None]


def _reason(match: Match, text: str, where: Where) -> Reason | None:
    family = _FAMILIES.get(match.name.removesuffix(_WEAK))
    if family is None:
        return None
    return Reason(family, where, _excerpt(match.pattern, text), not match.name.endswith(_WEAK))


def _excerpt(pattern: str, text: str) -> str:
    hit = next(compiled(pattern).finditer(text), None)
    return "" if hit is None else _shown(hit.group())


def _shown(words: str) -> str:
    return " ".join(words.split())[:_EXCERPT]


def _weigh(reasons: tuple[Reason, ...]) -> int:
    """The weight of all signs. Weak signs count once per family, because repetition makes them no surer."""
    sure = sum(_SURE for reason in reasons if reason.sure)
    return sure + len({reason.family for reason in reasons if not reason.sure})
