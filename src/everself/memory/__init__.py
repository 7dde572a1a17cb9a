"""Entries: what the agent remembers, with provenance and confidence. Writing, correcting, promoting, archiving, forgetting.

Speaks to documents through a workspace and to what stands beside them through the store. Knows no search and no prompt.
"""
