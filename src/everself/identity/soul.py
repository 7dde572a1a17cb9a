"""Rules for a proposed soul, and who may propose it. Pure: compares two texts and knows no files."""

from collections.abc import Iterator

from everself.config.sections import SoulPolicy
from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.memory.entries import read_document
from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import apply_splice, remove_entry
from everself.text.markdown.entries import EntrySpan, entries
from everself.text.normalise import fold
from everself.values import Author
from everself.workspace.guards import HUMANS, SMALL, added_secrets
from everself.workspace.learned_section import LEARNED, changed_lines, same_core, split_soul

# who may propose growth besides humans
_ASKING = frozenset({Author.KEEPER, Author.AGENT})


class SoulRules(Frozen):
    """The settings for growth."""

    policy: SoulPolicy = SoulPolicy.PROPOSE
    max_tokens: int = 800


def check_growth(before: bytes, after: bytes, author: Author, rules: SoulRules) -> tuple[str, ...]:
    """Why this must not be proposed; empty if it may."""
    return tuple(_reasons(before, after, author, rules))


def grows_alone(before: bytes, after: bytes, evidence: tuple[str, ...], rules: SoulRules) -> bool:
    """Whether a keeper may apply it without approval: few lines, with evidence, if the policy allows it."""
    small = sum(map(len, changed_lines(before, after))) <= SMALL
    # the author of a web page must not be able to change a soul
    own = any(reference and not reference.startswith("url:") for reference in evidence)
    return rules.policy is SoulPolicy.EVOLVE and own and small


def learned_lines(data: bytes) -> tuple[str, ...]:
    """The lines under `## Learned`, without bullets and comments."""
    heading = b"## " + LEARNED.encode() + b"\n"
    return tuple(read.text for read in read_document(heading + split_soul(data).learned))


def _reasons(before: bytes, after: bytes, author: Author, rules: SoulRules) -> Iterator[str]:
    if b"\0" in after:
        yield "The text would contain a NUL byte."
    if not after.strip():
        yield "The text would be empty."
    yield from added_secrets("The text", set(before.splitlines()), after)
    if author in HUMANS:
        return
    if author not in _ASKING or rules.policy is SoulPolicy.LOCKED:
        yield "Permission denied: only a human can change the soul."
        return
    if not same_core(before, after):
        yield f"Permission denied: only lines under ## {LEARNED} can be proposed; a human changes the rest."
    from everself.text.tokens import count

    tokens = count(after.decode("utf-8", "replace"))
    if tokens > rules.max_tokens:
        yield f"The soul would have {tokens} tokens; soul_max_tokens is {rules.max_tokens}."


def without_line(data: bytes, text: str) -> bytes:
    """The soul without one learned line."""
    document = scan(data)
    return apply_splice(data, remove_entry(document, learned_entry(data, text)))


def learned_entry(data: bytes, text: str) -> EntrySpan:
    """The learned entry with this text."""
    parts = split_soul(data)
    first, last = len(parts.above), len(data) - len(parts.below)
    spans = [one for one in entries(data) if first <= one.start and one.end <= last] if parts.found else []
    wanted = fold(text.strip().lstrip("-*+ "))
    said = [(fold(one.text(data).decode("utf-8", "replace")), one) for one in spans]
    found = [one for words, one in said if words == wanted] or [
        one for words, one in said if wanted and wanted in words
    ]
    if not found:
        raise NotFound("learned line with these words.", mend="everself soul show")
    if len(found) > 1:
        raise WrongUse(f"{len(found)} learned lines match; give more of the line.")
    return found[0]
