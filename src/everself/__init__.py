"""A self that lasts for AI agents: an identity they keep and a memory they can trust, in plain Markdown."""

__version__ = "0.1.0"
