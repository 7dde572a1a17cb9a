"""Hooks of coding agents: `everself hook` reads an event and answers within a deadline. Not to be confused with webhooks."""
