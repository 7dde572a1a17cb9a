"""make bench-speed: search speed with a thousand to a million memories, compared with raw numpy and raw FTS5."""
