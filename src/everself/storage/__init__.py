"""Files and databases: file system, locks, journal, SQLite engine, state.db and history."""
