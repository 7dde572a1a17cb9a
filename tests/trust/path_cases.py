"""Hostile paths: every spelling of a way out that we could think of, and what may stand in a workspace that leads out of it.

Knows nothing of Everself. What a spelling means is decided here by its own few rules, not by the code that it is tried on.
"""

import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

# spelling: no file may ever be named so. through: the way to it passes a link or no folder. name: a link or an odd file.
# folder: a directory where a document should be. odd: strange, perhaps allowed; nothing outside may be touched all the same.
CaseKind = Literal["spelling", "through", "name", "folder", "odd"]
SECRET = "secret.md"
# never part of a path that is tried: whoever shows it has looked outside
ONLY_OUTSIDE = "only-outside-7f3a.md"
CANARY = b"CANARY-2b9e61 these words stand outside\n"


@dataclass(frozen=True, slots=True)
class Ground:
    """The folders of one trial: what is inside and what is not."""

    inside: Path
    outside: Path


def nothing(ground: Ground) -> None:
    del ground


@dataclass(frozen=True, slots=True)
class Case:
    """`build` puts what the path needs into the workspace."""

    path: str
    kind: CaseKind
    build: Callable[[Ground], None] = nothing
    label: str = ""

    def __str__(self) -> str:
        shown = ascii(self.path if len(self.path) < 120 else f"{self.path[:60]}… ({len(self.path)} characters)")
        return f"{shown} ({self.label or self.kind})"


DOTS = (
    *("..", "...", "....", ".. ", ". .", "..;", "..~", "..:", "..|", "\u200b..", "..\u200b", "\ufeff..", "\u202e.."),
    *(
        "%2e%2e",
        "%2E%2e",
        ".%2e",
        "%2e.",
        "%252e%252e",
        "%25252e%25252e",
        "%c0%ae%c0%ae",
        "%u002e%u002e",
        "%%32%65%%32%65",
    ),
    *("．．", "．.", "‥", "․․", "｡｡", "··", "%ef%bc%8e%ef%bc%8e", "&#46;&#46;", "\\x2e\\x2e", "\\u002e\\u002e"),
    *("..%00", "..%20", "..%0a", "..\0", "..\t", "..\n", "..\r"),
)
SLASHES = ("/", "\\", "//", "/./", "%2f", "%5c", "%252f", "%c0%af", "%u002f", "／", "∕", "＼", "\0/")
STARTS = (
    ".",
    "./",
    "/",
    "//",
    "///",
    "/.",
    "/..",
    "/../..",
    "~",
    "~/",
    "~root/",
    "$HOME/",
    "${HOME}/",
    "%HOME%/",
    "$(pwd)/",
)
DEVICES = ("con", "prn", "aux", "nul", "com1", "lpt9", "clock$", "conin$", "conout$", "COM¹", "LPT³")
OWN_NAMES = (
    *(
        ".everself-AAAAAAAAAAAA-0",
        ".everself-AAAAAAAAAAAA-0-old",
        ".everself-new",
        ".everself.lock",
        "memory/.everself-x",
    ),
    *(
        "write.lock",
        "history.lock",
        "journal/00000001-AAAAAAAAAAAA.intent",
        "journal",
        "history.git/HEAD",
        "history.git",
    ),
    *("state.db", "state.db-wal", "state.db-shm", "integrity.key", "everself.json5", "secrets.json", ".git/config"),
    *(".git/hooks/post-commit", ".ssh/authorized_keys", ".bashrc", ".env", ".obsidian/app.json", "__pycache__/x.pyc"),
)
SPELLINGS_OF_OURS = (
    *(
        "soul.md",
        "Soul.md",
        "SOUL.MD",
        "sOuL.mD",
        "ＳＯＵＬ.md",
        "SΟUL.md",
        "ЅOUL.md",
        "SOUL.md\u200b",
        "SOUL\u00ad.md",
        "S\u0307OUL.md",
    ),
    *(
        "memory.md",
        "Memory/x.md",
        "MEMORY/x.md",
        "me\u0301mory/x.md",
        "m\u00e9mory/x.md",
        "SOUL.md::$DATA",
        "SOUL.md:x",
        "SOUL~1.MD",
    ),
)
SHELL_TRICKS = (
    "-rf",
    "--",
    "-",
    "*",
    "?",
    "[a-z]*",
    "{a,b}",
    "`id`",
    "$(id)",
    "|id",
    ";id",
    "&id",
    ">x",
    "'x'",
    '"x"',
    "#x",
    "!x",
)


def is_never_a_name(path: str) -> bool:
    """By the letter: absolute, climbing, with an empty part, a backslash or a control character."""
    # the empty path means the root to whoever lists or syncs it
    parts = path.split("/") if path else []
    return (
        any(part in ("", ".", "..") for part in parts)
        or "\\" in path
        or any(unicodedata.category(character) == "Cc" for character in path)
    )


def spelled(path: str, label: str = "") -> Case:
    return Case(path, "spelling" if is_never_a_name(path) else "odd", label=label)


def spellings(ground: Ground) -> Iterator[Case]:
    """Paths that are hostile by their text alone."""
    outside = f"{ground.outside.name}/{SECRET}"
    for number, dots in enumerate(DOTS):
        # the first with every slash, the others with a few in turn: each dot and each slash is met often enough
        for slash in SLASHES if number == 0 else (SLASHES[0], *SLASHES[1 + number % 3 :: 3]):
            yield spelled(f"{dots}{slash}{outside.replace('/', slash)}", "climbs")
        yield spelled(f"memory/{dots}/{dots}/{outside}", "climbs from a folder")
        yield spelled(f"memory/{dots}", "ends in dots")
    for start in STARTS:
        yield spelled(f"{start}{outside}", "begins elsewhere")
        yield spelled(f"{start}..{os.sep}{outside}", "begins elsewhere")
    absolute = str(ground.outside / SECRET)
    for path in (
        absolute,
        f"/{absolute}",
        f"//{absolute}",
        f"/proc/self/root{absolute}",
        f"/proc/self/cwd/../{outside}",
    ):
        yield spelled(path, "absolute")
    for prefix in (
        "file://",
        "file:",
        "C:",
        "c:/",
        "C:\\",
        "\\\\?\\",
        "\\\\.\\",
        "\\\\host\\share\\",
        "//host/share/",
        "memory/",
    ):
        yield spelled(f"{prefix}{absolute}", "absolute in another tongue")
    yield from _strange_characters()
    yield from _strange_names()
    yield from _sizes()


def _strange_characters() -> Iterator[Case]:
    for code in (*range(0x20), *range(0x7F, 0xA0)):
        yield spelled(f"memory/a{chr(code)}b.md", "control character")
    for text in ("\0", "\0.md", "SOUL.md\0", "SOUL.md\0.txt", "..\0/x", "memory\0/../x.md", "\x1b[2J.md", "a\nb.md"):
        yield spelled(text, "control character")
    for code in (
        0x2028,
        0x2029,
        0x202A,
        0x202B,
        0x202C,
        0x202D,
        0x202E,
        0x2066,
        0x2067,
        0x2068,
        0x2069,
        0x200B,
        0x200D,
    ):
        yield spelled(f"memory/a{chr(code)}dm.exe", "invisible character")
    for text in ("\ud800.md", "a\udcff.md", "memory/\udc80/x.md", "..\udcc0\udcaf..", "\udfff", "x\ud83d.md"):
        yield spelled(text, "no Unicode")


def _strange_names() -> Iterator[Case]:
    for name in DEVICES:
        for path in (name, f"{name}.md", f"memory/{name.upper()}.txt", f"{name} .md"):
            yield spelled(path, "device of Windows")
    for ending in (".", "..", " ", "\u3000", "\u00a0", ". ", " ."):
        yield spelled(f"memory{ending}/x.md", "trailing dot or space")
        yield spelled(f"memory/x.md{ending}", "trailing dot or space")
    for path in (
        *OWN_NAMES,
        *(f"memory/{name}" for name in OWN_NAMES[:4]),
        *(f"../state/{name}" for name in OWN_NAMES),
    ):
        yield spelled(path, "a name of ours")
    for path in SPELLINGS_OF_OURS:
        yield spelled(path, "another spelling")
    for path in (*SHELL_TRICKS, "0" * 40, "f" * 64, "HEAD", "main", "last", "refs/heads/main", "0123456789AB"):
        yield spelled(path, "a word with a meaning elsewhere")
    for path in (
        "",
        "/",
        ".",
        "./",
        "..",
        "../",
        "//",
        "memory/",
        "memory//x.md",
        "memory/./x.md",
        "./SOUL.md",
        "SOUL.md/",
    ):
        yield spelled(path, "nothing or a folder")


def _sizes() -> Iterator[Case]:
    for name in ("a" * 252, "a" * 253, "茶" * 84, "茶" * 85, "😀" * 64, "a" * 5_000, "a" * 1_000_000):
        yield spelled(f"{name}.md", "length of a name")
    for depth in (20, 513, 2_000, 100_000):
        yield spelled("a/" * depth + "x.md", "depth")
    yield spelled("../" * 100 + "x.md", "depth")
    yield spelled("memory/../" * 90 + "x.md", "depth")
    yield spelled("b" * 200 + ("/" + "b" * 200) * 30, "length of a path")


def linked(name: str, target: str, *rest: str, label: str) -> Iterator[Case]:
    """A link of that name, tried itself and with paths that go on beyond it."""

    def build(ground: Ground) -> None:
        place = ground.inside / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target.format(outside=ground.outside, inside=ground.inside))

    yield Case(name, "name", build, label)
    for path in rest:
        yield Case(path, "spelling" if is_never_a_name(path) else "through", build, label)


def scenery(ground: Ground, descriptor: int) -> Iterator[Case]:
    """Paths that are hostile because of what stands there. `descriptor` is an open one of the folder outside."""
    for way in ("{outside}", f"../{ground.outside.name}"):
        beyond = [f"memory/linked/{name}" for name in (SECRET, "new.md", "folder", "folder/new.md", "new/new.md")]
        yield from linked(
            "memory/link.md", f"{way}/{SECRET}" if way[0] == "{" else f"../{way}/{SECRET}", label="link to a file"
        )
        yield from linked("memory/linked", way if way[0] == "{" else f"../{way}", *beyond, label="link to a folder")
        yield from linked("SOUL.md", f"{way}/{SECRET}", "SOUL.md/x.md", label="link for a soul")
        yield from linked("new.md", f"{way}/new.md", label="dangling link")
        yield from linked("newer.md", f"{way}/none/none.md", "newer.md/x.md", label="dangling link")
        yield from linked("empty.md", f"{way}/empty.md", label="link to an empty file")
    yield from linked("alias", "memory", "alias/x.md", "alias/topics/new.md", label="link inside")
    yield from linked("alias.md", "spare.md", label="link inside")
    yield from linked("nowhere.md", "missing.md", label="dangling link inside")
    yield from linked(
        "up", "..", f"up/{ground.outside.name}/{SECRET}", f"up/{ground.outside.name}/new.md", label="link upwards"
    )
    yield from linked(
        "here", ".", "here/here/spare.md", "here/new.md", f"here/../{ground.outside.name}/{SECRET}", label="link to ."
    )
    yield from linked("self", "self", "self/x.md", "self/self", label="loop")
    yield from linked("a", "a/a", "a/x.md", label="loop")
    yield from linked("a", "b/c", "a/x.md", label="dangling link")
    # nothing leads to a place where a file system that does follow links could do harm
    above = str(ground.outside.parent)
    yield from linked("above", above, f"above/outside/{SECRET}", "above/outside/new.md", label="link to what is above")
    if os.path.isdir("/proc/self/fd"):
        beyond = [f"proc{ground.outside}/{name}" for name in (SECRET, "new.md", "folder")]
        yield from list(linked("proc", "/proc/self/root", *beyond, label="magic link"))[1:]
        yield from linked("held", f"/proc/self/fd/{descriptor}", f"held/{SECRET}", "held/new.md", label="magic link")
    yield from _chains(ground)
    yield from _odd_files()


def _chains(ground: Ground) -> Iterator[Case]:
    def build(ground: Ground) -> None:
        (ground.inside / "first").symlink_to("second")
        (ground.inside / "second").symlink_to("memory/third")
        (ground.inside / "memory" / "third").symlink_to(ground.outside)

    del ground
    for path in ("first", "second", "memory/third"):
        yield Case(path, "name", build, "chain of links")
        yield Case(f"{path}/{SECRET}", "through", build, "chain of links")
        yield Case(f"{path}/new.md", "through", build, "chain of links")


def _odd_files() -> Iterator[Case]:
    for path in ("hard.md", "memory/hard.md"):
        yield Case(path, "name", partial(_join, path), "hard link")
        yield Case(path, "name", partial(_make, path, stat.S_IFIFO), "FIFO")
        yield Case(path, "name", partial(_make, path, stat.S_IFSOCK), "socket")
        yield Case(path, "folder", partial(_make, path, stat.S_IFDIR), "a folder")
        yield Case(path, "folder", partial(_make, f"{path}/x", stat.S_IFDIR), "a full folder")
        # others may not make devices; whoever may is tried with them
        if os.geteuid() == 0:
            yield Case(path, "name", partial(_make, path, stat.S_IFCHR, (1, 3)), "the device null")
            yield Case(path, "name", partial(_make, path, stat.S_IFCHR, (1, 5)), "the device zero")
    for path in ("spare.md/x.md", "spare.md/x/y.md", "memory/log.md/x.md"):
        yield Case(path, "odd", label="a file as a folder")


def _join(path: str, ground: Ground) -> None:
    os.link(ground.outside / "hard.md", ground.inside / path)


def _make(path: str, kind: int, *rest: tuple[int, int] | Ground) -> None:
    *device, ground = rest
    assert isinstance(ground, Ground)
    place = ground.inside / path
    if kind == stat.S_IFDIR:
        place.mkdir(parents=True)
        return
    number = os.makedev(*device[0]) if device and isinstance(device[0], tuple) else 0
    os.mknod(place, 0o600 | kind, number)


def lay_out(ground: Ground, more: Mapping[str, bytes] | None = None) -> None:
    """What is outside, with times long gone: whoever writes, lists or reads there changes them."""
    (ground.outside / "folder").mkdir(parents=True)
    for name in (SECRET, "hard.md", f"folder/{ONLY_OUTSIDE}", ONLY_OUTSIDE):
        (ground.outside / name).write_bytes(CANARY)
    for name, data in {"empty.md": b"", **(more or {})}.items():
        (ground.outside / name).write_bytes(data)
    for path in (*sorted(ground.outside.rglob("*"), reverse=True), ground.outside):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, ns=(LONG_AGO - 1, LONG_AGO))


LONG_AGO = 1_000_000_000 * 1_000_000_000
Seen = dict[str, tuple[int, int, int, int, int, bytes | None]]


def look(folder: Path, *, access: bool) -> Seen:
    """Every name beneath a folder with its kind, file, size, times and bytes. Looking leaves no trace."""
    quietly = getattr(os, "O_NOATIME", 0) if access else 0
    seen: Seen = {}
    folders = [str(folder)]
    while folders:
        here = folders.pop()
        descriptor = os.open(here, os.O_RDONLY | os.O_DIRECTORY | quietly)
        try:
            for name in (".", *os.listdir(descriptor)):
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                data = None
                if stat.S_ISREG(found.st_mode):
                    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | quietly, dir_fd=descriptor)
                    data = os.read(file, 1 << 16)
                    os.close(file)
                elif stat.S_ISDIR(found.st_mode) and name != ".":
                    folders.append(f"{here}/{name}")
                times = (found.st_mtime_ns, found.st_atime_ns if access else 0)
                seen[f"{here}/{name}"] = (found.st_mode, found.st_ino, found.st_size, *times, data)
        finally:
            os.close(descriptor)
    return seen


def tells_of_reading(folder: Path) -> bool:
    """Whether this file system notes when a file was read, and lets us look without being noted."""
    if not hasattr(os, "O_NOATIME"):
        return False
    probe = folder / "probe"
    probe.write_bytes(b"x")
    os.utime(probe, ns=(LONG_AGO - 1, LONG_AGO))
    look(folder, access=True)
    quiet = probe.stat().st_atime_ns == LONG_AGO - 1
    probe.read_bytes()
    noted = probe.stat().st_atime_ns != LONG_AGO - 1
    probe.unlink()
    return quiet and noted
