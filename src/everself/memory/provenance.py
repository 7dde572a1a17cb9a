"""Sources of entries, their trust, and the confidence of an entry. Pure."""

from collections.abc import Callable, Iterable
from datetime import date

from everself.errors import RefusedByRule, WrongUse
from everself.frozen import Frozen
from everself.text.normalise import slug
from everself.values import Door, Entry, Origin, ProvenanceRecord, Tag

OWNER, HAND, CORRECTION, AGENT, TOOL, WEB, IMPORT = "owner", "hand", "correction", "agent", "tool", "web", "import"
PERSON = "person:"
# a conversation without words from outside
OWN = "own"

_RANKS = {WEB: 0, TOOL: 0, IMPORT: 1, PERSON: 2, AGENT: 3, HAND: 4, OWNER: 5, CORRECTION: 5}
_BASES = {OWNER: 0.95, HAND: 0.95, CORRECTION: 1.0}
_BASE = 0.6
CEILING = 0.99
# a longer chain of evidence does not count as evidence
DEEPEST = 64


def is_source(name: str) -> bool:
    return len(name) > len(PERSON) if name.startswith(PERSON) else name in _RANKS


def check_source(source: str) -> str:
    """The source itself. Raises WrongUse if it is unknown."""
    if is_source(source):
        return source
    raise WrongUse(
        f'"{source}" is not a valid source.', mend="owner, person:<id>, correction, agent, tool, web, import or hand"
    )


def plain_source(source: str) -> str:
    """A source named by a program, with a person's id as a folder slug. Raises WrongUse if it is unknown."""
    check_source(source)
    return f"{PERSON}{slug(source.removeprefix(PERSON))}" if source.startswith(PERSON) else source


def known_source(source: str) -> str:
    """The source itself; an unknown one is trusted like the web."""
    return source if is_source(source) else WEB


def rank(source: str) -> int:
    """Order of trust: web = tool < import < person < agent < hand < owner = correction. An unknown source has the lowest rank."""
    found = _RANKS.get(source)
    return found if found is not None else _RANKS[PERSON] if source.startswith(PERSON) else 0


def is_correction(entry: Entry) -> bool:
    return entry.tag is Tag.CORRECTION or entry.source == CORRECTION


def weaker(one: str, other: str) -> str:
    """The less trusted of two sources; the first if they are equal."""
    return other if rank(other) < rank(one) else one


def is_outside(source: str) -> bool:
    """Whether the source is a tool, the web, an import or a person other than the owner."""
    return rank(source) < _RANKS[AGENT]


def taint_of(sources: Iterable[str]) -> str:
    """The least trusted outside source of these; `own` if there is none. The only rule for the taint of a prompt."""
    outside = [one for one in sources if one != OWN and is_outside(one)]
    # of two equally untrusted sources, `web` wins: people are warned about it
    return min(outside, key=lambda one: (rank(one), one != WEB), default=OWN)


def concluded(taint: str) -> str:
    """The source of an agent's own words in a conversation with that taint: at most what it has read."""
    return AGENT if taint == OWN else weaker(AGENT, taint)


# ── origins ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def stated_by_owner(door: Door, *lineage: str) -> Origin:
    """Words that the owner said as a whole, in a message or at their terminal. The caller vouches for that."""
    return Origin(OWNER, door, lineage)


def named_by_owner(source: str) -> Origin:
    """Words that the owner's program attributes to someone else. It cannot name sources that only the runtime sets."""
    if source in (OWNER, HAND, CORRECTION):
        raise WrongUse(
            f'"{source}" is stamped by Everself itself.', mend="owner, agent, tool, web, import or person:<id>"
        )
    return Origin(plain_source(source), "terminal")


def stated_by(person: str, *lineage: str) -> Origin:
    """Words that another person said in their own conversation."""
    return Origin(f"{PERSON}{person}", "chat", lineage)


def concluded_in(taint: str, door: Door, *lineage: str) -> Origin:
    """Words that an agent or a model derived from its input."""
    return Origin(concluded(taint), door, lineage)


def brought(source: str, *lineage: str) -> Origin:
    """Words of a file: trusted as the file says, at most as an import."""
    return Origin(weaker(IMPORT, source), "import", lineage)


def brought_back(source: str, *lineage: str) -> Origin:
    """Words of a file that the owner calls their own memories: they keep their sources."""
    return Origin(check_source(source), "import", lineage)


def lowered(origin: Origin, bears: str, lineage: tuple[str, ...]) -> Origin:
    """The same words, trusted no more than their evidence."""
    return Origin(weaker(origin.source, bears), origin.door, lineage)


def as_correction(origin: Origin) -> Origin:
    """The origin of a correction: the owner's word alone, with the message as evidence. The replaced entry is not evidence."""
    if rank(origin.source) < _RANKS[OWNER]:
        raise RefusedByRule(
            "Permission denied: only the owner can correct memory.", mend="everself memory correct OLD NEW"
        )
    return Origin(CORRECTION, origin.door, tuple(one for one in origin.lineage if one.startswith("msg:")))


def restored(source: str, door: Door, lineage: tuple[str, ...]) -> Origin:
    """An origin stored in a row. An unknown source is trusted like the web."""
    return Origin(known_source(source), door, lineage)


def kept(entry: Entry) -> Origin:
    """The unchanged origin of an entry that is moved."""
    return Origin(entry.source, "keeper", entry.lineage)


def evidenced(entry: Entry, *references: str) -> Origin:
    """The origin of an entry with further messages as evidence; its source stays."""
    return Origin(entry.source, "chat", tuple(dict.fromkeys((*entry.lineage, *references))))


def owned(entry: Entry) -> Origin:
    """The origin of an entry that the owner adopts at their terminal; the imported file is no longer evidence."""
    lineage = tuple(one for one in entry.lineage if source_of_reference(one.partition(":")[0]) != IMPORT)
    return Origin(OWNER, "terminal", lineage)


def provenance_of(origin: Origin, entry: str, tag: str, text: str) -> ProvenanceRecord:
    """The provenance record for an origin; `text` is the hash of the entry's text."""
    return ProvenanceRecord(entry, origin.source, tag, text, origin.lineage)


def is_human(source: str) -> bool:
    """Whether the source is a person."""
    return source in (OWNER, CORRECTION, HAND) or source.startswith(PERSON)


def base_confidence(source: str) -> float:
    return _BASES.get(source, _BASE)


def weakest_source(entry: Entry, find: Callable[[str], Entry | None]) -> str:
    """The least trusted source of an entry and everything it was derived from: no summary, promotion or merge raises it."""
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
    """The trust of a reference that names no known entry."""
    match kind:
        case "url":
            return WEB
        case "file":
            return IMPORT
        # a message or change of this agent: the speaker is the source of the entry made from it
        case "msg" | "change":
            return CORRECTION
    # an unknown entry may have any source
    return WEB


class Dynamics(Frozen):
    """The parameters of confidence; tunables of CONFIG.md."""

    boost: float = 0.05
    loss: float = 0.05
    days: int = 30
    floor: float = 0.2


DYNAMICS = Dynamics()


def confidence(entry: Entry, today: date, dynamics: Dynamics = DYNAMICS) -> float:
    """The confidence of an entry on a day. Computed when read; no file is rewritten because time passed."""
    sure = entry.base + dynamics.boost * (entry.mentions - 1)
    if entry.source == CORRECTION:
        return round(min(1.0, max(dynamics.floor, sure)), 6)
    if entry.seen is not None and today > entry.seen:
        sure -= dynamics.loss * ((today - entry.seen).days // dynamics.days)
    return round(min(CEILING, max(dynamics.floor, sure)), 6)


def parse_tag(text: str) -> Tag:
    """The tag with that name, with or without #; NONE for anything else."""
    found = _TAGS.get(text)
    return found if found is not None else _TAGS.get(text.removeprefix("#").lower(), Tag.NONE)


_TAGS = {tag.value: tag for tag in Tag if tag is not Tag.NONE}
