"""Keeps the trace of a mistake of ours in `crash.log`, for the person to send us. Never fails, and holds no secret."""

import os
import traceback

from everself import __version__
from everself.errors import EverselfError

KEPT_BYTES = 64 * 1024


def note_crash(error: Exception) -> str:
    """Where the trace was written; empty where it could not be."""
    try:
        from everself.clock import system_now
        from everself.config import find_places
        from everself.storage.host_files import find_file, save_file
        from everself.text.redaction import redact

        path = os.path.join(find_places().home, "crash.log")
        trace = redact("".join(traceback.format_exception(error))[-KEPT_BYTES // 4 :]).text
        text = f"{system_now().isoformat(timespec='seconds')} everself {__version__}\n{trace}\n"
        before = find_file(path)
        save_file(path, ((before or b"") + text.encode("utf-8", "replace"))[-KEPT_BYTES:], before)
    except (EverselfError, OSError, ImportError):
        return ""
    return path
