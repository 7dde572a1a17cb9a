"""From the days to the curated core: which entries are worth it, why, and how one moves without being lost or doubled."""
