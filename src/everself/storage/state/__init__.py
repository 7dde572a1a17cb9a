"""`state.db`: numbered migrations and its tables, among them the hash-chained ledger.

Handles rows and their meaning. Independent of Markdown, of the workspace and of what a change does.
"""
