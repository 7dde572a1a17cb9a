"""Ways past a door to plant."""

from tests.architecture.planted.case import Case, one

DOORS = [
    one("the module time", "time", ("storage/lock.py", "import time"), ("clock.py", "import time")),
    one(
        "a name from time",
        "time",
        ("operations/a.py", "from time import perf_counter"),
        ("operations/a.py", "from datetime import time"),
    ),
    one(
        "a logger that does not redact",
        "logs",
        ("memory/m.py", "import logging\n_log = logging.getLogger(__name__)"),
        ("memory/m.py", "from everself.logs import get_logger\n_log = get_logger(__name__)"),
        3,
    ),
    *(
        one(
            f"a record that quotes: {call}",
            "logs",
            ("memory/m.py", f"try:\n    x = 1\nexcept OSError as error:\n    {call}"),
            ("memory/m.py", "try:\n    x = 1\nexcept OSError as error:\n    _log.info('%s', type(error).__name__)"),
            line=5,
        )
        for call in (
            "_log.info(f'{error}')",
            "_log.exception('It failed.')",
            "_log.error('It failed.', exc_info=True)",
            "_log.warning('It failed: %s', error)",
            "_log.log(20, 'It failed: %s', error)",
        )
    ),
    one(
        "time in a function",
        "time",
        ("operations/a.py", "def f():\n    import time"),
        ("operations/a.py", "def f():\n    import json"),
        3,
    ),
    *(
        one(
            f"{call}",
            "time",
            ("memory/m.py", f"from datetime import date, datetime\nx = {call}"),
            ("memory/m.py", "from everself.clock import Clock\ndef f(clock): return clock.now(), clock.today()"),
            line=3,
        )
        for call in ("datetime.now()", "datetime.utcnow()", "datetime.today()", "date.today()", "[datetime.now]")
    ),
    one(
        "datetime by its module",
        "time",
        ("memory/m.py", "import datetime as d\nx = d.datetime.now(d.UTC)"),
        ("memory/m.py", "import datetime as d\nx = d.datetime.fromtimestamp(0, d.UTC)"),
        line=3,
    ),
    one(
        "the time of an event loop",
        "time",
        ("conversation/c.py", "import asyncio\nx = asyncio.get_running_loop().time()"),
        ("conversation/c.py", "def f(message): return message.time()"),
        line=3,
    ),
    one(
        "the host's zone",
        "time",
        ("config/c.py", "def f():\n    import tzlocal"),
        ("clock.py", "import tzlocal"),
        line=3,
    ),
    *(
        one(
            f"environment by {use}",
            "environment",
            ("storage/state/s.py", f"import os, getpass\nfrom pathlib import Path\nx = {use}"),
            ("config/c.py", f"import os, getpass\nfrom pathlib import Path\nx = {use}"),
            line=4,
        )
        for use in (
            "os.environ",
            "os.environ.get('A')",
            "os.environb",
            "os.getenv('A')",
            "os.path.expanduser('~')",
            "os.path.expandvars('$A')",
            "Path.home()",
            "Path('~').expanduser()",
            "getpass.getuser()",
        )
    ),
    one(
        "a name from os",
        "environment",
        ("operations/a.py", "from os import environ"),
        ("config/c.py", "from os import environ"),
    ),
    one("the user table", "environment", ("operations/a.py", "import pwd"), ("config/c.py", "import pwd")),
    *(
        one(
            f"writing by {use}",
            "files",
            ("workspace/w.py", f"import os, io\nfrom pathlib import Path\np = Path('a')\nx = {use}"),
            ("storage/d.py", f"import os, io\nfrom pathlib import Path\np = Path('a')\nx = {use}"),
            line=5,
        )
        for use in (
            "open('a', 'w')",
            "open('a', mode='ab')",
            "open('a', 'r+')",
            "open('a', p.name)",
            "io.open('a', 'x')",
            "p.open('w')",
            "p.open(mode='a')",
            "p.write_text('')",
            "p.write_bytes(b'')",
            "p.touch()",
            "p.unlink()",
            "p.mkdir()",
            "p.rename('b')",
            "p.replace('b')",
            "p.symlink_to('b')",
            "p.chmod(0o600)",
            "os.open('a', os.O_WRONLY)",
            "os.open('a', os.O_RDONLY | os.O_CREAT)",
            "os.open('a', 1)",
            "os.fdopen(3, 'w')",
            "os.write(3, b'')",
            "os.rename('a', 'b')",
            "os.replace('a', 'b')",
            "os.unlink('a')",
            "os.remove('a')",
            "os.mkdir('a')",
            "os.makedirs('a')",
            "os.rmdir('a')",
            "os.truncate('a', 0)",
            "os.ftruncate(3, 0)",
            "os.chmod('a', 0)",
            "os.link('a', 'b')",
            "os.symlink('a', 'b')",
            "os.utime('a')",
            "os.fsync(3)",
        )
    ),
    one("shutil", "files", ("operations/a.py", "import shutil"), ("storage/d.py", "import shutil")),
    one(
        "tempfile",
        "files",
        ("operations/a.py", "from tempfile import mkdtemp"),
        ("storage/d.py", "from tempfile import mkdtemp"),
    ),
    one(
        "a path above workspace",
        "paths",
        ("memory/m.py", "from pathlib import Path"),
        ("workspace/w.py", "import pathlib"),
    ),
    one(
        "a path in an annotation only",
        "paths",
        ("search/i.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pathlib import Path"),
        ("operations/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pathlib import Path"),
        line=4,
    ),
    one(
        "os.path above workspace",
        "paths",
        ("conversation/c.py", "import os\nx = os.path.join"),
        ("conversation/c.py", "import os\nos.getpid()"),
        3,
    ),
    one(
        "listing above workspace",
        "paths",
        ("keepers/k.py", "from os import scandir"),
        ("interfaces/cli/c.py", "from os import scandir"),
    ),
    one(
        "reading a file above workspace",
        "paths",
        ("identity/i.py", "x = open('a')"),
        ("identity/i.py", "x = dict(open=1)"),
    ),
    one("sqlite3", "homes", ("storage/state/s.py", "import sqlite3"), ("storage/state/s.py", "import apsw")),
    one(
        "apsw outside storage and search",
        "homes",
        ("workspace/w.py", "def f():\n    import apsw"),
        ("search/i.py", "import apsw"),
        line=3,
    ),
    one(
        "a model's SDK",
        "homes",
        ("conversation/c.py", "from pydantic_ai import direct"),
        ("models/chat/m.py", "from pydantic_ai import direct"),
    ),
    one(
        "the history's library",
        "homes",
        ("operations/a.py", "from dulwich.repo import Repo"),
        ("storage/state/h.py", "import dulwich.repo"),
    ),
    one(
        "a terminal outside the interfaces",
        "homes",
        ("operations/a.py", "import prompt_toolkit"),
        ("interfaces/repl/r.py", "import prompt_toolkit"),
    ),
    one("re", "re", ("text/t.py", "import re"), ("text/t.py", "import re2")),
    one(
        "a name from re",
        "re",
        ("text/t.py", "def f():\n    from re import compile"),
        ("text/t.py", "import reprlib"),
        line=3,
    ),
    one("printing", "printing", ("operations/a.py", "print('hello')"), ("interfaces/cli/c.py", "print('hello')")),
    one("asking for input", "printing", ("storage/state/s.py", "input()"), ("interfaces/repl/r.py", "input()")),
    *(
        Case(
            f"index rows by {statement}",
            "index-rows",
            "search/q.sql:2",
            {"search/q.sql": f"-- why\n{statement} chunks"},
            {
                "search/sync.py": f"Q = '{statement} chunks'",
                "search/r.sql": "SELECT * FROM chunks",
                "storage/state/s.py": f"Q = '{statement} jobs'",
            },
            tables=frozenset({"chunks", "vectors"}),
        )
        for statement in ("INSERT INTO", "insert or ignore into", "UPDATE", "DELETE FROM", "REPLACE INTO")
    ),
    Case(
        "index rows in a string",
        "index-rows",
        "memory/m.py:2",
        {"memory/m.py": "Q = 'DELETE FROM vectors WHERE id = ?'"},
        {"memory/m.py": "Q = 'we update vectors_of_change'"},
        tables=frozenset({"vectors"}),
    ),
]
