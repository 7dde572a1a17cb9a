"""Slots of time, jobs, and who runs which: a slot runs once, or it is written down that it did not."""
