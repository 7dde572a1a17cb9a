"""Entries: what the agent remembers, with provenance and confidence. Writing, correcting, promoting, archiving, forgetting.

Accesses documents through a workspace, and other data through the store. Knows no search and no prompt.
"""
