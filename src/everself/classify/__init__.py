"""Labelling: whether a text from outside speaks to the agent instead of telling it something. Labels, and decides nothing."""
