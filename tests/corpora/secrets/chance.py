"""Seeded draws and the checksums that real credentials carry.

Knows alphabets, lengths and check digits. Does not know which service uses them (kinds) nor the texts around them.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

ALNUM = string.digits + string.ascii_uppercase + string.ascii_lowercase
URLSAFE = ALNUM + "-_"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BASE32 = string.ascii_uppercase + "234567"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Chance:
    """One seeded stream of values."""

    rng: random.Random

    def pick(self, options: Sequence[T]) -> T:
        return self.rng.choice(options)

    def among(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def chars(self, alphabet: str, length: int) -> str:
        return "".join(self.rng.choice(alphabet) for _ in range(length))

    def alnum(self, length: int) -> str:
        return self.chars(ALNUM, length)

    def urlsafe(self, length: int) -> str:
        # A trailing dash or underscore is rare in the wild and would make the end of a value a matter of taste.
        return self.chars(URLSAFE, length - 1) + self.chars(ALNUM, 1)

    def digits(self, length: int) -> str:
        return self.chars("123456789", 1) + self.chars(string.digits, length - 1)

    def hexa(self, length: int) -> str:
        return self.chars("0123456789abcdef", length)

    def raw(self, length: int) -> bytes:
        return self.rng.randbytes(length)

    def b64(self, length: int) -> str:
        return base64.b64encode(self.raw(length)).decode()

    def b64url(self, length: int) -> str:
        return base64.urlsafe_b64encode(self.raw(length)).decode().rstrip("=")

    def uuid(self) -> str:
        h = self.hexa(32)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{self.pick('89ab')}{h[17:20]}-{h[20:]}"


def crc62(text: str) -> str:
    """The six base62 digits of CRC32 with which GitHub and npm end their tokens."""
    number, digits = zlib.crc32(text.encode()), ""
    while number:
        number, rest = divmod(number, 62)
        digits = ALNUM[rest] + digits
    return digits.rjust(6, "0")


def luhn_sum(number: str) -> int:
    total = 0
    for place, char in enumerate(reversed(number)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total


def luhn_ok(number: str) -> bool:
    return luhn_sum(number) % 10 == 0


def with_luhn(body: str) -> str:
    return body + str(-luhn_sum(body + "0") % 10)


def iban_remainder(iban: str) -> int:
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97


def with_iban_check(country: str, account: str) -> str:
    return f"{country}{98 - iban_remainder(f'{country}00{account}'):02d}{account}"


def base58check(payload: bytes) -> str:
    whole = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, digits = int.from_bytes(whole, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        digits = BASE58[rest] + digits
    return "1" * (len(whole) - len(whole.lstrip(b"\0"))) + digits


def bech32(prefix: str, payload: bytes) -> str:
    bits = "".join(f"{byte:08b}" for byte in payload)
    bits += "0" * (-len(bits) % 5)
    data = [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)]
    spread = [ord(char) >> 5 for char in prefix] + [0] + [ord(char) & 31 for char in prefix]
    check = 1
    for value in spread + data + [0] * 6:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for place, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= term if top >> place & 1 else 0
    check ^= 1
    data += [check >> 5 * (5 - place) & 31 for place in range(6)]
    return prefix + "1" + "".join(BECH32[value] for value in data)


def crc24(data: bytes) -> bytes:
    """The checksum line of an ASCII-armoured PGP block."""
    crc = 0xB704CE
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc = crc << 1 ^ (0x1864CFB if crc & 0x800000 else 0)
    return (crc & 0xFFFFFF).to_bytes(3, "big")


def der(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + body
