"""Looks after an index besides searching it: fresh while a process lives, clean of what was forgotten. Knows no ranking."""
