"""DERIVED: chunks, words and vectors of the workspace's documents. May be deleted at any moment; knows no ranking."""
