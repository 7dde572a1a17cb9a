"""The only writer of index rows: what changed in the workspace, and vectors as they come. Knows no search."""
