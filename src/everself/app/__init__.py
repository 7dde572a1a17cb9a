"""The composition root: reads the world once and puts the rooms together."""
