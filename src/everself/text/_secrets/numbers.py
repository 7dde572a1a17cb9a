"""Payment cards and bank accounts: numbers with check digits, distinguished from other numbers."""

from everself.text._secrets.kind import Kind, Span
from everself.text._secrets.shapes import compiled, luhn, mod97

# one in ten numbers of these kinds passes Luhn's test
_OTHER_NUMBERS = (
    r"(?i)(?:order|tracking|invoice|isbn|imei|phone|tel|ticket|serial|parcel|shipment|customer|reference|ref|"
    r"订单|单号|運單|注文|주문)[^\n]{0,16}$"
)


def _card(data: bytes, start: int, end: int) -> Span | None:
    """Right length for its issuer, right check digit, one kind of separator, not a part of something longer."""
    shown = data[start:end]
    number = bytes(byte for byte in shown if 48 <= byte <= 57)
    separators = {sign for sign in (b" ", b"-", b"\xc2\xa0") if sign in shown}
    if len(separators) > 1 or len(set(number)) < 2 or not _known_maker(number) or not luhn(number):
        return None
    if data[start - 1 : start] in (b".", b"+", b"-", b"/", b"#", b"_") or data[end : end + 1] in (b"-", b"_", b"/"):
        return None
    if data[end : end + 1] == b"." and data[end + 1 : end + 2].isdigit():
        return None
    if separators and (
        compiled(r"\b[0-9A-F]{4,5} $").search(data[max(0, start - 6) : start])
        or compiled(r"^ [0-9A-F]{4,5}\b").search(data[end : end + 8])
    ):
        return None  # a table of numbers
    before = data[max(0, start - 40) : start]
    return None if not separators and compiled(_OTHER_NUMBERS).search(before) else (start, end)


def _known_maker(number: bytes) -> bool:
    length = len(number)
    two, four = int(number[:2]), int(number[:4])
    if number.startswith(b"4"):
        return length in (16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720 or 2200 <= four <= 2204 or 3528 <= four <= 3589:
        return length == 16
    if two in (34, 37):
        return length == 15
    if two in (36, 38, 39) or 3000 <= four <= 3059:
        return length == 14
    return length in (16, 19) and (two in (62, 65) or four == 6011 or 6440 <= four <= 6499)


_COUNTRIES_BY_LENGTH = (
    b"15 NO/16 BE/18 DK FI FO GL NL/19 MK SI/20 AT BA EE KZ LT LU XK/21 CH HR LI LV/22 BG BH CR DE GB GE IE ME RS VA/"
    b"23 AE GI IL IQ TL/24 AD CZ ES MD PK RO SA SE SK TN VG/25 LY PT ST/26 IS TR/27 FR GR IT MC MR SM/"
    b"28 AL AZ BY CY DO GT HU LB PL SV/29 BR EG PS QA UA/30 JO KW MU/31 MT SC/32 LC"
)
_IBAN_LENGTHS = {country: int(row[:2]) for row in _COUNTRIES_BY_LENGTH.split(b"/") for country in row[3:].split()}


def _iban(data: bytes, start: int, end: int) -> Span | None:
    """The country code gives the length, because the match may run into the next word."""
    want = _IBAN_LENGTHS.get(data[start : start + 2])
    if want is None:
        return None
    number = bytearray()
    for at in range(start, end):
        byte = data[at : at + 1]
        if byte.isalnum():
            number += byte
        if len(number) == want:
            whole = not data[at + 1 : at + 2].isalnum()
            return (start, at + 1) if whole and mod97(bytes(number)) else None
    return None


def _social_security(data: bytes, start: int, end: int) -> Span | None:
    """Rejects numbers that were never issued, and parts of something longer."""
    area, group, serial = data[start:end].split(data[start + 3 : start + 4])
    given = area not in (b"000", b"666") and area < b"900" and group != b"00" and serial != b"0000"
    beside = data[start - 1 : start] + data[end : end + 1]
    return (start, end) if given and not compiled(r"[-_/.#+0-9]").search(beside.rstrip(b".")) else None


NUMBERS: tuple[Kind, ...] = (
    Kind("social security number", r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b", ("-",), _social_security),
    Kind(
        "social security number",
        r"(?i)\b(?:ssn|social security)[^\n0-9]{0,24}\b([0-9]{3} [0-9]{2} [0-9]{4})\b",
        ("ssn", "social"),
        _social_security,
    ),
    Kind(
        "card number", r"\b[2-6][0-9]{3}(?:(?:[ -]|\xc2\xa0)?[0-9]{4}){3}(?:(?:[ -]|\xc2\xa0)?[0-9]{3})?\b", (), _card
    ),
    Kind("card number", r"\b3[0-9]{3}(?:[ -]|\xc2\xa0)?[0-9]{6}(?:[ -]|\xc2\xa0)?[0-9]{4,5}\b", (), _card),
    Kind("iban", r"\b[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b", (), _iban),
)
