"""The only writer of index rows: syncs changed documents and stores vectors."""
