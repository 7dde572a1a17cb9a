"""Sources of entries, how far each is trusted, and the confidence of an entry. Pure."""

from collections.abc import Callable, Iterable
from datetime import date

from everself.errors import RefusedByRule, WrongUse
from everself.frozen import Frozen
from everself.text.normalise import slug
from everself.values import Door, Entry, Origin, ProvenanceRecord, Tag

OWNER, HAND, CORRECTION, AGENT, TOOL, WEB, IMPORT = "owner", "hand", "correction", "agent", "tool", "web", "import"
PERSON = "person:"
# a conversation that holds no words from outside
OWN = "own"

_RANKS = {WEB: 0, TOOL: 0, IMPORT: 1, PERSON: 2, AGENT: 3, HAND: 4, OWNER: 5, CORRECTION: 5}
_BASES = {OWNER: 0.95, HAND: 0.95, CORRECTION: 1.0}
_BASE = 0.6
CEILING = 0.99
# a chain of evidence longer than this is no evidence
DEEPEST = 64


def is_source(name: str) -> bool:
    return len(name) > len(PERSON) if name.startswith(PERSON) else name in _RANKS


def check_source(source: str) -> str:
    """The source itself; WrongUse when there is no such source."""
    if is_source(source):
        return source
    raise WrongUse(
        f'"{source}" is not a valid source.', mend="owner, person:<id>, correction, agent, tool, web, import or hand"
    )


def plain_source(source: str) -> str:
    """A source that a program names, the id of a person in the form that folders have; WrongUse when there is no such source."""
    check_source(source)
    return f"{PERSON}{slug(source.removeprefix(PERSON))}" if source.startswith(PERSON) else source


def known_source(source: str) -> str:
    """The source itself; an unknown source is trusted as little as the web."""
    return source if is_source(source) else WEB


def rank(source: str) -> int:
    """Order of trust: web = tool < import < person < agent < hand < owner = correction. The unknown is trusted least."""
    found = _RANKS.get(source)
    return found if found is not None else _RANKS[PERSON] if source.startswith(PERSON) else 0


def is_correction(entry: Entry) -> bool:
    return entry.tag is Tag.CORRECTION or entry.source == CORRECTION


def weaker(one: str, other: str) -> str:
    """The less trusted of two sources; the first where they are equal."""
    return other if rank(other) < rank(one) else one


def is_outside(source: str) -> bool:
    """Tools, the web, imports, and people who are not the owner."""
    return rank(source) < _RANKS[AGENT]


def taint_of(sources: Iterable[str]) -> str:
    """The least trusted of these that is from outside, `own` where none is. The one rule by which the parts of a prompt taint it."""
    outside = [one for one in sources if one != OWN and is_outside(one)]
    # of two equally untrusted sources `web` is named: people are warned about it
    return min(outside, key=lambda one: (rank(one), one != WEB), default=OWN)


def concluded(taint: str) -> str:
    """The source of words that an agent makes up in a conversation of that taint: its own, or no better than what it has read."""
    return AGENT if taint == OWN else weaker(AGENT, taint)


# ── origins ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def stated_by_owner(door: Door, *lineage: str) -> Origin:
    """Words that the owner said as a whole, in a message or at their own terminal. Who calls this vouches for that."""
    return Origin(OWNER, door, lineage)


def named_by_owner(source: str) -> Origin:
    """Words that the owner's own program says are somebody else's. What only the runtime stamps is not for it to say."""
    if source in (OWNER, HAND, CORRECTION):
        raise WrongUse(
            f'"{source}" is stamped by Everself itself.', mend="owner, agent, tool, web, import or person:<id>"
        )
    return Origin(plain_source(source), "terminal")


def stated_by(person: str, *lineage: str) -> Origin:
    """Words that another person said in a conversation of their own."""
    return Origin(f"{PERSON}{person}", "chat", lineage)


def concluded_in(taint: str, door: Door, *lineage: str) -> Origin:
    """Words that an agent or a model made of what it was given."""
    return Origin(concluded(taint), door, lineage)


def brought(source: str, *lineage: str) -> Origin:
    """Words of a file: worth what the file says of them, and no more than an import."""
    return Origin(weaker(IMPORT, source), "import", lineage)


def brought_back(source: str, *lineage: str) -> Origin:
    """Words of a file that the owner calls their own memories: they keep the sources they had."""
    return Origin(check_source(source), "import", lineage)


def lowered(origin: Origin, bears: str, lineage: tuple[str, ...]) -> Origin:
    """The same words, which rest on no more than their evidence bears."""
    return Origin(weaker(origin.source, bears), origin.door, lineage)


def as_correction(origin: Origin) -> Origin:
    """A correction stands on the owner's word alone, and names the message; what it replaces is no evidence for it."""
    if rank(origin.source) < _RANKS[OWNER]:
        raise RefusedByRule(
            "Permission denied: only the owner can correct memory.", mend="everself memory correct OLD NEW"
        )
    return Origin(CORRECTION, origin.door, tuple(one for one in origin.lineage if one.startswith("msg:")))


def restored(source: str, door: Door, lineage: tuple[str, ...]) -> Origin:
    """An origin as stored in a row. An unknown source is trusted as little as the web."""
    return Origin(known_source(source), door, lineage)


def kept(entry: Entry) -> Origin:
    """Of an entry that goes elsewhere: what it was."""
    return Origin(entry.source, "keeper", entry.lineage)


def evidenced(entry: Entry, *references: str) -> Origin:
    """Of an entry that rests on more messages than it named: its source stays."""
    return Origin(entry.source, "chat", tuple(dict.fromkeys((*entry.lineage, *references))))


def owned(entry: Entry) -> Origin:
    """Of an entry that the owner calls theirs, at their own terminal: it rests no longer on the file that it came in with."""
    lineage = tuple(one for one in entry.lineage if source_of_reference(one.partition(":")[0]) != IMPORT)
    return Origin(OWNER, "terminal", lineage)


def provenance_of(origin: Origin, entry: str, tag: str, text: str) -> ProvenanceRecord:
    """What is put on record of an entry's origin; `text` is the hash of its words."""
    return ProvenanceRecord(entry, origin.source, tag, text, origin.lineage)


def is_human(source: str) -> bool:
    """Whether the source is a person."""
    return source in (OWNER, CORRECTION, HAND) or source.startswith(PERSON)


def base_confidence(source: str) -> float:
    return _BASES.get(source, _BASE)


def weakest_source(entry: Entry, find: Callable[[str], Entry | None]) -> str:
    """The minimum of trust over an entry and everything it was derived from: no summary, promotion or merge raises it."""
    found = entry.source
    seen: set[str] = {f"entry:{entry.id}"}
    left = list(entry.lineage)
    for _ in range(DEEPEST):
        if not left:
            return found
        deeper: list[str] = []
        for reference in left:
            if reference in seen:
                continue
            seen.add(reference)
            kind, _, name = reference.partition(":")
            evidence = find(name) if kind == "entry" else None
            if evidence is not None:
                found = weaker(found, evidence.source)
                deeper += evidence.lineage
            else:
                found = weaker(found, source_of_reference(kind))
        left = deeper
    return WEB


def source_of_reference(kind: str) -> str:
    """How far a reference is trusted that names no entry we know."""
    match kind:
        case "url":
            return WEB
        case "file":
            return IMPORT
        # a message or a change of this agent: who spoke stands in the source of the entry that was made from it
        case "msg" | "change":
            return CORRECTION
    # an unknown entry may have any source
    return WEB


class Dynamics(Frozen):
    """How confidence moves; the tunables of CONFIG.md."""

    boost: float = 0.05
    loss: float = 0.05
    days: int = 30
    floor: float = 0.2


DYNAMICS = Dynamics()


def confidence(entry: Entry, today: date, dynamics: Dynamics = DYNAMICS) -> float:
    """How sure an entry is today. Worked out when read; no file is rewritten because time passed."""
    sure = entry.base + dynamics.boost * (entry.mentions - 1)
    if entry.source == CORRECTION:
        return round(min(1.0, max(dynamics.floor, sure)), 6)
    if entry.seen is not None and today > entry.seen:
        sure -= dynamics.loss * ((today - entry.seen).days // dynamics.days)
    return round(min(CEILING, max(dynamics.floor, sure)), 6)


def parse_tag(text: str) -> Tag:
    """The tag of that name, with or without its #; none for anything else."""
    found = _TAGS.get(text)
    return found if found is not None else _TAGS.get(text.removeprefix("#").lower(), Tag.NONE)


_TAGS = {tag.value: tag for tag in Tag if tag is not Tag.NONE}
