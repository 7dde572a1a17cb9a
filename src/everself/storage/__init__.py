"""SQLite as Everself uses it: connections, one writer thread a process, errors in words, online backup. Knows no table."""
