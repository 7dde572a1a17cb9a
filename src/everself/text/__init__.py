"""Text as values: normalise, count tokens, cut into sentences and search terms. Pure; knows nothing of files or models."""
