"""Finds secrets whose name is in another line: in the header of a table, or in a Kubernetes Secret manifest.

Knows rows and columns; `_plausibility.py` judges the values.
"""

import base64
import binascii
from collections.abc import Iterator

from everself.text._secrets._plausibility import Name, believed
from everself.text._secrets.shapes import compiled, turns

_WORD = (
    r"pass[ _-]?(?:word|wd|phrase|code)?s?|pwd|pw|pin|passwort|kennwort|密码|密碼|口令|パスワード|비밀번호|암호|"
    r"(?:[a-z0-9]+[ _-])*(?:key|token|secret)s?|credentials?|(?:[a-z-]+)?schlüssel|密钥|密鑰|令牌|トークン|キー|토큰|키"
)
_HEAD = (
    rf"(?im)^(?:[ \t]*\|[^\n]{{0,200}}?\|?[ *`]*(?:{_WORD})[ *`]*(?:\|[^\n]{{0,200}})?"
    rf"|(?:[\"']?[a-z0-9_ -]{{1,30}}[\"']?[,;\t]){{1,12}}[\"']?(?:{_WORD})[\"']?(?:[,;\t][a-z0-9_ \"',;\t-]{{1,200}})?)\r?$"
)
_PASSWORD = r"(?i)p.*|kennwort|密码|密碼|口令|パスワード|비밀번호|암호"
_AROUND = b" \t\r*`\"'"

_MANIFEST = r"(?m)^[ \t]*[\"']?kind[\"']?:[ \t]*[\"']?Secret\b"
_ITEM = r"(?m)^[ \t]+[\"']?[A-Za-z0-9_.-]+[\"']?:[ \t]*[\"']?([A-Za-z0-9+/]{8,}={0,2})[\"']?,?[ \t\r]*$"


def find_tabled(data: bytes) -> Iterator[tuple[Name, int, int]]:
    """The name, start and end of each secret. A row belongs to one table only, so the time is linear."""
    done = 0
    for match in compiled(_HEAD).finditer(data):
        start, end = match.span()
        if start < done:
            continue
        head = data[start:end]
        sign = next(sign for sign in (b"|", b"\t", b";", b",") if sign in head)
        names = {place: _name(cell) for place, cell in enumerate(head.split(sign))}
        done = end + 1
        while data.find(sign, done, line_end := _line_end(data, done)) >= 0:
            at = done
            cells = data[done:line_end].split(sign)
            for place, cell in enumerate(cells):
                value, name = cell.strip(_AROUND), names.get(place) if len(cells) == len(names) else None
                if name and believed(name, "prose", value, before=b""):
                    first = data.find(value, at)
                    yield name, first, first + len(value)
                at += len(cell) + 1
            done = line_end + 1
    if b"Secret" in data and compiled(_MANIFEST).search(data):
        for item in compiled(_ITEM).finditer(data):
            start, end = item.span(1)
            if _encoded(data[start:end]):
                yield "secret", start, end


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _name(cell: bytes) -> Name | None:
    word = cell.strip(_AROUND)
    if not compiled(f"(?i)(?:{_WORD})").fullmatch(word) or compiled(
        r"(?i)(?:public|primary|cache|foreign).*"
    ).fullmatch(word):
        return None
    return "password" if compiled(_PASSWORD).fullmatch(word) else "key"


def _encoded(value: bytes) -> bool:
    """Whether a value is base64 of readable or random data, not a word that happens to be base64."""
    try:
        decoded = base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
    return all(32 <= byte < 127 or byte in b"\r\n\t" for byte in decoded) or (len(value) >= 16 and turns(value) >= 6)
