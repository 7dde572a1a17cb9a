"""The gateway's log: one JSON object per line. Ids, routes, token names, codes and times; never texts, headers or query strings."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from everself.clock import system_now
from everself.logs import ROOT
from everself.storage.line_log import LineLog
from everself.text.redaction import redact

_LIBRARIES = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "asyncio")


class AccessLog:
    """Thread-safe."""

    def __init__(self, lines: LineLog) -> None:
        self._lines = lines

    @property
    def lost(self) -> int:
        return self._lines.lost

    def write(self, event: str, values: Mapping[str, object]) -> None:
        said = {"time": system_now().isoformat(timespec="milliseconds"), "event": event}
        plain = {key: redact(value).text if isinstance(value, str) else value for key, value in values.items()}
        self._lines.write(json.dumps(said | plain, ensure_ascii=True))


class _Records(logging.Handler):
    """Handles records of our own loggers, which are already redacted."""

    def __init__(self, log: AccessLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.write("record", {"level": record.levelname, "logger": record.name, "message": record.getMessage()})


@contextmanager
def logged(log: AccessLog) -> Iterator[None]:
    """Add our own warnings to the log. Libraries are silenced, because their records contain tracebacks and addresses."""
    handler = _Records(log)
    logging.getLogger(ROOT).addHandler(handler)
    silenced = [logging.getLogger(name) for name in _LIBRARIES]
    before = [(one, one.disabled) for one in silenced]
    for one in silenced:
        one.disabled = True
    try:
        yield
    finally:
        logging.getLogger(ROOT).removeHandler(handler)
        for one, disabled in before:
            one.disabled = disabled
