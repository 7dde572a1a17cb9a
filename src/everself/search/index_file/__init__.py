"""The file index.db: its rows, their checksums, and consistent views of it. Only `search.sync` writes rows."""
