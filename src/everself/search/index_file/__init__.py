"""index.db: its rows, their checks, and the index at one moment as ranking reads it. Writes no row; `index.sync` alone does."""
