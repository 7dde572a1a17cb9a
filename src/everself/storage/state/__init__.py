"""`state.db`: numbered migrations and its tables, the hash-chained ledger among them.

Knows rows and what they are for. Knows no Markdown, no workspace, and nothing of what a change means.
"""
