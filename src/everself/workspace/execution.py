"""Applies or reverts the steps of an intent. Every step can be repeated: recovery runs the same code.

A person may save a document at any moment. Their text is merged; if both changed the same lines, the person's text
stays and the change is undone. Files left by a crash or a full disk are recognised by name: a part may be torn and is
removed; any other file is whole, and is removed only if the journal or the document contains it as well. Handles steps
and files; the caller owns journal and ledger.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from everself.storage import writes
from everself.storage.filesystem import TEMPORARY_PREFIX, FileSystem, parent_of
from everself.storage.journal import Intent, Step
from everself.values import Conflict, FileStat, digest
from everself.workspace.merge import merge

# how often another writer may interfere before a conflict is reported
TRIES = 20


class Unmergeable(Exception):
    """The person and the change touched the same lines."""


def temporary(intent: Intent, number: int) -> str:
    """The temporary name of a step. It can be found again after a crash because nothing in it is random."""
    path = intent.steps[number].path
    folder = parent_of(path)
    return f"{folder + '/' if folder else ''}{TEMPORARY_PREFIX}{intent.id}-{number}"


def all_names(name: str) -> tuple[str, ...]:
    """Every name that a step may use, given its temporary name."""
    once = _folding(name)
    bases = (name, once, _folding(once))
    return tuple(made for one in bases for made in (one, writes.aside(one), writes.part(one)))


def _folding(name: str) -> str:
    return f"{name}-fold"


Hashes = tuple[str, str | None, str | None]


def carry_out(files: FileSystem, intent: Intent, *, again: bool = False) -> tuple[Hashes, ...] | Conflict:
    """Apply every step. Returns the hashes of each document before and after; on a conflict all steps are undone.

    `again`: an earlier attempt may have left files. An intent that was journalled a moment ago cannot have any.
    """
    done: list[Hashes] = []
    for number, step in enumerate(intent.steps):
        try:
            if again:
                _clear(files, step, temporary(intent, number), staged=intent.staged)
            now = _settle(files, step, temporary(intent, number))
        except Unmergeable:
            take_back(files, intent)
            return Conflict((step.path,))
        done.append((step.path, step.base, None if now is None else digest(now)))
    return tuple(done)


def take_back(files: FileSystem, intent: Intent) -> None:
    """Undo every applied step, keep what a person wrote since, and leave no temporary files."""
    for number, step in reversed(list(enumerate(intent.steps))):
        name = temporary(intent, number)
        try:
            _clear(files, step, name, staged=intent.staged)
            _settle(files, _reverse(step), name, undoing=step)
        except Unmergeable:
            # the person rewrote the same lines; their text stays
            continue
    for folder in reversed(intent.folders):
        found = files.stat(folder)
        if found is not None and found.kind == "directory" and not files.list(folder):
            files.remove_directory(folder)


def sweep(files: FileSystem, intent: Intent) -> None:
    """Remove the temporary files of a finished change: a power cut can restore a name whose removal was not synced."""
    names = [temporary(intent, number) for number in range(len(intent.steps))]
    writes.discard(files, [other for name in names for other in all_names(name)])
    for folder in {parent_of(name) for name in names}:
        if not folder or files.stat(folder) is not None:
            files.sync_directory(folder)


def _reverse(step: Step) -> Step:
    """The inverse step. An append is its own inverse here and is removed by its bytes, see `_without_append`."""
    if step.is_append:
        return step
    new = step.new
    return Step(step.path, None if new is None else digest(new), new, step.old)


def _clear(files: FileSystem, step: Step, name: str, *, staged: bool) -> None:
    with _unless_odd(files, step.path):
        for one in (_folding(_folding(name)), _folding(name), name):
            writes.discard(files, [writes.part(one)])
            _restore_aside(files, step, one)
            if one == name:
                _clear_temporary(files, step, name, staged=staged)
            elif files.stat(one) is not None:
                _fold(files, step, one)


def _settle(files: FileSystem, step: Step, name: str, undoing: Step | None = None) -> bytes | None:
    """Bring the document into the state that the step wants, durably. Returns its new content."""
    with _unless_odd(files, step.path):
        for _ in range(TRIES):
            now = writes.find(files, step.path)
            if undoing is not None and undoing.is_append:
                wanted = _without_append(undoing, now)
            elif step.is_append:
                wanted = _with_append(step, now)
            else:
                wanted = _merged(step.old, now, step.new)
            if wanted == now:
                _make_durable(files, step.path, now)
                return now
            differs = _act(files, step, now, wanted, name)
            if differs is None:
                return wanted
            if differs.older is not None:
                _fold(files, undoing or step, name)
    raise Unmergeable


@contextmanager
def _unless_odd(files: FileSystem, path: str) -> Iterator[None]:
    """Raise Unmergeable if a person replaced the document by a link or folder: they keep it, and there is nothing to merge with."""
    try:
        yield
    except OSError as error:
        if _is_odd(files.stat(path)):
            raise Unmergeable from error
        raise


def _is_odd(found: FileStat | None) -> bool:
    return found is not None and (found.kind != "file" or found.links > 1)


def _act(files: FileSystem, step: Step, now: bytes | None, wanted: bytes | None, name: str) -> writes.Differs | None:
    if wanted is None:
        return writes.remove(files, step.path, digest(now or b""), name)
    if now is None:
        return writes.create(files, step.path, wanted, name)
    if step.is_append and step.new is not None and wanted == now + step.new:
        return writes.append(files, step.path, step.new)
    return writes.replace(files, step.path, wanted, digest(now), name)


def _merged(old: bytes | None, now: bytes | None, new: bytes | None) -> bytes | None:
    if now in (new, old):
        return new
    # a document that one side removed or created cannot be merged line by line
    if now is None or old is None or new is None:
        raise Unmergeable
    result = merge(old, now, new)
    if result is None:
        raise Unmergeable
    return result


def _with_append(step: Step, now: bytes | None) -> bytes | None:
    data = step.new or b""
    if now is None:
        if step.base is not None:
            raise Unmergeable
        return step.header + data
    if step.base is None:
        whole = step.header + data
        return whole if _is_torn(now, whole) else now if data in now else now + data
    tail = now[step.offset :]
    if digest(now[: step.offset]) == step.base:
        if tail.startswith(data):
            return now
        return now[: step.offset] + data if _is_torn(tail, data) else now + data
    # the person changed the text before the offset, so search the whole document for the bytes
    return now if data in now else now + data


def _without_append(step: Step, now: bytes | None) -> bytes | None:
    data = step.new or b""
    if now is None:
        return None
    if step.base is None:
        whole = step.header + data
        return None if now == whole or _is_torn(now, whole) else now.replace(data, b"", 1)
    if digest(now[: step.offset]) == step.base:
        tail = now[step.offset :]
        if tail.startswith(data):
            return now[: step.offset] + tail[len(data) :]
        return now[: step.offset] if _is_torn(tail, data) else now
    return now.replace(data, b"", 1)


def _is_torn(tail: bytes, data: bytes) -> bool:
    """Whether these bytes are an unfinished write of ours: a beginning, perhaps with zeros in place of bytes."""
    if len(tail) > len(data) or tail == data:
        return False
    return all(have in (0, want) for have, want in zip(tail, data, strict=False))


def _clear_temporary(files: FileSystem, step: Step, name: str, *, staged: bool) -> None:
    """Remove a file that a crash left under the temporary name, but keep a text that an exchange had just taken from a person."""
    found = files.stat(name)
    if found is None:
        return
    there = files.stat(step.path)
    if there is not None and (there.device, there.inode) == (found.device, found.inode):
        # a file system without rename-noreplace links the file to its name first; only this name was still to be
        # removed
        files.unlink(name)
        return
    if _is_odd(found):
        _give_back(files, step, name, writes.find(files, step.path))
        return
    left = writes.find(files, name) or b""
    ours = left in _ours(step) or (not staged and any(_is_torn(left, one) for one in _ours(step)))
    if _is_odd(there):
        # text that is not in the journal stays there, where doctor finds it
        if ours:
            files.unlink(name)
        raise Unmergeable
    if ours:
        files.unlink(name)
        return
    if step.old is not None and step.new is not None and writes.find(files, step.path) == step.new:
        # an exchange took a text that a person had just saved: put it back and merge it as usual
        files.exchange(name, step.path)
        files.sync_directory(parent_of(step.path))
    _fold(files, step, name)


def _ours(step: Step) -> tuple[bytes, ...]:
    """The contents of a temporary file that the journal contains as well."""
    whole = step.header + (step.new or b"") if step.is_append and step.base is None else None
    return tuple(one for one in (step.old, step.new, whole) if one is not None)


def _fold(files: FileSystem, step: Step, name: str) -> None:
    """Add to the document the lines that a person wrote into the file with the temporary name, unless it has them."""
    for _ in range(TRIES):
        left, now = writes.find(files, name), writes.find(files, step.path)
        if left is None:
            return
        if now is None:
            # renamed for removal, but a person had changed it: put it back
            try:
                files.publish(name, step.path)
            except FileExistsError:
                continue
            files.sync_directory(parent_of(step.path))
            return
        wanted = _with_lines(step, now, left)
        if wanted == now:
            files.unlink(name)
            return
        differs = writes.replace(files, step.path, wanted, digest(now), _folding(name))
        if differs is not None and differs.older is not None:
            _fold(files, step, _folding(name))
    raise Unmergeable


def _with_lines(step: Step, now: bytes, left: bytes) -> bytes:
    """The document with the person's lines from `left`: at their old position if that is known, otherwise at the end."""
    texts = list(_ours(step))
    if step.is_append and digest(left[: step.offset]) == step.base:
        # the text before the append is not in the journal, but its hash is
        texts.append(left[: step.offset])
    known = {line for text in texts for line in text.splitlines()}
    present = set(now.splitlines())
    own = [line for line in left.splitlines(keepends=True) if line.strip() and line.rstrip(b"\r\n") not in known]
    missing = [line for line in own if line.rstrip(b"\r\n") not in present]
    if not missing:
        return now
    merged = merge(step.old, now, left) if step.old is not None and missing == own else None
    if merged is not None and {line.rstrip(b"\r\n") for line in missing} <= set(merged.splitlines()):
        return merged
    gap = b"" if not now or now.endswith(b"\n") else b"\n"
    return now + gap + b"".join(missing)


def _give_back(files: FileSystem, step: Step, name: str, now: bytes | None) -> None:
    """Put back a link or folder: an exchange or removal took it because it had just replaced the document."""
    if step.base is not None and now is None:
        files.publish(name, step.path)
    else:
        if step.base is not None and now in (step.old, step.new):
            files.exchange(name, step.path)
        files.unlink(name)
    files.sync_directory(parent_of(step.path))


def _restore_aside(files: FileSystem, step: Step, name: str) -> None:
    """Undo an interrupted replacement in two steps: put the old file back if nothing else took its place."""
    old = writes.aside(name)
    if files.stat(old) is None:
        return
    if files.stat(step.path) is None:
        files.publish(old, step.path)
        files.sync_directory(parent_of(step.path))
    elif _is_odd(files.stat(old)) or writes.find(files, old) in _ours(step):
        files.unlink(old)
    elif _is_odd(files.stat(step.path)):
        raise Unmergeable
    else:
        # beside the set-aside file, the temporary name can only hold our own text
        files.rename(old, name)


def _make_durable(files: FileSystem, path: str, now: bytes | None) -> None:
    """Sync a document: a killed process may have written it without syncing, and an acknowledged change must survive a power cut."""
    if now is not None:
        handle = files.open_append(path)
        try:
            handle.sync()
        finally:
            handle.close()
    folder = parent_of(path)
    if not folder or files.stat(folder) is not None:
        files.sync_directory(folder)
