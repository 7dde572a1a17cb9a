"""Private key files: the encodings of real ones around random numbers that unlock nothing.

Every body line is a secret of its own, so that a text with half a key left in it counts as a leak.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TypeVar

from tests.corpora.secrets.chance import Chance, crc24, der

M = TypeVar("M")

RSA_ID = bytes.fromhex("300d06092a864886f70d0101010500")
EC_ID = bytes.fromhex("a00a06082a8648ce3d030107")


def integer(c: Chance, length: int) -> bytes:
    return der(2, b"\0" + bytes([c.among(128, 255)]) + c.raw(length - 1))


def rsa(c: Chance, length: int) -> bytes:
    half = length // 2
    parts = [integer(c, length), bytes.fromhex("0203010001"), integer(c, length)]
    return der(0x30, b"\x02\x01\0", *parts, *(integer(c, half) for _ in range(5)))


def openssh(c: Chance) -> bytes:
    def field(data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + data

    public = field(b"ssh-ed25519") + field(c.raw(32))
    check = c.raw(4)
    private = check + check + public + field(c.raw(64)) + field(b"mara@laptop")
    private += bytes(range(1, -len(private) % 8 + 1))
    none = field(b"none")
    return b"openssh-key-v1\0" + none + none + field(b"") + (1).to_bytes(4, "big") + field(public) + field(private)


def body_of(c: Chance) -> tuple[str, bytes, int]:
    shape = c.among(0, 5)
    if shape == 0:
        return "RSA PRIVATE KEY", rsa(c, c.pick((128, 256))), 64
    if shape == 1:
        return "PRIVATE KEY", der(0x30, b"\x02\x01\0", RSA_ID, der(4, rsa(c, 128))), 64
    if shape == 2:
        point = der(0xA1, der(3, b"\0\x04" + c.raw(64)))
        return "EC PRIVATE KEY", der(0x30, b"\x02\x01\x01", der(4, c.raw(32)), EC_ID, point), 64
    if shape == 3:
        return "PRIVATE KEY", bytes.fromhex("302e020100300506032b657004220420") + c.raw(32), 64
    if shape == 4:
        return "PGP PRIVATE KEY BLOCK", b"\x95\x03\x98\x04" + c.raw(440), 64
    return "OPENSSH PRIVATE KEY", openssh(c), 70


def armoured_key(make: Callable[[str, tuple[str, ...], tuple[tuple[str, str], ...]], M]) -> Callable[[Chance], M]:
    """A maker of key blocks; slot `escaped` holds the block on one line, with the two characters \\n for each break."""

    def made(c: Chance) -> M:
        label, data, width = body_of(c)
        text = base64.b64encode(data).decode()
        lines = [text[at : at + width] for at in range(0, len(text), width)]
        head = [f"-----BEGIN {label}-----"]
        if label.startswith("PGP"):
            head.append("")
            lines.append("=" + base64.b64encode(crc24(data)).decode())
        block = [*head, *lines, f"-----END {label}-----"]
        slots = (("escaped", "\\n".join(block) + "\\n"), ("indented", "\n".join("    " + line for line in block)))
        return make("\n".join(block), tuple(lines), slots)

    return made
