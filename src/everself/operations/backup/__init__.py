"""One agent in one file: make a backup, check it, put it back. Imported by module: `create`, `check`, `restore`."""
