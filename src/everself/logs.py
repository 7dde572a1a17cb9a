"""Log records for whoever operates Everself: loggers under `everself.…`, redacted before any handler sees a record.

Quiet by default; nothing here chooses a level or writes anywhere. A record holds ids, paths, counts, times and names of
sources. It never holds what a person or a model said, and for that reason no message of an exception either.
"""

import logging

ROOT = "everself"


class _Redacting(logging.Filter):
    """Takes secrets out of a record, wherever it goes from here, and reduces an exception to its type."""

    def filter(self, record: logging.LogRecord) -> bool:
        from everself.text.redaction import redact

        words = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            words = f"{words} ({record.exc_info[0].__name__})"
        record.msg, record.args = redact(words).text, ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True


_REDACTING = _Redacting()
# without any handler Python itself would write warnings to stderr
logging.getLogger(ROOT).addHandler(logging.NullHandler())


def get_logger(name: str) -> logging.Logger:
    """The logger of a module, by its `__name__`."""
    logger = logging.getLogger(name)
    # a filter of a parent sees none of its children's records, so each has its own; adding it again changes nothing
    logger.addFilter(_REDACTING)
    return logger
