"""Write the dump of a released schema: `python tests/store/released/dump.py state 1`.

Run it once when a migration is released, and never again for that number: these files are what users have on disk.
"""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import apsw

from everself.storage.engine import Engine
from everself.storage.state.migrate import apply_migrations, load_migrations

# A few rows of every table as that version wrote them; a migration has to carry them over.
ROWS = {
    ("state", 1): """
INSERT INTO meta VALUES ('agent', 'main');
INSERT INTO changes VALUES ('01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', 'first', '[]', '', '["SOUL.md"]', 'c0ffee');
INSERT INTO changes VALUES ('02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '둘째', '["e1","e2"]', '01HEALTHYONE', '["MEMORY.md","memory/2026-01-03.md"]', NULL);
INSERT INTO ledger VALUES (1, '01HEALTHYONE', '2026-01-02T23:59:59+09:00', 'owner', '[["SOUL.md",null,"aa"]]', '00', 'm1');
INSERT INTO ledger VALUES (2, '02SECONDCHNG', '2026-01-03T00:00:01+09:00', 'keeper', '[["MEMORY.md","bb","cc"],["memory/2026-01-03.md",null,"dd"]]', 'm1', 'm2');
""",  # noqa: E501 — rows read better on one line
}
ROWS["state", 2] = (
    ROWS["state", 1]
    + """
INSERT INTO vouchers VALUES ('7K3QX9M2ABCD', 'owner', 'decision', '["msg:1"]', 'aa', '2026-01-02T23:59:59+09:00', 'm3');
INSERT INTO change_keys VALUES ('bb', '01HEALTHYONE');
INSERT INTO documents VALUES ('MEMORY.md', '1 2 3 4 5', 'cc', 6);
INSERT INTO entries VALUES ('7K3QX9M2ABCD', 'MEMORY.md', 0, '{}', 'aa', x'0102', '2026-01-02', NULL);
INSERT INTO tombstones VALUES ('dd', '7K3QX9M2ABCE', '2026-01-02T23:59:59+09:00');
INSERT INTO sessions VALUES ('s1', 'main', '', 'cli', '2026-01-02T23:59:59+09:00', '{}');
INSERT INTO messages VALUES ('m1', 's1', 1, '2026-01-02T23:59:59+09:00', 'user', '', '안녕', '{}');
"""
)
ROWS["state", 3] = (
    ROWS["state", 2]
    + """
INSERT INTO forgettings (id, at, done_at, entries, texts, messages, homes) VALUES ('5F0RG0TT3N00', '2026-01-04T08:00:00+09:00', NULL, '["7K3QX9M2ABCE"]', '["dd"]', '["m2"]', '[["users/max/",""]]');
INSERT INTO forgotten_changes VALUES ('02SECONDCHNG', '5F0RG0TT3N00');
INSERT INTO rewritten_commits VALUES ('c0ffee', 'decade', '5F0RG0TT3N00');
"""  # noqa: E501 — as above
)
ROWS["state", 4] = (
    ROWS["state", 3]
    + """
INSERT INTO forgettings VALUES ('6F0RG0TT3N00', '2026-01-05T08:00:00+09:00', NULL, '[]', '[]', '[]', '[]', '["8S3ARCH00000"]');
INSERT INTO searches VALUES (1, '9S3ARCH00000', '2026-01-05T09:00:00+09:00', 's1', 'main', '', 'default', '차', 'local', 41, '["words only"]', '[["7K3QX9M2ABCD","MEMORY.md","too long"]]');
INSERT INTO search_hits VALUES (1, 1, '7K3QX9M2ABCD', 'MEMORY.md', 3, 3, 0.5, '{"text":0.5}');
"""  # noqa: E501 — as above
)
ROWS["state", 5] = (
    ROWS["state", 4]
    + """
INSERT INTO baselines VALUES ('SOUL.md', 'ee', '# 혼', '2026-01-06T08:00:00+09:00');
INSERT INTO baseline_seal VALUES (1, 1, 'm4');
INSERT INTO proposals VALUES ('7PR0P0SAL000', '2026-01-06T09:00:00+09:00', 'keeper', 'SOUL.md', 'ee', '# 혼 2', 'learnt', '["entry:7K3QX9M2ABCD"]', 'open', '', '');
INSERT INTO personas VALUES ('s1', 1, '2026-01-06T10:00:00+09:00', 'SOUL.md', 'ee', 'soul');
"""  # noqa: E501 — as above
)
ROWS["state", 6] = (
    ROWS["state", 5]
    + """
INSERT INTO spend VALUES ('8SP3ND000000', '2026-01-06T11:00:00+09:00', '2026-01-06', 'chat', 's1', 'anthropic/one', 1200, 80, 900, 0, 4200);
"""
)
ROWS["state", 7] = (
    ROWS["state", 6]
    + """
INSERT INTO jobs VALUES ('1J0B00000000', 'review', 'cron', '0 18 * * 5', 'Asia/Seoul', 'verb', 'promote', '{}', 1, 0, '2026-01-06T11:00:00+09:00', '2026-01-06T02:00:00+00:00');
INSERT INTO job_runs VALUES ('1J0B00000000', '2026-01-09T09:00:00+00:00', 'done', 'h1', '2026-01-09T09:10:00+00:00', '2026-01-09T09:00:01+00:00', '2026-01-09T09:00:02+00:00', '둘 찾음');
INSERT INTO reviews VALUES ('2R3V13W00000', '2026-01-09T09:00:02+00:00', 'promotion', 'promotion', 'entry:7K3QX9M2ABCD', '{"words":"차"}', '["entry:7K3QX9M2ABCD"]', 'waiting', '', '');
INSERT INTO keeper_runs VALUES ('3RVN00000000', 'memory-miner', '2026-01-09T06:00:00+09:00', 0.5, 1, 2, 0, '12', '["mined"]');
INSERT INTO releases VALUES ('ee', '2026-01-09T09:00:02+00:00');
"""  # noqa: E501 — as above
)
ROWS["state", 8] = (
    ROWS["state", 7]
    + """
INSERT INTO file_origins VALUES (1, 'ee', 'ff', 'web', '2026-01-09T09:00:02+00:00');
"""
)
ROWS["state", 9] = ROWS["state", 8].replace(
    "x'0102', '2026-01-02', NULL)", "x'0102', '2026-01-02', NULL, '2026-01-02', 'T1', 'hand', '', '', 0, 0, 1)"
)
ROWS["state", 10] = ROWS["state", 9]
ROWS["state", 11] = ROWS["state", 10]


def dump(kind: str, number: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "released.db")
        with Engine.open(path) as engine:
            apply_migrations(engine, load_migrations(kind)[:number], now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
            engine.write(lambda writer: writer.run(ROWS[kind, number]))
            lines = [f"{sql};" for (sql,) in engine.read("SELECT sql FROM sqlite_schema WHERE sql NOT NULL")]
            for (table,) in engine.read("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"):
                for row in engine.read(f'SELECT * FROM "{table}"'):
                    values = ", ".join(apsw.format_sql_value(value) for value in row)
                    lines.append(f"INSERT INTO {table} VALUES ({values});")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    chosen_kind, chosen_number = sys.argv[1], int(sys.argv[2])
    target = Path(__file__).parent / f"{chosen_kind}_{chosen_number:04}.sql"
    target.write_text(dump(chosen_kind, chosen_number), encoding="utf-8")
