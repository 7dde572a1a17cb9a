"""Writes log records to stderr while a command runs. Loaded only if EVERSELF_LOG or -v is used."""

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from everself.interfaces.rendering.lines import render
from everself.logs import ROOT

_LAYOUT = "%(asctime)s.%(msecs)03d %(levelname)s %(name)s: %(message)s"


class _Stderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # sys.stderr is looked up each time, because progress bars put another stream in its place
        try:
            sys.stderr.write(render(self.format(record)) + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            # a failing log must not make the command fail
            return


@contextmanager
def log_to_stderr(levels: Mapping[str, str]) -> Iterator[None]:
    """`levels` come from `read_log_levels`. The previous levels are restored at the end."""
    handler = _Stderr()
    handler.setFormatter(logging.Formatter(_LAYOUT, "%H:%M:%S"))
    loggers = {logging.getLogger(name): level for name, level in levels.items()}
    before = {logger: logger.level for logger in loggers}
    for logger, level in loggers.items():
        logger.setLevel(level)
    logging.getLogger(ROOT).addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger(ROOT).removeHandler(handler)
        for logger, known in before.items():
            logger.setLevel(known)
