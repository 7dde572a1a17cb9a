"""Fences around the world outside: one reader of time, one of the environment, one writer of files.

They see names, not types: a call on a value counts where the method's name can mean a file and nothing else.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.architecture.package_rules import (
    CLOCK,
    DISK,
    ENVIRONMENT,
    HOMES,
    INDEX_WRITER,
    LOGS,
    SPEAKING,
    WITHOUT_PATHS,
)
from tests.architecture.sources import Module, Violation

Tree = Sequence[Module]

TIME = (
    "time",
    "tzlocal",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "os.times",
    "uuid.uuid1",
    "email.utils.localtime",
    "email.utils.formatdate",
)
ENVIRONMENT_NAMES = (
    "os.environ",
    "os.environb",
    "os.getenv",
    "os.getenvb",
    "os.putenv",
    "os.unsetenv",
    "os.getlogin",
    "os.path.expanduser",
    "os.path.expandvars",
    "posixpath.expanduser",
    "posixpath.expandvars",
    "pathlib.Path.home",
    "getpass.getuser",
    "pwd",
    "dotenv",
    "platformdirs",
)
WRITING = (
    "os.chflags",
    "os.chmod",
    "os.chown",
    "os.copy_file_range",
    "os.fchmod",
    "os.fchown",
    "os.fdatasync",
    "os.fsync",
    "os.ftruncate",
    "os.lchmod",
    "os.lchown",
    "os.link",
    "os.makedirs",
    "os.mkdir",
    "os.mkfifo",
    "os.mknod",
    "os.posix_fallocate",
    "os.pwrite",
    "os.pwritev",
    "os.remove",
    "os.removedirs",
    "os.removexattr",
    "os.rename",
    "os.renames",
    "os.replace",
    "os.rmdir",
    "os.sendfile",
    "os.setxattr",
    "os.symlink",
    "os.sync",
    "os.truncate",
    "os.unlink",
    "os.utime",
    "os.write",
    "os.writev",
    "shutil",
    "tempfile",
    "fileinput",
    "zipfile",
    "tarfile",
)
OPENERS = ("io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "os.fdopen")
# Methods of a path that nothing else has, and methods that `storage`'s own file system has as well: those count
# only in a module that holds paths of its own.
PATH_ONLY = frozenset({"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "lchmod"})
PATH_TOO = frozenset({"chmod", "mkdir", "rename", "rmdir", "unlink"})
WRITE_FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC", "O_TMPFILE")
PATHS = (
    "pathlib",
    "os.path",
    "posixpath",
    "ntpath",
    "genericpath",
    "glob",
    "os.PathLike",
    "os.access",
    "os.chdir",
    "os.fspath",
    "os.fstat",
    "os.getcwd",
    "os.listdir",
    "os.lstat",
    "os.open",
    "os.path",
    "os.readlink",
    "os.scandir",
    "os.stat",
    "os.statvfs",
    "os.walk",
    "os.fwalk",
)


def _matches(name: str, wanted: Sequence[str]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in wanted)


def _found(rule: str, module: Module, wanted: Sequence[str], words: str) -> Iterator[Violation]:
    seen: set[tuple[int, str]] = set()
    for use in module.uses:
        if _matches(use.name, wanted) and (use.line, use.name) not in seen:
            seen.add((use.line, use.name))
            yield Violation(rule, module.file, use.line, f"{use.name}: {words}", item=use.name)


def _calls(module: Module) -> tuple[ast.Call, ...]:
    return module.calls


def time(tree: Tree) -> Iterator[Violation]:
    """Only `clock` reads time."""
    for module in tree:
        if module.package == CLOCK:
            continue
        yield from _found("time", module, TIME, "only clock reads time")
        for call in _calls(module):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "time" and _is_loop(call.func.value):
                yield Violation(
                    "time", module.file, call.lineno, "a loop's time: only clock reads time", item="loop.time"
                )


def _is_loop(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.endswith("loop")


def environment(tree: Tree) -> Iterator[Violation]:
    """Only `config` reads the environment and knows where home is."""
    for module in tree:
        if module.package == ENVIRONMENT:
            continue
        yield from _found("environment", module, ENVIRONMENT_NAMES, "only config reads the environment")
        for call in _calls(module):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "expanduser" and not module.dotted(call.func):
                words = "expanduser: only config knows where home is"
                yield Violation("environment", module.file, call.lineno, words, item="expanduser")


def files(tree: Tree) -> Iterator[Violation]:
    """Only `storage` writes files."""
    for module in tree:
        if module.package == DISK:
            continue
        yield from _found("files", module, WRITING, "only storage writes files")
        for call in _calls(module):
            if item := _writes(module, call):
                yield Violation("files", module.file, call.lineno, f"{item}: only storage writes files", item=item)


def _writes(module: Module, call: ast.Call) -> str:
    """What a call writes with, or nothing where it does not write."""
    name = module.dotted(call.func)
    if name == "os.open":
        return "" if _only_reads(call) else name
    if name in OPENERS or (isinstance(call.func, ast.Name) and call.func.id == "open" and not name):
        return (name or "open") if _writing_mode(call, 1) else ""
    if not isinstance(call.func, ast.Attribute) or name.startswith("os."):
        return ""
    method = call.func.attr
    if method in PATH_ONLY:
        return method
    holds_paths = any(_matches(use.name, ("pathlib",)) for use in module.uses)
    if not holds_paths:
        return ""
    if method in PATH_TOO:
        return method
    # str.replace takes two arguments, datetime.replace only named ones; with a single one it is a path's
    if method == "replace" and len(call.args) == 1 and not call.keywords and not name:
        return method
    return method if method == "open" and not name and _writing_mode(call, 0) else ""


def _writing_mode(call: ast.Call, place: int) -> bool:
    given = [word.value for word in call.keywords if word.arg == "mode"]
    given += call.args[place : place + 1]
    if not given:
        return False
    mode = given[0].value if isinstance(given[0], ast.Constant) else None
    return not isinstance(mode, str) or any(letter in mode for letter in "wax+")


def _only_reads(call: ast.Call) -> bool:
    flags = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "flags")]
    written = ast.unparse(flags[0]) if flags else ""
    return "O_" in written and not any(flag in written for flag in WRITE_FLAGS)


def paths(tree: Tree) -> Iterator[Violation]:
    """Above `workspace` nobody holds a path, not even in an annotation."""
    for module in tree:
        if module.package not in WITHOUT_PATHS:
            continue
        yield from _found("paths", module, PATHS, "above workspace nobody holds a path")
        for call in _calls(module):
            if isinstance(call.func, ast.Name) and call.func.id == "open":
                yield Violation(
                    "paths", module.file, call.lineno, "open: above workspace nobody holds a path", item="open"
                )


def homes(tree: Tree) -> Iterator[Violation]:
    """A library with a home is imported there and nowhere else."""
    for module in tree:
        imported = (use for use in module.uses if isinstance(use.node, ast.Import | ast.ImportFrom))
        for use in imported:
            library = use.name.split(".")[0]
            packages = HOMES.get(library)
            if packages is not None and module.package not in packages:
                home = " and ".join(packages) or "nowhere"
                yield Violation("homes", module.file, use.line, f"{library} is at home in {home}", item=library)


def regular_expressions(tree: Tree) -> Iterator[Violation]:
    """Patterns that meet a person's text are RE2; `re` can be made to run for ever."""
    for module in tree:
        for use in module.uses:
            if isinstance(use.node, ast.Import | ast.ImportFrom) and use.name.split(".")[0] in ("re", "regex"):
                yield Violation("re", module.file, use.line, "use re2, which is linear in the text", item="re")


def printing(tree: Tree) -> Iterator[Violation]:
    """Only the interfaces speak to a person."""
    for module in tree:
        if module.package in SPEAKING:
            continue
        for call in _calls(module):
            if isinstance(call.func, ast.Name) and call.func.id in ("print", "input", "breakpoint"):
                words = f"{call.func.id}: only interfaces speak to a person"
                yield Violation("printing", module.file, call.lineno, words, item=module.inside(call.lineno))


def log_records(tree: Tree) -> Iterator[Violation]:
    """Loggers come from `logs`, which redacts. A record is a fixed sentence, and never holds the message of an exception."""
    for module in tree:
        if module.package != LOGS:
            yield from _found("logs", module, ("logging.getLogger",), "take the logger of everself.logs")
        caught = {node.name for node in module.nodes if isinstance(node, ast.ExceptHandler) and node.name}
        for call in _calls(module):
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
                words = _log_fault(call, call.func.attr, caught) if call.func.value.id == "_log" else ""
                if words:
                    yield Violation("logs", module.file, call.lineno, words, item=module.inside(call.lineno))


def _log_fault(call: ast.Call, method: str, caught: set[str]) -> str:
    if method == "exception" or any(word.arg in ("exc_info", "stack_info") for word in call.keywords):
        return "a trace quotes texts: log the type of the exception"
    sentence, *values = call.args[1:] if method == "log" else call.args
    if not isinstance(sentence, ast.Constant):
        return "a record is a fixed sentence with values"
    if any(isinstance(value, ast.Name) and value.id in caught for value in values):
        return "the message of an exception quotes texts: log its type"
    return ""


def index_rows(top: Path, tables: frozenset[str]) -> Iterator[Violation]:
    """Only `search.sync` changes rows of the index, in Python strings and in `.sql` files alike."""
    if not tables:
        return
    change = re.compile(
        rf"\b(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update(?:\s+or\s+\w+)?|delete\s+from)\s+[\"`\[]?"
        rf"({'|'.join(sorted(map(re.escape, tables)))})\b",
        re.IGNORECASE,
    )
    for path in sorted(top.rglob("*")):
        file = path.relative_to(top).as_posix()
        if path.suffix not in (".py", ".sql") or file.startswith((f"{INDEX_WRITER}.", f"{INDEX_WRITER}/")):
            continue
        text = path.read_text("utf-8")
        for hit in change.finditer(text):
            line = text.count("\n", 0, hit.start()) + 1
            yield Violation("index-rows", file, line, f"only search.sync changes rows of {hit[1]}", item=hit[1])
