"""Makes, checks and restores a backup: one agent in one file."""
