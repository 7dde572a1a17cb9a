"""Reads the host file as text and as plain data. Limits its size and explains JSON5 errors.

Knows no setting. Writes no file.
"""

import os
import stat
from collections.abc import Mapping

from everself.config.places import Places
from everself.config.secrets import Vault
from everself.errors import BadConfig, DiskError, NoPermission, TooLarge
from everself.values import Finding

LIMIT = 256 * 1024
_REASONS = {
    "Json5EOF": "this is not closed",
    "Json5ExtraData": "there is more text after the closing brace",
    "Json5NestingTooDeep": "the groups are nested too deeply",
}


def read_host(places: Places) -> str | None:
    """The text of the host file; None if it does not exist."""
    return _read(places.host_file)


def read_vault(places: Places, environ: Mapping[str, str]) -> tuple[Vault, tuple[Finding, ...]]:
    """The sources for secrets, with a finding if other users can read the secrets file."""
    path = places.secrets_file
    text = _read(path)
    if text is None:
        return Vault(environ), ()
    words = "Other users of this machine may read the secrets file."
    finding = Finding("error", "secrets-readable", words, f"chmod 600 {path}", path, fixable=True)
    open_to_others = os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return Vault(environ, parse_secrets(text, path)), (finding,) if open_to_others else ()


def parse_secrets(text: str, path: str) -> dict[str, str]:
    """Parse the secrets file: one flat object of names and strings."""
    data = parse_json5(text, path)
    stored = {name: value for name, value in data.items() if isinstance(value, str)}
    for wrong in data.keys() - stored.keys():
        raise BadConfig(f"{path}: {wrong} must be a string.", mend=f"everself config set {wrong} VALUE")
    return stored


def parse_json5(text: str, path: str, most: int = LIMIT) -> dict[str, object]:
    """The object in a JSON5 text; empty if the text contains no value."""
    import pyjson5

    if len(text) > most:
        raise TooLarge(f"{path} is larger than {most // 1024} KB.")
    failure = ""
    try:
        data = pyjson5.decode(text)
    except pyjson5.Json5DecoderException as error:
        if str(error.args[0]).startswith("No JSON data found"):
            return {}
        failure = _describe(type(error).__name__, str(error.args[0]), text)
    # raised outside the `except` block: the parser's error contains what it has read, including secrets
    if failure:
        raise BadConfig(f"{path} is not valid JSON5: {failure}", mend=f"Edit {path} there.")
    if not isinstance(data, dict):
        raise BadConfig(f"{path} must contain one object {{…}}.", mend=f"Edit {path}.")
    return {str(key): value for key, value in data.items()}


def _read(path: str) -> str | None:
    try:
        # without O_NONBLOCK, opening a FIFO would block until a writer appears
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise NoPermission(f"{path} cannot be read.", mend=f"chmod u+r {path}") from None
    except OSError as error:
        raise DiskError(f"{path}: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise BadConfig(f"{path} is not a regular file.", mend="Move it away and put a file in its place.")
    with open(handle, "rb") as file:
        data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise TooLarge(f"{path} is larger than {LIMIT // 1024} KB.")
    return decode(data, path)


def decode(data: bytes | None, path: str) -> str | None:
    """The text of a file; None for None. Raises BadConfig if it is not UTF-8."""
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadConfig(f"{path} is not UTF-8 text (line {line}).", mend=f"Save {path} as UTF-8.") from None


def _describe(kind: str, message: str, text: str) -> str:
    """The parser's message as a position and a reason. Its positions count characters from 1."""
    _, _, tail = message.rpartition("near ")
    digits = tail.partition(",")[0].strip()
    offset = min(max(int(digits) - 1, 0), len(text)) if digits.isdigit() else len(text)
    reason = _REASONS.get(kind, "a value is missing here")
    if kind not in _REASONS and offset < len(text) and text[offset].isprintable() and not text[offset].isspace():
        reason = f"unexpected {text[offset]}"
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}: {reason}."
