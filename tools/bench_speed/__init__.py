"""make bench-speed: how fast memories are found, from a thousand to a million of them, beside raw numpy and raw FTS5."""
