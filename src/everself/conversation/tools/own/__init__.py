"""Everself's own tools: over memory, over the workspace's files, over the soul, and the sub-agent."""
