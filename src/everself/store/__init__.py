"""Databases: the SQLite engine, numbered migrations, `state.db` with its hash-chained ledger, online backup.

Knows rows and transactions. Knows no Markdown, no workspace, and nothing of what a change means.
"""
