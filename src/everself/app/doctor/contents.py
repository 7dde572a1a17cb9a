"""What is wrong inside documents, or with the things that stand in their place. Never says how it could be meant: bytes stay."""

from collections import defaultdict
from collections.abc import Iterator

from everself.app.doctor.case import Case, is_markdown
from everself.app.doctor.words import command, counted, listed, megabytes, shown
from everself.disk.filesystem import READ_LIMIT
from everself.values import FileStat, Finding, Severity
from everself.workspace.layout import fold, place

LONG_LINE = 1_000_000
BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_FOLDERS = ("memory", "bank", "archive", "users", "projects", "agents", "soul_history", "quarantine")
_LABELS = ("name", "creature", "vibe", "emoji", "avatar")


def check_kinds(case: Case) -> Iterator[Finding]:
    """Names of documents that are no plain file with one name; all of them are refused when they are read."""
    for one in case.listing.found:
        whole = f"{case.agent.workspace}/{one.path}"
        away = f"Move it away: {command('mv', whole, whole + '.old')}"
        if one.kind == "link" and (is_markdown(one) or fold(one.path) in _FOLDERS):
            words = f"{shown(one.path)} is a symbolic link; links are not followed, so it is not read."
            mend = "Put the real one in its place: " + (
                f'{command("cp", "--remove-destination")} "$(readlink -f {command(whole)})" {command(whole)}'
                if is_markdown(one)
                else command("mv", "-n", "ORIGINAL", whole)
            )
            yield Finding(_weight(one), "file-link", words, mend, one.path)
        elif one.kind == "other" and is_markdown(one):
            words = f"{shown(one.path)} is no file but a pipe, socket or device; it is not read."
            yield Finding(_weight(one), "file-odd", words, away, one.path)
        elif one.kind == "directory" and is_markdown(one):
            words = f"{shown(one.path)} is a folder, though its name is that of a document."
            yield Finding(_weight(one), "file-folder", words, away, one.path)
        elif one.kind == "file" and one.links > 1 and is_markdown(one):
            words = f"{shown(one.path)} has {one.links} names (hard links), and a change here would change it there; it is not read."
            mend = f"Make it a file of its own: {command('cp', whole, whole + '.new')} && {command('mv', whole + '.new', whole)}"
            yield Finding(_weight(one), "file-hard-link", words, mend, one.path)
        elif one.kind == "file" and one.size > READ_LIMIT and is_markdown(one):
            words = f"{shown(one.path)} has {megabytes(one.size)}; only the first {megabytes(READ_LIMIT)} are read, and nothing is written to it."
            yield Finding(_weight(one), "file-large", words, "Split it into several files.", one.path)


def check_text(case: Case) -> Iterator[Finding]:
    """Bytes that are no clean text."""
    harmless = defaultdict[str, list[str]](list)
    yield from case.documents.troubles
    for path, data in case.documents.read.items():
        yield from _check_encoding(path, data)
        if data.startswith(BOM):
            harmless["bom"].append(path)
        windows, all_ends, returns = data.count(b"\r\n"), data.count(b"\n"), data.count(b"\r")
        if windows < returns or 0 < windows < all_ends:
            harmless["mixed"].append(path)
        elif windows:
            harmless["windows"].append(path)
        if len(data) > LONG_LINE:
            number, longest = max(enumerate(map(len, data.split(b"\n")), 1), key=lambda line: line[1])
            if longest > LONG_LINE:
                words = f"Line {number} of {shown(path)} has {megabytes(longest)}; it can only be found as one piece."
                yield Finding("warning", "line-long", words, f"Break line {number} into several.", path)
    for what, code, words in (
        ("bom", "text-bom", "begins with a byte order mark; harmless, and kept"),
        ("mixed", "text-line-ends", "mixes line ends of different systems; harmless, and kept"),
        ("windows", "text-windows", "has Windows line ends; harmless, and kept"),
    ):
        if harmless[what]:
            found = counted(len(harmless[what]), "file")
            yield Finding(
                "note",
                code,
                f"{listed(harmless[what])} ({found}): {words}.",
                "Nothing needs to be done; an editor can save it as plain UTF-8 with LF.",
                harmless[what][0],
            )


def _check_encoding(path: str, data: bytes) -> Iterator[Finding]:
    weight: Severity = "error" if place(path).injected else "warning"
    if data.startswith(_WIDE):
        words = f"{shown(path)} is UTF-16, not UTF-8; it reads as noise."
        yield Finding(weight, "text-utf16", words, "Save it as UTF-8 in your editor.", path)
        return
    if (at := data.find(b"\0")) >= 0:
        words = (
            f"{shown(path)} holds {counted(data.count(0), 'NUL byte')}, the first at byte {at}, line {_line(data, at)}."
        )
        yield Finding(weight, "text-nul", words, f"Take it out at line {_line(data, at)}, or undo: everself log", path)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        # the reading limit may have cut a character in two
        if error.start >= READ_LIMIT - 4:
            return
        line = _line(data, error.start)
        words = f"{shown(path)} is not valid UTF-8 at byte {error.start}, line {line}; what cannot be read shows as �."
        yield Finding(weight, "text-utf8", words, f"Retype line {line} and save the file as UTF-8.", path)


def check_identity(case: Case) -> Iterator[Finding]:
    data = case.documents.read.get("IDENTITY.md")
    if data is None:
        return
    lines = (line.strip().lower() for line in data.decode("utf-8", "replace").splitlines())
    bare = (line.lstrip("-*+ ").replace("*", "").replace("：", ":") for line in lines if line[:1] in ("-", "*", "+"))
    if not any(line.partition(":")[0].strip() in _LABELS for line in bare if ":" in line):
        words = "IDENTITY.md has no line such as “- **Name:** Ada”, so the agent is called Assistant."
        yield Finding(
            "warning", "identity-unlabelled", words, "Add lines for Name, Creature, Vibe, Emoji, Avatar.", "IDENTITY.md"
        )


def check_rest(case: Case) -> Iterator[Finding]:
    """Say what was not looked at."""
    left = case.documents.left
    if left:
        words = (
            f"{counted(left, 'document')} of {left + len(case.documents.read):,} were not read: the newest come first."
        )
        yield Finding("note", "documents-left", words, "Nothing needs to be done; archive old days to have fewer.")
    scanned = sum(case.templates.get(path) != data for path, data in case.documents.read.items()) - len(case.changed)
    if scanned:
        words = f"{counted(scanned, 'document')} {'was' if scanned == 1 else 'were'} not searched for secrets, open fences and doubled ids, to stay quick."
        yield Finding("note", "documents-unsearched", words, "Nothing needs to be done; the newest are searched first.")


def _weight(one: FileStat) -> Severity:
    return "error" if place(one.path).injected or fold(one.path) == "memory" else "warning"


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
