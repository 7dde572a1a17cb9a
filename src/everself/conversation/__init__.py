"""Conversations: the agent loop, its events, sessions, context assembly, tools and compaction."""
