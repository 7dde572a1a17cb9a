"""Makes the backup that upgrades are tested with: a small agent as an earlier version left it.

Run it with the source of that version, which is not kept here, and keep what it makes:

    git archive efabb34 src | tar x -C FOLDER
    PYTHONPATH=FOLDER/src python tests/upgrade/make_backup.py tests/upgrade/efabb34.tar.gz

A backup that was released is never made again: that is the point of it.
"""

import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta

import everself.clock as clock

NOW = [datetime(2026, 3, 2, 9, 30, tzinfo=UTC)]


def now() -> datetime:
    NOW[0] += timedelta(seconds=7)
    return NOW[0]


clock.system_now = now
clock.Clock.__init__.__defaults__ = tuple(
    now if one is not None and callable(one) else one for one in clock.Clock.__init__.__defaults__ or ()
)


def call(*words: str) -> object:
    from everself.interfaces.cli.entry import run

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([*words, "--json"])
    assert code in (0, 6), (words, code, out.getvalue(), err.getvalue())
    return json.loads(out.getvalue())["data"]


def live() -> None:
    call("setup")
    tea = call("memory", "add", "I drink green tea in the morning")["entry"]
    call("memory", "add", "My sister Ana lives in Porto")
    NOW[0] += timedelta(days=1)
    call("memory", "add", "I live in Berlin")
    call("memory", "correct", "I live in Berlin", "I live in Oslo")
    call("memory", "promote", tea, "--apply")
    NOW[0] += timedelta(days=1)
    call("ask", "Remember that the release is on Friday")
    call("ask", "What do I drink?")
    call("memory", "add", "The code word is marzipan")
    mistaken = call("memory", "add", "This was said by mistake")["change"]
    call("undo", mistaken)
    call("soul", "propose", "Ask before you book.", "--reason", "asked twice")
    call("backup", os.path.abspath(sys.argv[1]), "--with-key")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, "EVERSELF_HOME": f"{home}/.everself", "EVERSELF_KEYS": f"{home}/keys"}
        live()
