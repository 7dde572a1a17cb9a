"""Loggers under `everself.…`, redacted before any handler sees a record.

Quiet by default: this module sets no level and no handler. A record contains ids, paths, counts, times and names of sources. It never
contains what a person or a model said, and therefore no message of an exception.
"""

import logging

ROOT = "everself"


class _Redacting(logging.Filter):
    """Removes secrets from a record and reduces an exception to its type."""

    def filter(self, record: logging.LogRecord) -> bool:
        from everself.text.redaction import redact

        words = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            words = f"{words} ({record.exc_info[0].__name__})"
        record.msg, record.args = redact(words).text, ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True


_REDACTING = _Redacting()
# without a handler, Python would print warnings to stderr
logging.getLogger(ROOT).addHandler(logging.NullHandler())


def get_logger(name: str) -> logging.Logger:
    """The logger of a module, by its `__name__`, with redaction."""
    logger = logging.getLogger(name)
    # a parent's filter does not see records of its children, so each logger has its own; adding it again has no effect
    logger.addFilter(_REDACTING)
    return logger
