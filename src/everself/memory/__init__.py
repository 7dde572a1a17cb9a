"""Entries: what the agent remembers, where each came from, how sure it is, and how it is written, corrected and forgotten.

Speaks to documents through a workspace and to what stands beside them through the store. Knows no search and no prompt.
"""
