"""The backup archive: a `.tar.gz` in one exact form, so that reading it verifies every bit.

Deflate has bits that no inflater reads (the padding before a stored block, the rest of the last byte), so neither the
CRC nor the hashes of the contents detect a flip there. Therefore a second, empty gzip member follows the first; its
comment holds the SHA-256 of everything before it, and every tar and gzip skips it. The caller tells the reader which
members to expect, and the reader compares their headers byte by byte: it parses nothing that an attacker could have
crafted. Handles members and bytes, not their meaning.
"""

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.storage.filesystem import Handle
from everself.storage.writes import write_all

CHUNK = 1 << 20
BLOCK = 512
TAR_END = bytes(2 * BLOCK)
# deflate, no flags, no time, no extra flags, unknown system: identical on every machine
GZIP_HEAD = bytes.fromhex("1f8b08000000000000ff")
GZIP_TAIL_BYTES = 8
# The highest ratio that deflate can reach; a file that claims more is forged.
LARGEST_RATIO = 1032

# Numeric fields of a ustar header are octal digits in twelve bytes, the last a NUL.
_LARGEST_SIZE = 8**11 - 1
_NAME_BYTES = 100
_SIZE_FIELD = slice(124, 136)


class Member(Frozen):
    """One file of an archive. `mtime` is in whole seconds."""

    path: str
    size: int
    mode: int = 0o600
    mtime: int = 0


def render_head(member: Member) -> bytes:
    """The tar header of a member, preceded by a pax header if the name or size does not fit into ustar."""
    name = member.path.encode()
    records = b""
    if len(name) > _NAME_BYTES or not name.isascii():
        records += _pax_record("path", name)
        name = member.path.encode("ascii", "replace")[:_NAME_BYTES]
    size = member.size
    if size > _LARGEST_SIZE:
        records += _pax_record("size", str(size).encode())
        size = 0
    mtime = min(max(member.mtime, 0), _LARGEST_SIZE)
    head = _ustar(name, size, member.mode, mtime, b"0")
    if not records:
        return head
    return _ustar(b"PaxHeaders/member", len(records), 0o600, mtime, b"x") + records + _padding(len(records)) + head


def seal(hashed: str) -> bytes:
    """The empty gzip member that ends an archive; `hashed` is the SHA-256 of everything before it."""
    comment = f"everself sha256 {hashed}".encode() + b"\0"
    # FCOMMENT is the only flag; the body is the shortest empty deflate stream
    return GZIP_HEAD[:3] + b"\x10" + GZIP_HEAD[4:] + comment + b"\x03\x00" + bytes(GZIP_TAIL_BYTES)


SEAL_BYTES = len(seal("0" * 64))


class ArchiveWriter:
    """Writes members one after another into an open file; `finish` ends the archive and makes its bytes durable."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._hash = hashlib.sha256()
        self._crc = 0
        self._length = 0
        self._put(GZIP_HEAD)

    def add(self, member: Member, chunks: Iterable[bytes]) -> None:
        self._pack(render_head(member))
        size = 0
        for chunk in chunks:
            size += len(chunk)
            self._pack(chunk)
        if size != member.size:
            raise Damaged(f"{member.path} has {size} bytes instead of {member.size}.")
        self._pack(_padding(size))

    def finish(self) -> None:
        self._pack(TAR_END)
        self._put(self._deflate.flush() + _gzip_tail(self._crc, self._length))
        write_all(self._handle, seal(self._hash.hexdigest()))
        self._handle.sync()

    def _pack(self, data: bytes) -> None:
        self._crc = zlib.crc32(data, self._crc)
        self._length += len(data)
        self._put(self._deflate.compress(data))

    def _put(self, data: bytes) -> None:
        self._hash.update(data)
        write_all(self._handle, data)


class ArchiveReader:
    """Reads an archive once, from beginning to end. Raises Damaged for any byte that differs from what `ArchiveWriter` writes."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size - SEAL_BYTES - GZIP_TAIL_BYTES
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._hash = hashlib.sha256()
        self._crc = 0
        self._length = 0
        self._input = b""
        if self._left <= len(GZIP_HEAD):
            raise Damaged("The archive is too short.")
        if self._fetch(len(GZIP_HEAD)) != GZIP_HEAD:
            raise Damaged("The file is not an archive of Everself.")

    def first(self, path: str, limit: int) -> bytes:
        """The content of the first member, the only one whose size is not known in advance."""
        head = self._read(BLOCK)
        try:
            size = int(head[_SIZE_FIELD].rstrip(b"\0"), 8)
        except ValueError:
            size = -1
        # the mode and time of this member are fixed, so its size determines the whole header
        if size < 0 or head != render_head(Member(path, size)):
            raise Damaged(f"The archive does not begin with {path}.")
        if size > limit:
            raise Damaged(f"{path} claims {size} bytes.")
        data = b"".join(self._content(size))
        self._pad(path, size)
        return data

    def next(self, member: Member) -> Iterator[bytes]:
        """Yield the content of the member that must come next, in chunks. The caller must consume all of them."""
        head = render_head(member)
        if self._read(len(head)) != head:
            raise Damaged(f"The archive is damaged where {member.path} should start.")
        yield from self._content(member.size)
        self._pad(member.path, member.size)

    def finish(self) -> None:
        """Verify that the archive ends here and that all its bytes match the checksums."""
        if self._read(len(TAR_END)) != TAR_END or self._more(1):
            raise Damaged("The archive does not end where it should.")
        if not self._inflate.eof or self._inflate.unused_data or self._input or self._left:
            raise Damaged("The archive contains bytes that belong to no file.")
        tail = self._stream.read(GZIP_TAIL_BYTES)
        if tail != _gzip_tail(self._crc, self._length):
            raise Damaged("The checksum of the archive is wrong.")
        self._hash.update(tail)
        if self._stream.read(SEAL_BYTES + 1) != seal(self._hash.hexdigest()):
            raise Damaged("The checksum at the end of the archive does not match its content.")

    def _content(self, size: int) -> Iterator[bytes]:
        while size:
            chunk = self._read(min(size, CHUNK))
            size -= len(chunk)
            yield chunk

    def _pad(self, path: str, size: int) -> None:
        padding = _padding(size)
        if self._read(len(padding)) != padding:
            raise Damaged(f"The archive is damaged where {path} should end.")

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = self._more(size)
            if not part:
                raise Damaged("The archive ends too early.")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _more(self, limit: int) -> bytes:
        """The next decompressed bytes, at most `limit`; empty at the end."""
        while not self._inflate.eof:
            if not self._input:
                self._input = self._fetch(CHUNK)
            try:
                data = self._inflate.decompress(self._input, limit)
            except zlib.error as error:
                raise Damaged("The archive cannot be unpacked.") from error
            starved = not self._input
            self._input = self._inflate.unconsumed_tail
            if data:
                self._crc = zlib.crc32(data, self._crc)
                self._length += len(data)
                return data
            if starved:
                break
        return b""

    def _fetch(self, size: int) -> bytes:
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        self._hash.update(data)
        return data


def _ustar(name: bytes, size: int, mode: int, mtime: int, kind: bytes) -> bytes:
    fields = (
        name.ljust(_NAME_BYTES, b"\0"),
        b"%07o\0" % mode,
        b"%07o\0" % 0,
        b"%07o\0" % 0,
        b"%011o\0" % size,
        b"%011o\0" % mtime,
        b" " * 8,
        kind,
        bytes(100),
        b"ustar\x0000",
        bytes(64),
        b"%07o\0" % 0,
        b"%07o\0" % 0,
    )
    block = b"".join(fields).ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def _pax_record(key: str, value: bytes) -> bytes:
    body = b" " + key.encode() + b"=" + value + b"\n"
    # the length counts its own digits
    length = len(body) + len(str(len(body)))
    length = len(body) + len(str(length))
    return str(length).encode() + body


def _padding(size: int) -> bytes:
    return bytes(-size % BLOCK)


def _gzip_tail(crc: int, length: int) -> bytes:
    return crc.to_bytes(4, "little") + (length & 0xFFFFFFFF).to_bytes(4, "little")
