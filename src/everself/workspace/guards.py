"""The standard guards: size, write barrier, shrink guard, secrets. Other packages add their own.

A guard gets the change, with its author, and every document before and after; it yields reasons to refuse. It never
repairs anything.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice

from everself.config.sections import SoulPolicy
from everself.storage.filesystem import READ_LIMIT
from everself.values import Author, Change, FileChange
from everself.workspace.layout import Kind, Place, place
from everself.workspace.protocol import Guard

# Human authors are not restricted; all others are checked.
HUMANS = frozenset({Author.OWNER, Author.HAND})
# Logs that the runtime writes about its actions; a copy of an entry there does not preserve the entry.
_RECORDS = frozenset({Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.CHRONICLE})


# An exception from the write barrier: whether this change may do this to this document.
WriteExemption = Callable[[Change, FileChange], bool]
# Lines of `## Learned` that one automatic change may add or remove.
SMALL = 3


def closed(_: Change, __: FileChange) -> bool:
    return False


def standard_guards(exemption: WriteExemption = closed, personas: tuple[str, ...] = ()) -> tuple[Guard, ...]:
    """`personas`: the alternate souls in the settings, guarded like the soul itself."""
    barrier = partial(write_barrier, exemption=exemption, personas=personas)
    return (size_guard(), barrier, partial(outside_guard, personas=personas), shrink_guard, secrets_guard)


def learned_exemption(policy: SoulPolicy) -> WriteExemption:
    """Under `evolve` a keeper may change a few lines of `## Learned` without approval if it names its evidence."""

    def exemption(change: Change, file: FileChange) -> bool:
        from everself.workspace.learned_section import SOUL, changed_lines, same_core

        allowed = policy is SoulPolicy.EVOLVE and change.author is Author.KEEPER and bool(change.evidence)
        if not allowed or file.path != SOUL or file.before is None or file.after is None:
            return False
        if not same_core(file.before, file.after):
            return False
        return sum(map(len, changed_lines(file.before, file.after))) <= SMALL

    return exemption


def size_guard(limit: int = READ_LIMIT) -> Guard:
    """Refuse a document larger than what Everself reads: it must not write what it could not read again."""

    def guard(_: Change, files: Sequence[FileChange]) -> Iterator[str]:
        for file in files:
            if file.after is not None and len(file.after) > limit:
                yield f"{file.path} would have {len(file.after)} bytes; the limit is {limit}. Split it."

    return guard


def write_barrier(
    change: Change, files: Sequence[FileChange], *, exemption: WriteExemption = closed, personas: tuple[str, ...] = ()
) -> Iterator[str]:
    """Refuse changes to documents that the author may not write."""
    if change.author in HUMANS:
        return
    for file in files:
        where = place(file.path, personas)
        if (
            not _lays_down(change.author, file, where)
            and not may_write(change.author, where)
            and not exemption(change, file)
        ):
            yield f"Permission denied: only {'a human' if where.writer == 'human' else 'Everself itself'} can change {file.path}."


def outside_guard(change: Change, files: Sequence[FileChange], *, personas: tuple[str, ...] = ()) -> Iterator[str]:
    """Refuse changes to documents of every prompt by a conversation that has read text from outside; they can be proposed to a human."""
    if not change.tainted or change.author in HUMANS:
        return
    for file in files:
        if place(file.path, personas).injected:
            yield f"{file.path} is part of every prompt, and this conversation contains text from outside: the change can only be proposed."


def shrink_guard(change: Change, files: Sequence[FileChange]) -> Iterator[str]:
    """Refuse to lose an entry unless a human wants it: an entry that leaves one document must arrive in another."""
    if change.author in HUMANS:
        return
    old = {file.path: file.before for file in files}
    new = {file.path: file.after for file in files}
    before, after = Counter[str](), Counter[str]()
    for file in files:
        # an earlier soul is a copy, and copies may be thinned out
        if file.path.lower().endswith(".md") and place(file.path).kind is not Kind.SOUL_HISTORY:
            added = added_section(file)
            # an append keeps the existing text, so it need not be parsed: daily logs are long and written often
            stood = Counter[str]() if added is not None else _entries(file.before, old)
            stands = _entries(file.after if added is None else added, new)
            before += stood
            if place(file.path).kind in _RECORDS:
                # a log line about an entry does not preserve the entry
                same = stands & stood
                stands = same + Counter(islice((stands - same).elements(), stood.total() - same.total()))
            after += stands
    ids = {key for key in before if key.startswith("id:")} - set(after)
    fewer = before.total() - after.total()
    if ids or fewer > 0:
        yield f"{max(len(ids), fewer)} of {before.total()} entries would be lost without a tombstone or an archive."


def added_section(file: FileChange) -> bytes | None:
    """The bytes that a change appends to a log as new sections, if everything before them still parses as before; else None.

    An open fence, an open comment or unfinished front matter would swallow the addition, so None is returned if there may be one.
    """
    before, after = file.before or b"", file.after or b""
    if not after.startswith(before) or b"```" in before or b"~~~" in before:
        return None
    plain = before.endswith(b"\n") and b"<" not in before and not before.startswith(b"---")
    if not plain and not before.endswith(b"-->\n"):
        return None
    added = after[len(before) :]
    return added if added.startswith(b"\n## ") else None


def secrets_guard(change: Change, files: Sequence[FileChange]) -> Iterator[str]:
    """Refuse a secret that should have been redacted earlier: the last check."""
    if change.author in HUMANS:
        return
    # text from another document of the same change is moved, not added
    known = {line for file in files for line in (file.before or b"").splitlines()}
    for file in files:
        yield from added_secrets(file.path, known, file.after or b"")


def added_secrets(what: str, known: Set[bytes], after: bytes) -> Iterator[str]:
    """Yield a reason if a line that is not in `known` contains a secret."""
    from everself.text.redaction import find_secrets

    added = b"\n".join(line for line in after.splitlines() if line not in known)
    kinds = sorted({secret.kind for secret in find_secrets(added.decode("utf-8", "replace"))})
    if kinds:
        yield f"{what} would contain a secret ({', '.join(kinds)})."


def _lays_down(author: Author, file: FileChange, where: Place) -> bool:
    """Whether the runtime creates a missing document; one that only humans change must equal its template."""
    if author is not Author.RUNTIME or file.before is not None:
        return False
    if not where.humans_only:
        return True
    from everself.workspace.setup import templates

    return (file.path, file.after) in templates()


def may_write(author: Author, where: Place) -> bool:
    match where.writer:
        case "human":
            return False
        case "runtime":
            return author in (Author.RUNTIME, Author.KEEPER)
    return True


def _entries(data: bytes | None, documents: "Mapping[str, bytes | None]") -> "Counter[str]":
    """The entries of a document: by id, or by text if they have none. A copy of a day beside the original does not count."""
    from everself.text.markdown.copies import COPY, hide_copies
    from everself.text.markdown.entries import entries

    if data is not None and COPY in data:
        data = hide_copies(data, lambda path: documents.get(path) is not None)
    found = Counter[str]()
    for span in entries(data or b""):
        identity = span.comment.comment.id if span.comment is not None else ""
        found[
            f"id:{identity}" if identity else f"text:{hash((data or b'')[span.text_start : span.text_end].strip())}"
        ] += 1
    return found
