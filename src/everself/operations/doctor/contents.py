"""Checks the contents of documents, and what stands in their place. Never changes a byte."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from everself.operations.doctor.case import Case, is_markdown
from everself.operations.doctor.words import command, counted, listed, megabytes, note, shown, warning
from everself.storage.filesystem import READ_LIMIT
from everself.values import FileStat, Finding, Severity
from everself.workspace.layout import fold, place

if TYPE_CHECKING:
    from everself.text.markdown.blocks import Scan

LONG_LINE = 1_000_000
BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_COMMENT, _OURS = b"<!--", b"everself:"
_FOLDERS = ("memory", "bank", "archive", "users", "projects", "agents", "soul_history", "quarantine")
_LABELS = ("name", "creature", "vibe", "emoji", "avatar")
_HARMLESS = {
    "text-bom": "begins with a byte order mark",
    "text-line-ends": "mixes line ends of different systems",
    "text-windows": "has Windows line ends",
}
_AS_UNIX = "Nothing needs to be done; an editor can save it as UTF-8 with LF."


def check_kinds(case: Case) -> Iterator[Finding]:
    """Documents that are not regular files or have several hard links. They are never read."""
    for one in case.listing.found:
        if is_markdown(one) or (one.kind == "link" and fold(one.path) in _FOLDERS):
            yield from _check_kind(one, f"{case.agent.workspace}/{one.path}")


def _check_kind(one: FileStat, whole: str) -> Iterator[Finding]:
    weight: Severity = "error" if place(one.path).injected or fold(one.path) == "memory" else "warning"
    name, here, away = shown(one.path), command(whole), f"Move it away: {command('mv', whole, whole + '.old')}"
    if one.kind == "link" and is_markdown(one):
        words = f"{name} is a symbolic link; links are not followed, so it is not read."
        mend = f'Put the real file in its place: cp --remove-destination "$(readlink -f {here})" {here}'
        yield Finding(weight, "file-link", words, mend, one.path)
    elif one.kind == "link":
        words = f"{name} is a symbolic link; links are not followed, so nothing in that folder is read."
        yield Finding(weight, "file-link", words, f"Put the real folder in its place: rm {here}, then mv", one.path)
    elif one.kind == "other":
        words = f"{name} is a pipe, socket or device and not a file; it is not read."
        yield Finding(weight, "file-odd", words, away, one.path)
    elif one.kind == "directory":
        yield Finding(weight, "file-folder", f"{name} is a folder with the name of a document.", away, one.path)
    elif one.links > 1:
        words = (
            f"{name} has {one.links} names (hard links); it is not read, because a change here would change it there."
        )
        mend = f"Make it a file of its own: {command('cp', whole, whole + '.new')} && {command('mv', whole + '.new', whole)}"
        yield Finding(weight, "file-hard-link", words, mend, one.path)
    elif one.size > READ_LIMIT:
        words = f"{name} has {megabytes(one.size)}; what is beyond {megabytes(READ_LIMIT)} is not read, and it cannot be changed."
        yield Finding(weight, "file-large", words, "Split it into several files.", one.path)


def check_text(case: Case) -> Iterator[Finding]:
    harmless = defaultdict[str, list[str]](list)
    yield from case.documents.troubles
    for path, data in case.documents.read.items():
        yield from _check_bytes(path, data)
        windows, ends = data.count(b"\r\n"), data.count(b"\n")
        if data.startswith(BOM):
            harmless["text-bom"].append(path)
        if windows < data.count(b"\r") or 0 < windows < ends:
            harmless["text-line-ends"].append(path)
        elif windows:
            harmless["text-windows"].append(path)
    for code, what in _HARMLESS.items():
        if paths := harmless[code]:
            words = f"{listed(paths)} {what if len(paths) == 1 else f'({len(paths)} files): each {what}'}; it is read and kept so."
            yield note(code, words, _AS_UNIX, paths[0])


def _check_bytes(path: str, data: bytes) -> Iterator[Finding]:
    weight: Severity = "error" if place(path).injected else "warning"
    if data.startswith(_WIDE):
        words = f"{shown(path)} is UTF-16 and not UTF-8; it reads as noise."
        yield Finding(weight, "text-utf16", words, "Save it as UTF-8 in your editor.", path)
        return
    if (at := data.find(b"\0")) >= 0:
        line, found = _line(data, at), counted(data.count(0), "NUL byte")
        words = f"{shown(path)} holds {found}, the first at byte {at}, line {line}."
        yield Finding(weight, "text-nul", words, f"Take it out of line {line}, or undo the change: everself log", path)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        # the reading limit may have cut the last character
        if wrong.start < READ_LIMIT - 4:
            line = _line(data, wrong.start)
            words = (
                f"{shown(path)} is not valid UTF-8 at byte {wrong.start}, line {line}; what cannot be read shows as �."
            )
            yield Finding(weight, "text-utf8", words, f"Retype line {line} and save the file as UTF-8.", path)
    if len(data) > LONG_LINE:
        number, longest = max(enumerate(map(len, data.split(b"\n")), 1), key=lambda line: line[1])
        if longest > LONG_LINE:
            words = f"Line {number} of {shown(path)} has {megabytes(longest)}; it can only be found as one chunk."
            yield warning("line-long", words, f"Break line {number} into several.", path)


def check_conflicts(case: Case) -> Iterator[Finding]:
    """Unresolved merge conflicts: both sides would be read as memory."""
    for path, data in case.documents.read.items():
        lines = data.split(b"\n") if b"<<<<<<< " in data and b">>>>>>> " in data else ()
        opened = middle = 0
        for number, line in enumerate(lines, 1):
            # all three markers in order at line starts, so that a text about git does not match
            if line.startswith(b"<<<<<<< "):
                opened, middle = number, 0
            elif opened and line.rstrip(b"\r") == b"=======":
                middle = number
            elif opened and middle and line.startswith(b">>>>>>> "):
                weight: Severity = "error" if place(path).injected else "warning"
                words = (
                    f"{shown(path)} holds both sides of a merge that was not decided, in lines {opened} to {number}."
                )
                mend = f"Keep one side and remove the marks: {command('$EDITOR', f'{case.agent.workspace}/{path}')}"
                yield Finding(weight, "merge-conflict", words, mend.replace("'$EDITOR'", "$EDITOR"), path)
                break


def check_identity(case: Case) -> Iterator[Finding]:
    data = case.documents.read.get("IDENTITY.md")
    lines = () if data is None else data.decode("utf-8", "replace").replace("*", "").replace("：", ":").splitlines()
    labels = (line.lstrip("-+ \t").partition(":")[0].strip().lower() for line in lines if ":" in line)
    if data is not None and not any(label in _LABELS for label in labels):
        words = "IDENTITY.md has no line such as “- **Name:** Ada”, so the agent is called Assistant."
        yield warning(
            "identity-unlabelled", words, "Add lines for Name, Creature, Vibe, Emoji and Avatar.", "IDENTITY.md"
        )


def check_structure(case: Case) -> Iterator[Finding]:
    """Unclosed Markdown blocks, and entry comments without effect."""
    seen: dict[str, str] = {}
    # shorter names first: folder synchronisation extends the name of a copy
    for path, data in sorted(case.changed.items(), key=lambda one: (len(one[0]), one[0])):
        if b"```" in data or b"~~~" in data or _COMMENT in data:
            from everself.text.markdown.blocks import scan

            scanned = scan(data)
            yield from _check_open(path, scanned)
            if _OURS in data:
                yield from _check_entries(path, scanned, seen)


def _check_open(path: str, scanned: "Scan") -> Iterator[Finding]:
    from everself.text.markdown.blocks import BlockKind

    if scanned.closer:
        last = next(block for block in reversed(scanned.blocks) if block.kind is not BlockKind.BLANK)
        what = "code block" if last.kind is BlockKind.FENCE else "comment"
        words = (
            f"The {what} that opens in line {last.first_line} of {shown(path)} is never closed; it swallows the rest."
        )
        mend = f"Put {scanned.closer.decode('ascii', 'replace')} on a line where it should end."
        yield warning("markdown-open", words, mend, path)


def _check_entries(path: str, scanned: "Scan", seen: dict[str, str]) -> Iterator[Finding]:
    from everself.text.markdown.blocks import BlockKind
    from everself.text.markdown.comment import parse_comment
    from everself.text.markdown.entries import entries

    data = scanned.data
    commented = {span.comment.start: span for span in entries(scanned) if span.comment is not None}
    copied = Counter[str]()
    for start, span in commented.items():
        identity, here = span.comment.comment.id if span.comment else "", f"{shown(path)} line {_line(data, start)}"
        if identity and seen.setdefault(identity, here) != here:
            original = seen[identity].rpartition(" line ")[0]
            if original != shown(path) and _is_copy(original, shown(path)):
                copied[original] += 1
                continue
            words = f"The entry id {shown(identity)} is used twice: {seen[identity]} and {here}."
            yield warning("entry-twice", words, "Remove the comment of the copy; it gets an id of its own.", path)
    for original, count in copied.items():
        words = f"{shown(path)} looks like a copy of {original} ({counted(count, 'entry id')} in both)."
        words += " The original keeps them; the copy is not vouched for."
        yield warning(
            "document-copy", words, "Move what only the copy says to the original, then delete the copy.", path
        )
    code = [(one.start, one.end) for one in scanned.blocks if one.kind in (BlockKind.FENCE, BlockKind.CODE)]
    at = data.find(_COMMENT)
    while at >= 0:
        ours = data[at + len(_COMMENT) : at + 64].lstrip(b" \t").startswith(_OURS)
        if ours and at not in commented and not any(first <= at < end for first, end in code):
            end = data.find(b"-->", at)
            comment = parse_comment(data[at : end + 3]) if end >= 0 else None
            why = (
                "cannot be read and counts as plain text" if comment is None else "ends no entry and carries no weight"
            )
            # the header comment of an archived copy belongs to no entry by design
            if comment is None or not comment.get("copy-of"):
                line = _line(data, at)
                words = f"The everself comment in line {line} of {shown(path)} {why}."
                yield note("comment-odd", words, f"Remove it from line {line}, or leave it.", path)
        at = data.find(_COMMENT, at + 1)


def _is_copy(original: str, path: str) -> bool:
    """Whether a name is another name with a suffix before the extension."""
    stem, dot, ending = original.rpartition(".")
    return bool(dot) and path.startswith(stem) and path.endswith(f".{ending}")


def check_rest(case: Case) -> Iterator[Finding]:
    read, left = case.documents.read, case.documents.left
    if left:
        words = f"Of {left + len(read):,} documents {left:,} were not read, to stay quick; the newest were."
        yield note("documents-left", words, "Nothing needs to be done; archive old days to have fewer.")
    unsearched = sum(case.templates.get(path) != data for path, data in read.items()) - len(case.changed)
    if unsearched:
        words = (
            f"Not searched for secrets, open fences and doubled ids, to stay quick: {counted(unsearched, 'document')}."
        )
        yield note("documents-unsearched", words, "Nothing needs to be done; the newest were searched.")


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
