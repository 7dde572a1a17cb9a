"""A cache of arrays that take long to compute, in one memory-mapped file.

One folder per model and version: `arrays-….bin`, named by its content, and `manifest.json`, written last. A reader trusts the manifest
and the file size; the content is verified after writing and by `find_damage`. If the folder cannot be written, the arrays are computed
each time. Does not know what the arrays mean.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from everself.errors import LockTimeout
from everself.frozen import Frozen
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.storage.folders import remove_folder
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.writes import discard, write_all, write_new
from everself.values import digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

_MANIFEST = "manifest.json"
_LOCK = "lock"
_TEMPORARY = f"{TEMPORARY_PREFIX}preparing"
_FORMAT = 1
# alignment of rows for vector instructions
_ALIGNED = 64
_TYPES = frozenset({"|u1", "<i4", "<u4", "<f4", "<f8"})
# preparing takes seconds; a process that waited this long computes the arrays itself
_WAIT = 15.0
# one older version is kept for another environment that may still use it
_KEPT = 1


class _Row(Frozen):
    name: str
    type: str
    shape: tuple[int, ...]
    offset: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)


class _Manifest(Frozen):
    file: str
    size: int
    sha256: str
    rows: tuple[_Row, ...]


def open_prepared(cache: str, name: str, make: Callable[[], "Arrays"]) -> "Arrays":
    """The arrays with that name: mapped if prepared, else computed and stored, or only computed if they cannot be stored."""
    folder = os.path.join(cache, name)
    found = _load(folder)
    if found is not None:
        return found
    try:
        RealFileSystem(folder).make_directory("")
        with FileLock(os.path.join(folder, _LOCK)).hold(_WAIT):
            found = _load(folder, thoroughly=True)
            if found is not None:
                return found
            arrays = make()
            try:
                _save(folder, arrays)
                _drop_older(cache, name)
            except OSError:
                return arrays
            return _load(folder, thoroughly=True) or arrays
    except (OSError, LockTimeout):
        return make()


def is_prepared(cache: str) -> bool:
    """Whether anything is prepared yet; if not, the first use takes a few seconds longer."""
    if not os.path.isdir(cache):
        return False
    return any(os.path.exists(os.path.join(cache, name, _MANIFEST)) for name in os.listdir(cache))


def find_damage(cache: str) -> tuple[str, ...]:
    """Folders whose content differs from what was written. Reads every byte; removed folders are prepared again on the next use."""
    if not os.path.isdir(cache):
        return ()
    folders = [os.path.join(cache, name) for name in sorted(os.listdir(cache))]
    kept = [folder for folder in folders if os.path.exists(os.path.join(folder, _MANIFEST))]
    return tuple(folder for folder in kept if _load(folder, thoroughly=True) is None)


def remove_damage(cache: str) -> tuple[str, ...]:
    """Remove damaged folders; the next use prepares them again."""
    found = find_damage(cache)
    for folder in found:
        remove_folder(folder)
    return found


def _load(folder: str, *, thoroughly: bool = False) -> "Arrays | None":
    """The mapped arrays; None if they are missing or do not match the manifest."""
    import numpy

    try:
        files = RealFileSystem(folder)
        manifest = _read_manifest(files.read(_MANIFEST))
        path = os.path.join(folder, manifest.file)
        found = files.stat(manifest.file)
        if found is None or found.kind != "file" or found.size != manifest.size:
            return None
        if thoroughly and _hash_of(path) != manifest.sha256:
            return None
        data = numpy.memmap(path, dtype=numpy.uint8, mode="r").view(numpy.ndarray)
        return {row.name: _cut(data, row) for row in manifest.rows}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _cut(data: "NDArray[Any]", row: _Row) -> "NDArray[Any]":
    import numpy

    return numpy.frombuffer(data, dtype=row.type, count=row.count, offset=row.offset).reshape(row.shape)


def _save(folder: str, arrays: "Arrays") -> None:
    """Write all or nothing: the manifest makes the arrays visible and is written last. The caller holds the lock."""
    files = RealFileSystem(folder)
    discard(files, [_TEMPORARY])
    rows: list[_Row] = []
    hashed = hashlib.sha256()
    size = 0
    handle = files.create(_TEMPORARY)
    try:
        for name, array in arrays.items():
            data = array.tobytes()
            rows.append(_Row(name, array.dtype.str, array.shape, size))
            data += bytes(-len(data) % _ALIGNED)
            write_all(handle, data)
            hashed.update(data)
            size += len(data)
        handle.sync()
    except OSError:
        files.unlink(_TEMPORARY)
        raise
    finally:
        handle.close()
    manifest = _Manifest(f"arrays-{hashed.hexdigest()[:16]}.bin", size, hashed.hexdigest(), tuple(rows))
    files.rename(_TEMPORARY, manifest.file)
    write_new(files, _TEMPORARY, _render_manifest(manifest))
    files.rename(_TEMPORARY, _MANIFEST)
    files.sync_directory("")
    discard(files, [one.path for one in files.list("") if one.path not in (manifest.file, _MANIFEST, _LOCK)])


def _render_manifest(manifest: _Manifest) -> bytes:
    rows = [[row.name, row.type, list(row.shape), row.offset] for row in manifest.rows]
    told = {"file": manifest.file, "size": manifest.size, "sha256": manifest.sha256, "arrays": rows}
    text = json.dumps(told, sort_keys=True)
    return json.dumps({"format": _FORMAT, "manifest": text, "sha256": digest(text.encode())}).encode()


def _read_manifest(data: bytes) -> _Manifest:
    """Parse a manifest. Raises ValueError, KeyError or TypeError if it is invalid."""
    outer = json.loads(data)
    text = outer["manifest"]
    if outer["format"] != _FORMAT or digest(text.encode()) != outer["sha256"]:
        raise ValueError("not the manifest that was written")
    told = json.loads(text)
    rows = tuple(_Row(name, type_, tuple(shape), offset) for name, type_, shape, offset in told["arrays"])
    if any(row.type not in _TYPES for row in rows):
        raise ValueError("an array of a type that is not kept")
    return _Manifest(told["file"], told["size"], told["sha256"], rows)


def _hash_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _drop_older(cache: str, name: str) -> None:
    """Remove the prepared arrays of other versions, except the newest."""
    model = name.partition("-")[0]
    files = RealFileSystem(cache)
    others = [one for one in files.list("") if one.path != name and one.path.startswith(f"{model}-")]
    others = sorted((one for one in others if one.kind == "directory"), key=lambda one: one.mtime_ns)
    for one in others[:-_KEPT]:
        remove_folder(os.path.join(cache, one.path))
