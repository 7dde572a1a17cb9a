"""Imports entries from JSON Lines in one change. The owner decides whether they keep their sources.

Entries are written so that they read back unchanged. Where that fails (an open fence, a heading that ends another section), the text is
escaped like all foreign text.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory.entries import holds_memory, text_hash
from everself.memory.memory import Memory
from everself.memory.provenance import CORRECTION, brought, brought_back, parse_tag, provenance_of
from everself.memory.transfer._document_layout import LaidOut, lay_out
from everself.memory.transfer.export import ExportedLine, numbered, parse_line
from everself.memory.writing import NewEntry, clean
from everself.text.markdown.endings import REFERENCE
from everself.values import Author, Change, Entry, Origin, ProvenanceRecord, Tag
from everself.workspace.layout import Place, place

Progress = Callable[[int, int], None]
# lines between two progress reports
STEP = 200


class BrokenLine(Frozen):
    number: int
    problem: str


class ImportReport(Frozen):
    """The result by kind of line. `known` exist already, `differing` exist with other text (ours stays), `forgotten` were forgotten on
    request, `withheld` may only be written by Everself, `quarantined` address the agent. With `broken` lines nothing is imported, unless
    requested."""

    imported: tuple[str, ...] = ()
    known: int = 0
    differing: tuple[str, ...] = ()
    forgotten: int = 0
    withheld: int = 0
    redacted: int = 0
    quarantined: int = 0
    broken: tuple[BrokenLine, ...] = ()
    paths: tuple[str, ...] = ()
    change: str = ""


class ImportOptions(Frozen):
    """`origin` is the citation of the file. `as_mine`: the owner says that these are their own memories, so they keep their sources."""

    origin: str
    as_mine: bool = False
    skip_broken: bool = False
    dry_run: bool = False
    progress: Progress | None = None


def import_lines(memory: Memory, lines: Iterable[str], options: ImportOptions) -> ImportReport:
    """Import all new entries in one change; known ones are skipped."""
    good, broken = _parse(lines)
    if broken and not options.skip_broken:
        return ImportReport(broken=broken)
    report, chosen = _choose(memory, good, options)
    apart = {line.id: line for line in chosen if not options.as_mine and memory.doubt(_new_entry(line, options))}
    chosen = [line for line in chosen if line.id not in apart]
    report = replace(report, broken=broken, imported=tuple(line.id for line in chosen), quarantined=len(apart))
    by_path: dict[str, list[ExportedLine]] = {}
    for line in chosen:
        by_path.setdefault(line.path, []).append(line)
    report = replace(report, paths=tuple(by_path))
    if options.dry_run:
        return report
    change = _write(memory, by_path, options) if chosen else ""
    for identity, line in apart.items():
        # after the change and with their own ids, so that an interrupted import can be completed by running it again
        memory.remember(_new_entry(line, options), partial(str, identity))
    return replace(report, change=change)


def _new_entry(line: ExportedLine, options: ImportOptions) -> NewEntry:
    return NewEntry(line.text, _origin(line, options), tag=parse_tag(line.tag))


def _origin(line: ExportedLine, options: ImportOptions) -> Origin:
    return (brought_back if options.as_mine else brought)(line.source, *line.lineage)


def _write(memory: Memory, by_path: dict[str, list[ExportedLine]], options: ImportOptions) -> str:
    # prepared before the lock is taken, and again only if another process wrote in between
    early = memory.draft()
    laid = {path: lay_out(early.find(path), held) for path, held in by_path.items()}

    def plan() -> Change:
        draft = memory.draft()
        provenance: list[ProvenanceRecord] = []
        for path, held in by_path.items():
            if draft.find(path) != laid[path].before:
                laid[path] = lay_out(draft.find(path), held)
            draft.put(path, laid[path].after)
            provenance += _provenance(laid[path], held, options)
        author = Author.OWNER if options.as_mine else Author.IMPORT
        return Change(author, "import", draft.edits(), (f"file:{options.origin}",), provenance=tuple(provenance))

    return memory.change(plan)


def _parse(lines: Iterable[str]) -> tuple[list[tuple[int, ExportedLine]], tuple[BrokenLine, ...]]:
    good: list[tuple[int, ExportedLine]] = []
    broken: list[BrokenLine] = []
    seen: set[str] = set()
    for number, text in numbered(lines):
        try:
            line = parse_line(text)
            if line.id in seen:
                raise WrongUse("The id occurs twice in the file.")
            if not holds_memory(line.path):
                raise WrongUse("The path is not a memory file.")
        except WrongUse as error:
            broken.append(BrokenLine(number, error.detail))
            continue
        seen.add(line.id)
        good.append((number, line))
    return good, tuple(broken)


def _choose(
    memory: Memory, lines: Sequence[tuple[int, ExportedLine]], options: ImportOptions
) -> tuple[ImportReport, list[ExportedLine]]:
    """The lines to write, in their final form, and the report about all others."""
    entries = memory.catalog.all()
    ids = {entry.id: entry for entry in entries}
    said = {(text_hash(entry.text), *_scope(place(entry.path))) for entry in entries if not entry.closed}
    report, chosen = ImportReport(), []
    for done, (number, line) in enumerate(lines):
        if options.progress is not None and done % STEP == 0:
            options.progress(done, len(lines))
        cleaned = clean(line.text)
        known = ids.get(line.id)
        if known is not None:
            report = _already(report, known, line)
        elif not cleaned.text or memory.catalog.is_buried(cleaned.text, line.id):
            report = replace(report, forgotten=report.forgotten + 1)
        elif (text_hash(cleaned.text), *_scope(place(line.path))) in said:
            report = replace(report, known=report.known + 1)
        elif not options.as_mine and place(line.path).writer == "runtime":
            report = replace(report, withheld=report.withheld + 1)
        else:
            line = replace(line, text=_arrow(line.text) + cleaned.text)
            chosen.append(line if options.as_mine else _capped(line, f"file:{options.origin}#L{number}"))
            report = replace(report, redacted=report.redacted + bool(cleaned.kinds))
    return report, chosen


def _arrow(text: str) -> str:
    """A leading arrow that is not a reference by id: cleaning removes it, although it is the user's text."""
    rest = text.removeprefix(REFERENCE.strip())
    return text[: len(text) - len(rest.lstrip())] if rest != text and rest.strip() and "entry:" not in text else ""


def _already(report: ImportReport, known: Entry, line: ExportedLine) -> ImportReport:
    if text_hash(known.text) == text_hash(line.text):
        return replace(report, known=report.known + 1)
    return replace(report, differing=(*report.differing, line.id))


def _capped(line: ExportedLine, origin: str) -> ExportedLine:
    """The line with the trust of an outside file, and a target that is not part of every prompt."""
    where = place(line.path)
    scope = f"users/{where.person}/" if where.person else ""
    return replace(
        line,
        path=f"{scope}memory/imported.md" if where.injected else line.path,
        source=brought(line.source).source,
        vouched=True,
        tag=Tag.KNOWLEDGE.value if line.tag == CORRECTION else line.tag,
        mentions=1,
        lineage=[*line.lineage, origin],
    )


def _provenance(laid: LaidOut, held: Sequence[ExportedLine], options: ImportOptions) -> list[ProvenanceRecord]:
    """Provenance for the text as it reads back. A source that nobody vouched for remains a claim."""
    return [
        provenance_of(_origin(line, options), line.id, line.tag, text_hash(laid.texts[line.id]))
        for line in held
        if line.vouched or not options.as_mine
    ]


def _scope(where: Place) -> tuple[str, str]:
    return where.person or "", where.project or ""
