"""The composition root: reads the world once, puts the rooms together, and offers the verbs that every face calls."""
